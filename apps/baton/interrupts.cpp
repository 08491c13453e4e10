// SPDX-License-Identifier: MIT
#include "apps/baton/interrupts.hpp"

#include "messages/check.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>

namespace baton::cli {

namespace {

// What a signal handler may touch.
std::atomic<int> counted{0};
std::atomic<int> write_fd{-1};

extern "C" void count_interrupt(int) {
  auto saved = errno;
  ++counted;
  // A full pipe is readable already, which is all that matters.
  [[maybe_unused]] auto n = ::write(write_fd.load(), "!", 1);
  errno = saved;
}

void handle_sigint(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
}

} // namespace

interrupts::interrupts() {
  std::array<int, 2> ends{};
  BATON_CHECK(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == 0,
              "a process can open a pipe");
  read_fd_ = ends[0];
  write_fd = ends[1];
  counted = 0;
  handle_sigint(count_interrupt);
}

interrupts::~interrupts() {
  handle_sigint(SIG_DFL);
  ::close(write_fd.exchange(-1));
  ::close(read_fd_);
}

int interrupts::count() const noexcept {
  return counted.load();
}

bool interrupts::wait_for(int n, std::chrono::milliseconds time) const {
  using clock = std::chrono::steady_clock;
  auto deadline = clock::now() + time;
  while (count() < n) {
    auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - clock::now());
    if (left.count() <= 0)
      return false;
    pollfd watched{read_fd_, POLLIN, 0};
    ::poll(&watched, 1, static_cast<int>(left.count()));
    std::array<char, 64> seen;
    while (count() < n && ::read(read_fd_, seen.data(), seen.size()) > 0) {
    }
  }
  return true;
}

} // namespace baton::cli
