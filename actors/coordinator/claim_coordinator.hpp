// SPDX-License-Identifier: MIT
// The actor that owns a store's claims: everything in run_messages.hpp,
// claim_messages.hpp and watch_run is asked of it.
//
// Guarantees: I1, I4, I6 through claim_table and the committer; requests that
// wait while a batch is being synced share the next sync (group commit).
// Requires: it is the only writer of its store.
// Threads: an actor. Under the test coordinator nothing is detached.
// Failure: fail-stop with its committer; a restart on the same store recovers.
#pragma once

#include "actors/clock.hpp"
#include "actors/coordinator/claim_table.hpp"
#include "actors/coordinator/committer.hpp"
#include "actors/coordinator/counters.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <functional>
#include <memory>
#include <string>

namespace baton::coordinator {

struct coordinator_options {
  std::shared_ptr<storage::store> store;
  environment env;
  policy rules;
  fatal_handler on_fatal = end_process();
  /// Tells the operator what no answer would.
  std::function<void(const std::string&)> warn = [](const std::string&) {};
  /// Give committer and reader threads of their own.
  bool detach = true;
};

struct coordinator_handles {
  caf::actor coordinator;
  /// Reads what is durable (reader.hpp).
  caf::actor reader;
  /// How much it has done, for any thread to read.
  std::shared_ptr<const counter_board> counters;
};

/// Quarantines what is corrupt, takes over what is live, and starts.
result<coordinator_handles> spawn_coordinator(caf::actor_system& system,
                                              coordinator_options options);

} // namespace baton::coordinator
