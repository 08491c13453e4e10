// SPDX-License-Identifier: MIT
// Where a command writes, and what is at the other end.
// Requires: SIGPIPE is ignored, so that a reader who leaves is an answer of
//   write() and not the end of the process.
#pragma once

#include "apps/settings/default_paths.hpp"

#include <cstddef>
#include <string_view>

namespace baton::cli {

/// What a person sees on this descriptor.
struct terminal {
  bool is_tty = false;
  /// A terminal, and neither NO_COLOR nor TERM=dumb.
  bool has_colour = false;
  std::size_t columns = 80;
};

terminal look_at(int fd, const env_variables& env);

/// Unbuffered: what was written is seen.
class output {
public:
  explicit output(int fd) : fd_(fd) {}

  /// Everything, or false once the reader is gone or the disk is full.
  bool write(std::string_view bytes);

  /// The reader closed its end: not an error of ours.
  bool is_reader_gone() const noexcept { return is_reader_gone_; }
  /// errno of another failed write, else 0.
  int error() const noexcept { return error_; }

private:
  int fd_;
  bool is_reader_gone_ = false;
  int error_ = 0;
};

} // namespace baton::cli
