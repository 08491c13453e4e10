// SPDX-License-Identifier: MIT
#include "actors/sandbox/pipe_write.hpp"

#include <cerrno>
#include <csignal>
#include <ctime>

#include <unistd.h>

namespace baton::sandbox {

ssize_t write_to_pipe(int fd, std::string_view bytes) noexcept {
  sigset_t pipe_signal, before;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  auto n = ::write(fd, bytes.data(), bytes.size());
  auto error = errno;
  // Pending now, unless it is ignored; somebody who blocks it wants to see it.
  if (n < 0 && error == EPIPE && sigismember(&before, SIGPIPE) == 0) {
    const timespec at_once{};
    while (::sigtimedwait(&pipe_signal, nullptr, &at_once) < 0
           && errno == EINTR) {
    }
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return n;
}

} // namespace baton::sandbox
