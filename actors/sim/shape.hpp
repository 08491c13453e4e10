// SPDX-License-Identifier: MIT
// What a world is made of: everything that is decided before it begins.
// Guarantees: drawn from the seed alone, so that a seed is a world.
// Threads: value types.
#pragma once

#include "actors/sim/faults.hpp"
#include "actors/sim/network.hpp"
#include "messages/ids.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace baton::sim {

enum class engine : std::uint8_t {
  /// storage::memory_store.
  memory,
  /// storage::rocksdb_store on a file system that loses what is not synced.
  rocksdb,
};

/// What was asked for; the rest is drawn.
struct shape_wishes {
  std::size_t nodes = 3;
  std::size_t runs = 4;
  /// Nothing: a subset of all that the seed draws.
  std::optional<std::vector<fault_kind>> faults;
  engine store = engine::memory;
  /// Whether some of the runs are driven from outside.
  bool external_runs = true;
};

struct planned_run {
  run_id id;
  bool external = false;
  world_time created{};
  /// Entries at which an external run's drivers end it.
  std::uint64_t entries = 0;
  std::size_t drivers = 0;
};

struct planned_viewer {
  std::size_t run = 0;
  std::size_t node = 0;
  world_time comes{};
};

struct shape {
  std::uint64_t seed = 0;
  std::size_t nodes = 3;
  engine store = engine::memory;
  std::vector<planned_run> runs;
  std::vector<planned_viewer> viewers;
  network::delays delays;
  std::chrono::milliseconds lease{2'000};
  std::chrono::milliseconds sweep_interval{30'000};
  std::chrono::milliseconds detached_ttl{30 * 60'000};
  /// Of that many reads and probes one fails; 0: none.
  std::uint64_t provider_fails_in = 0;
  /// A ready actor is kept waiting with this chance, in a thousand.
  std::uint64_t sluggish = 0;
  std::vector<fault_kind> kinds;
  std::vector<planned_fault> plan;
  /// Then everything is healed.
  world_time horizon = std::chrono::seconds{60};
};

shape draw_shape(std::uint64_t seed, const shape_wishes& wishes);

/// One line for people.
std::string to_string(const shape& x);

} // namespace baton::sim
