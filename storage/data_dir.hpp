// SPDX-License-Identifier: MIT
// A node's data directory: created private, stamped with its format, and in
// use by one process at a time.
//
// Guarantees: while a data_dir lives, no other process holds one on the same
// directory; the lock is the kernel's, so a killed process leaves none behind.
// Nothing is written into a directory that is not baton's.
// Threads: value type, movable; open() from any thread.
// Failure: errc::in_use names the process; errc::foreign_data says what was
// found; errc::io_failed.
#pragma once

#include "messages/result.hpp"

#include <string>

namespace baton::storage {

/// Where whoever starts a daemon in the background sends what it prints. The
/// one file that may lie in a directory before it is ours.
constexpr const char* daemon_log_file = "batond.log";

class data_dir {
public:
  /// Creates the directory when it is missing, or when it is empty.
  static result<data_dir> open(const std::string& given);

  data_dir(data_dir&& other) noexcept;
  data_dir& operator=(data_dir&& other) noexcept;
  ~data_dir();

  const std::string& path() const noexcept { return path_; }
  /// Where the database lives.
  std::string store_path() const { return path_ + "/store"; }

private:
  data_dir(std::string path, int lock_fd)
    : path_(std::move(path)), lock_fd_(lock_fd) {}

  std::string path_;
  /// Open for as long as the directory is ours; -1 after a move.
  int lock_fd_ = -1;
};

} // namespace baton::storage
