// SPDX-License-Identifier: MIT
// When a journal without a byte in it is given up (B10): once nothing has
// proved for 10 s that somebody lives who could write one. A live agent may
// think as long as it likes, and a journal that has begun is never cut.
// Threads: value type.
#pragma once

#include "actors/clock.hpp"

#include <optional>

namespace baton::journal {

constexpr std::chrono::seconds first_byte_timeout{10};

class first_byte {
public:
  /// There is a byte, here or before the place where reading began.
  void came() { came_ = true; }

  void writer_lives() { doubtful_since_.reset(); }

  /// Nobody could say whether the writer lives. True: give it up.
  bool is_stalled(mono_time now) {
    if (came_)
      return false;
    if (!doubtful_since_)
      doubtful_since_ = now;
    return now - *doubtful_since_ >= first_byte_timeout;
  }

private:
  bool came_ = false;
  std::optional<mono_time> doubtful_since_;
};

} // namespace baton::journal
