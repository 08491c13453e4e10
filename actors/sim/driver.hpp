// SPDX-License-Identifier: MIT
// An external driver: claims a run, appends, renews, gives back, ends it, and
// repeats what was not answered. Several race for one run.
// Guarantees: keeps to the contract for drivers; its lines name the epoch they
// were written under.
// Threads: an actor.
#pragma once

#include "actors/clock.hpp"
#include "actors/sim/history/operation.hpp"
#include "actors/sim/people.hpp"
#include "actors/sim/seeded.hpp"

#include <vector>

namespace baton::sim {

/// Where a driver is: what a user's own driver gets, too.
struct driver_site {
  /// Takes claim_run, append_lines, renew_claim, release_claim, finish_run.
  caf::actor coordinator;
  run_id run;
  /// What it calls itself as holder.
  std::string name;
  /// Calendar time and randomness of the world.
  environment env;
  /// What it is to deliver, if the world has it.
  std::string source;
};

/// All operations on a run, in the order of their requests.
struct run_history {
  std::vector<history::operation> all;
  /// One clock for all clients: counts requests and answers.
  std::int64_t ticks = 0;

  /// A request goes out; its place in `all`.
  std::size_t begin(history::verb what, int client, const std::string& node,
                    epoch held);
  /// Its answer is there.
  void end(std::size_t operation, history::outcome what);
};

struct driver_options {
  driver_site site;
  life_flag alive;
  witness* judge = nullptr;
  std::shared_ptr<run_history> heard;
  seeded random{0};
  int client = 0;
  /// It ends the run behind this entry.
  std::uint64_t entries = 20;
  /// While true it steals what it finds held.
  std::shared_ptr<const bool> greedy;
};

caf::behavior driver(caf::event_based_actor* self,
                     const driver_options& options);

/// As histories name what a driver was told.
history::outcome outcome_of(errc code) noexcept;

} // namespace baton::sim
