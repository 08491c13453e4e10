// SPDX-License-Identifier: MIT
// When a process tree is asked to end, and when it is made to: the shim's
// decisions, without processes and clocks.
//
//   main process ends   the rest may finish by itself for 1.5 s, is then asked
//                       (SIGTERM) and after 2 s made to end (SIGKILL)
//   kill is requested   everything is asked at once, made to end 2 s later; in
//                       a confinement 1.5 s later, so that all is gone in 2 s
//
// Guarantees: a second request moves no deadline back.
// Threads: value type. Times are milliseconds of any one monotonic clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace baton::sandbox {

enum class ending_step : std::uint8_t {
  /// Nothing to do before `next_at()`.
  wait,
  /// Send SIGTERM to the whole tree; said once.
  ask,
  /// Stop and SIGKILL what is there; said until the tree is empty.
  force,
};

class ending_plan {
public:
  using time_ms = std::int64_t;

  static constexpr time_ms never = std::numeric_limits<time_ms>::max();
  static constexpr time_ms grace_ms = 2000;
  /// A child that needs a second more than its parent keeps its output; what
  /// would stay for good still gets half a second to clean up.
  static constexpr time_ms ask_after_ms = 1500;
  /// A confinement ends with its first process, however many live in it: half a
  /// second is much for that.
  static constexpr time_ms confined_grace_ms = 1500;

  /// `kill_grace`: between the request to end and the force.
  explicit ending_plan(time_ms kill_grace = grace_ms)
    : kill_grace_ms_(kill_grace) {}

  void on_main_exit(time_ms now) {
    ask_at_ = std::min(ask_at_, now + ask_after_ms);
    force_at_ = std::min(force_at_, now + grace_ms);
  }

  void on_kill(time_ms now) {
    ask_at_ = std::min(ask_at_, now);
    force_at_ = std::min(force_at_, now + kill_grace_ms_);
  }

  ending_step step(time_ms now) {
    if (now >= force_at_)
      return ending_step::force;
    if (now >= ask_at_ && !asked_) {
      asked_ = true;
      return ending_step::ask;
    }
    return ending_step::wait;
  }

  /// When to call step() again; `never` when only an event can change it.
  time_ms next_at() const { return asked_ ? force_at_ : ask_at_; }

private:
  time_ms kill_grace_ms_;
  time_ms ask_at_ = never;
  time_ms force_at_ = never;
  bool asked_ = false;
};

} // namespace baton::sandbox
