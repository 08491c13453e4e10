// SPDX-License-Identifier: MIT
// May the wall clock be believed? Retention removes by it what cannot be had
// again, and a clock that jumps a month ahead makes everything old. The
// monotonic clock does not jump, so both together show it: the wall clock is
// believed once the two have gone on alike, to a minute, for a probation.
//
//   start -- alike for the probation --> believed
//     ^                                     |
//     `---- they differ by over a minute ---'   either way: told, once
//
// So after each jump, either way, and after each start, before which nothing
// can be known, somebody has a probation to put a wrong clock right. A machine
// that slept looks the same: its monotonic clock stood still.
// Threads: value type.
#pragma once

#include "actors/clock.hpp"

#include <chrono>
#include <optional>

namespace baton::coordinator {

/// What time servers step a clock by, once it is about right, is less.
constexpr std::chrono::minutes wall_jump_min{1};
/// What is kept shorter than that needs no more caution than its own length.
constexpr std::chrono::hours wall_probation_max{1};

class steady_wall {
public:
  enum class verdict : std::uint8_t { believed, on_probation, jumped };

  /// `retain`: for which things are kept by that clock.
  explicit steady_wall(std::chrono::milliseconds retain);

  /// To be asked before each sweep; `jumped` is said once a jump.
  verdict look(instant now);

  std::chrono::milliseconds probation() const { return probation_; }
  /// By how much the wall clock jumped last, forwards if positive.
  std::chrono::milliseconds jump() const { return jump_; }

private:
  std::chrono::milliseconds probation_;
  /// How far the wall clock was ahead of the other when this probation began.
  std::optional<std::chrono::milliseconds> ahead_;
  mono_time since_{};
  std::chrono::milliseconds jump_{0};
};

} // namespace baton::coordinator
