// SPDX-License-Identifier: MIT
// A file descriptor with one owner.
// Threads: value type, moves only.
#pragma once

#include <unistd.h>

#include <utility>

namespace baton::sandbox {

class unique_fd {
public:
  unique_fd() = default;
  explicit unique_fd(int fd) noexcept : fd_(fd) {}
  unique_fd(unique_fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  unique_fd& operator=(unique_fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~unique_fd() { close(); }

  bool ok() const noexcept { return fd_ >= 0; }
  int get() const noexcept { return fd_; }
  int release() noexcept { return std::exchange(fd_, -1); }

  void close() noexcept {
    if (fd_ >= 0)
      ::close(std::exchange(fd_, -1));
  }

private:
  int fd_ = -1;
};

} // namespace baton::sandbox
