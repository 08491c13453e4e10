// SPDX-License-Identifier: MIT
// baton inside a CAF system of your own: one call gives a coordinator, a
// reader and a node that drives runs.
//
//   caf::actor_system_config config;
//   baton::register_messages(config);
//   caf::actor_system system{config};
//   auto node = baton::node::spawn_node(system, std::move(options));
//   self->request(node->coordinator, 10s, baton::create_run{spec}).then(...);
//   self->request(node->coordinator, 10s, baton::watch_run{id}).then(...);
//
// Guarantees: I1-I8 and I12 for the runs of its store.
// Requires: register_messages() before the system exists; a store nobody else
// writes to.
// See apps/examples/embed for a whole program.
// Threads: three threads of its own unless `detach` is off; everything else
// runs in your scheduler.
// Failure: a store that cannot write ends the process through `on_fatal`.
#pragma once

#include "actors/clock.hpp"
#include "actors/coordinator/claim_coordinator.hpp"
#include "actors/run/lag_board.hpp"
#include "actors/sandbox/provider.hpp"
#include "messages/ids.hpp"
#include "messages/line_framing.hpp"
#include "messages/result.hpp"
#include "storage/store.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace baton::node {

struct node_options {
  node_id node;
  /// Where it serves HTTP; shown to people.
  std::string address;
  /// Nodes with the same label reach each other's local sandboxes.
  std::string host_label;
  std::shared_ptr<storage::store> store;
  std::vector<std::shared_ptr<sandbox::provider>> providers;
  environment env = system_environment();
  coordinator::policy rules;
  /// 1,024 lines a batch: more would keep other runs' commits waiting.
  framing_limits limits{.lines_max = 1024};
  /// Tells the operator what no answer would; called from any thread.
  std::function<void(const std::string&)> warn = [](const std::string&) {};
  coordinator::fatal_handler on_fatal = coordinator::end_process();
  bool detach = true;
};

struct node_handles {
  /// Takes the requests of run_messages.hpp and claim_messages.hpp.
  caf::actor coordinator;
  /// Takes what only reads: read_entries, list_runs, get_run, get_claims.
  caf::actor reader;
  /// Drives the runs that the coordinator gives to this node.
  caf::actor session;
  /// How much the coordinator has done, for any thread to read.
  std::shared_ptr<const coordinator::counter_board> counters;
  /// Of the runs that this node drives.
  std::shared_ptr<const run::lag_board> lag;
};

/// A node without a store: it drives what the coordinator that `dialer` finds
/// gives it, and passes requests on to it.
struct worker_options {
  node_id node;
  std::string address;
  std::string host_label;
  /// Answers dial (cluster/dial.hpp).
  caf::actor dialer;
  /// As in cluster::link_options.
  std::function<void(const status&)> on_change = [](const status&) {};
  std::vector<std::shared_ptr<sandbox::provider>> providers;
  environment env = system_environment();
  framing_limits limits{.lines_max = 1024};
  std::function<void(const std::string&)> warn = [](const std::string&) {};
  bool detach = true;
};

/// The handles' coordinator and reader are a coordinator_link.
node_handles spawn_worker(caf::actor_system& system, worker_options options);

/// Recovers the store's live runs and drives them on.
result<node_handles> spawn_node(caf::actor_system& system,
                                node_options options);

/// Ends the actors in order; agents live on. Call before the system ends.
void stop_node(const node_handles& node);

} // namespace baton::node
