// SPDX-License-Identifier: MIT
// Ctrl-C as something to wait for instead of an end.
// Requires: one instance at a time, on the main thread.
#pragma once

#include <chrono>

namespace baton::cli {

class interrupts {
public:
  /// From here on SIGINT is counted.
  interrupts();
  /// SIGINT ends the process again.
  ~interrupts();
  interrupts(const interrupts&) = delete;
  interrupts& operator=(const interrupts&) = delete;

  /// Readable after the first one, until wait_for has seen it.
  int fd() const noexcept { return read_fd_; }

  /// Since construction.
  int count() const noexcept;

  /// Until count() is at least `n`; false when the time is over before.
  bool wait_for(int n, std::chrono::milliseconds time) const;

private:
  int read_fd_ = -1;
};

} // namespace baton::cli
