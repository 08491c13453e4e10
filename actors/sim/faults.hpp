// SPDX-License-Identifier: MIT
// What goes wrong in a world, and when: a plan that is drawn from the seed
// before anything runs, so that any part of it can be left out and the rest
// stays.
// Threads: value types.
#pragma once

#include "actors/sim/agenda.hpp"
#include "actors/sim/seeded.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace baton::sim {

enum class fault_kind : std::uint8_t {
  /// A worker is gone, with everything in its memory; a new life comes later.
  kill_node,
  /// A node stands still, and goes on as if nothing had been.
  pause_node,
  /// Nothing goes between a worker and the coordinator.
  cut,
  /// Nothing goes one way.
  one_way_cut,
  /// The coordinator is gone; what was not synced may be lost.
  kill_coordinator,
  /// Each write takes long.
  slow_disk,
  /// Launches on a node take effect late, and are not known to.
  late_launch,
  /// A worker's words arrive when its claim is long gone.
  late_append,
  /// A node's clocks run too fast or too slow, and its calendar jumps.
  clock_drift,
  /// An agent is killed.
  agent_kill,
  /// An agent dies, and whoever would have told of it, too.
  shim_kill,
  /// Viewers leave and come back, elsewhere.
  viewer_storm,
  /// Runs are cancelled, from everywhere at once.
  cancel_storm,
  /// Runs and claims are taken over, from everywhere at once.
  steal_storm,
  /// Runs that nobody watches expire soon, the reaper sweeps often, and persons
  /// ask for sweeps besides.
  sweep_storm,
};

inline constexpr std::size_t fault_kinds = 15;

// How stories name what begins or ends without a kind of its own.
inline constexpr std::string_view gone_for_good = "is gone for good";
inline constexpr std::string_view restarted = "restarted";
inline constexpr std::string_view all_whole = "everything is whole again";

std::string_view to_string(fault_kind x) noexcept;
std::optional<fault_kind> fault_from_string(std::string_view name) noexcept;
/// For people: all names, with commas.
std::string fault_names();

struct planned_fault {
  fault_kind kind = fault_kind::kill_node;
  world_time at{};
  world_time length{};
  /// Modulo the number of nodes, or of workers.
  std::uint64_t node = 0;
  /// Modulo the number of runs.
  std::uint64_t run = 0;
  /// Whatever else there is to decide.
  std::uint64_t detail = 0;
};

/// With how long it lasts, where the plan says that.
std::string to_string(const planned_fault& x);

/// After it nodes may rightly be taken for lost.
bool parts_nodes(fault_kind x) noexcept;

/// A kill_coordinator that waits for the coordinator's next commit.
bool strikes_in_commit(const planned_fault& x) noexcept;

/// A launch that is not known to within 5 s counts as failed soon.
inline constexpr world_time late_launch_max = std::chrono::seconds{5};

/// That many faults of these kinds within `span`, in order of time.
std::vector<planned_fault> draw_plan(seeded& random,
                                     const std::vector<fault_kind>& kinds,
                                     std::size_t count, world_time span);

} // namespace baton::sim
