// SPDX-License-Identifier: MIT
// Goal: a pipe whose reader is gone ends nobody. Method: real pipes, in a
// process that takes SIGPIPE as it comes.
#include "actors/sandbox/pipe_write.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <cerrno>
#include <csignal>

#include <unistd.h>

using namespace baton::sandbox;

namespace {

struct pipe_ends {
  pipe_ends() { BOOST_REQUIRE(::pipe(fds.data()) == 0); }
  ~pipe_ends() {
    leave();
    ::close(fds[1]);
  }
  void leave() {
    if (fds[0] >= 0)
      ::close(fds[0]);
    fds[0] = -1;
  }
  std::array<int, 2> fds{};
};

/// SIGPIPE ends this process, as it does one that knows nothing of it.
struct default_sigpipe {
  void (*before)(int) = std::signal(SIGPIPE, SIG_DFL);
  ~default_sigpipe() { std::signal(SIGPIPE, before); }
};

} // namespace

BOOST_AUTO_TEST_SUITE(sandbox_pipe_write)

BOOST_AUTO_TEST_CASE(what_is_written_arrives) {
  pipe_ends x;
  BOOST_TEST(write_to_pipe(x.fds[1], "kill\n") == 5);
  std::array<char, 8> got{};
  BOOST_TEST(::read(x.fds[0], got.data(), got.size()) == 5);
}

BOOST_AUTO_TEST_CASE(a_reader_who_is_gone_is_an_answer) {
  default_sigpipe as_it_comes;
  pipe_ends x;
  x.leave();
  for (int i = 0; i < 2; ++i) {
    BOOST_TEST(write_to_pipe(x.fds[1], "kill\n") == -1);
    BOOST_TEST(errno == EPIPE);
  }
  sigset_t pending, blocked;
  sigpending(&pending);
  ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  BOOST_TEST(sigismember(&pending, SIGPIPE) == 0);
  BOOST_TEST(sigismember(&blocked, SIGPIPE) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
