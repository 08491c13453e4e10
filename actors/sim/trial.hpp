// SPDX-License-Identifier: MIT
// One seed from begin to end, and what came of it; a failing one made small.
// Guarantees: the same arguments give the same outcome, hash included.
// Threads: one.
#pragma once

#include "actors/sim/shape.hpp"
#include "actors/sim/trace.hpp"
#include "actors/sim/witness.hpp"
#include "actors/sim/world.hpp"

#include <optional>
#include <string>

namespace baton::sim {

struct outcome {
  shape what;
  std::optional<violation> broken;
  trace story;
  std::uint64_t hash = 0;
  std::size_t steps = 0;
  world_time length{};
  /// By `steps_max`, before its end, which was not judged.
  bool is_cut = false;
};

/// More steps than any world takes that comes to its end: fifty times the
/// usual. Whether runs end is judged only with so many; a world that takes them
/// all breaks I9, and is told as one that does not get on.
constexpr std::size_t steps_enough = 500'000;

outcome run_trial(shape what, const additions& more = {},
                  std::size_t steps_max = steps_enough);

/// The same seed with as few of its faults as still break the same invariant
/// (delta debugging). Requires: `failed` is broken.
outcome shrink(const outcome& failed, const additions& more = {},
               std::size_t steps_max = steps_enough);

/// What led to the violation: a line for each event that decides something,
/// and one for all appends, commits, answers and reads between two of them; of
/// all runs when it is no run's.
std::string history_of(const outcome& failed);

std::string to_hex(std::uint64_t hash);

} // namespace baton::sim
