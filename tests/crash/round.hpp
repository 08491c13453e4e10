// SPDX-License-Identifier: MIT
// One round: a world, a load, a series of deaths, and the verdict.
#pragma once

#include "tests/crash/verdict.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace baton::crash_test {

/// One life of a daemon that does not end well.
struct life {
  /// As BATON_CRASH_AT; the load grows until the daemon has died of it.
  std::string crash_at;
  /// When `crash_at` is empty: kill -9 after this; the first life gets ready
  /// before, a later one may die while it starts.
  millis kill_after{0};
};

struct round_plan {
  std::uint64_t seed = 0;
  std::vector<life> lives;
  /// More runs, of more lines.
  bool busy = false;
};

struct round_report {
  round_plan plan;
  std::vector<std::string> wrong;
  /// How many lives ended where they were told to.
  std::size_t crashes = 0;
};

round_report play(const round_plan& plan);

/// Several at a time; in the order of the plans.
std::vector<round_report> play_all(const std::vector<round_plan>& plans);

/// "seed 7, mid_append:3, ..."
std::string to_text(const round_plan& plan);

} // namespace baton::crash_test
