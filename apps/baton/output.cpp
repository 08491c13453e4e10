// SPDX-License-Identifier: MIT
#include "apps/baton/output.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

namespace baton::cli {

terminal look_at(int fd, const env_variables& env) {
  terminal x;
  x.is_tty = ::isatty(fd) == 1;
  // https://no-color.org: present and not empty.
  x.has_colour = x.is_tty && value_of(env, "NO_COLOR").empty()
                 && value_of(env, "TERM") != "dumb";
  winsize size{};
  if (x.is_tty && ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    x.columns = size.ws_col;
  return x;
}

bool output::write(std::string_view bytes) {
  while (!bytes.empty() && !is_reader_gone_ && error_ == 0) {
    auto n = ::write(fd_, bytes.data(), bytes.size());
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EPIPE) {
      is_reader_gone_ = true;
    } else if (errno == EAGAIN) {
      // Someone else made our end non-blocking; wait as if it were not.
      pollfd room{fd_, POLLOUT, 0};
      ::poll(&room, 1, -1);
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  return bytes.empty();
}

} // namespace baton::cli
