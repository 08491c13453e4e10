// SPDX-License-Identifier: MIT
#include "tests/apps/baton/cli_process.hpp"

#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace baton::test {

namespace {

using clock = std::chrono::steady_clock;
constexpr std::chrono::seconds limit{20};

void drain(int& fd, std::string& into) {
  std::array<char, 16 * 1024> buffer;
  while (fd >= 0) {
    auto n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0)
      return;
    if (n == 0)
      ::close(std::exchange(fd, -1));
    else
      into.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& x : texts)
    out.push_back(x.data());
  out.push_back(nullptr);
  return out;
}

} // namespace

scratch_dir::scratch_dir() {
  std::string name = std::filesystem::temp_directory_path() / "baton-XXXXXX";
  BOOST_TEST_REQUIRE(::mkdtemp(name.data()) != nullptr);
  path_ = name;
}

scratch_dir::~scratch_dir() {
  std::error_code ec;
  std::filesystem::remove_all(path_, ec);
}

bool eventually(const std::function<bool()>& condition) {
  auto until = clock::now() + limit;
  while (!condition()) {
    if (clock::now() > until)
      return false;
    // Between two looks at what other processes do; nothing depends on it.
    ::poll(nullptr, 0, 2);
  }
  return true;
}

cli_process::cli_process(std::vector<std::string> args,
                         std::vector<std::string> env,
                         const std::string& input) {
  args.insert(args.begin(), BATON_BIN_DIR "/baton");
  std::array<int, 2> in{}, out{}, err{};
  for (auto ends : {&in, &out, &err})
    BOOST_TEST_REQUIRE(::pipe2(ends->data(), O_CLOEXEC) == 0);
  auto argv = pointers(args);
  auto envp = pointers(env);
  pid_ = ::fork();
  BOOST_TEST_REQUIRE(pid_ >= 0);
  if (pid_ == 0) {
    ::dup2(in[0], 0);
    ::dup2(out[1], 1);
    ::dup2(err[1], 2);
    ::execve(argv[0], argv.data(), envp.data());
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  ::close(err[1]);
  BOOST_TEST_REQUIRE(::write(in[1], input.data(), input.size())
                     == static_cast<ssize_t>(input.size()));
  ::close(in[1]);
  out_fd_ = out[0];
  err_fd_ = err[0];
  for (auto fd : {out_fd_, err_fd_})
    ::fcntl(fd, F_SETFL, O_NONBLOCK);
}

cli_process::~cli_process() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  for (auto fd : {out_fd_, err_fd_})
    if (fd >= 0)
      ::close(fd);
}

void cli_process::interrupt() const {
  ::kill(pid_, SIGINT);
}

void cli_process::collect(int timeout_ms) {
  std::array<pollfd, 2> watched{{{out_fd_, POLLIN, 0}, {err_fd_, POLLIN, 0}}};
  ::poll(watched.data(), watched.size(), timeout_ms);
  drain(out_fd_, out_);
  drain(err_fd_, err_);
}

std::string cli_process::out() {
  collect(0);
  return out_;
}

std::string cli_process::err() {
  collect(0);
  return err_;
}

void cli_process::stop_reading() {
  ::close(std::exchange(out_fd_, -1));
}

int cli_process::wait() {
  auto until = clock::now() + limit;
  int how = 0;
  for (;;) {
    collect(10);
    auto ended = ::waitpid(pid_, &how, WNOHANG);
    if (ended == pid_)
      break;
    BOOST_TEST_REQUIRE((clock::now() < until), "baton did not end: " + err_);
  }
  pid_ = -1;
  collect(0);
  return WIFEXITED(how) ? WEXITSTATUS(how) : -WTERMSIG(how);
}

} // namespace baton::test
