// SPDX-License-Identifier: MIT
// A node by its settings: a coordinator with its store and cluster port, or a
// worker with the way to one.
// Guarantees: no run is touched before everything that another process may
// hold (store, cluster port) is ours.
// Threads: call from one thread.
// Failure: one line that says what to do; nothing runs on.
#pragma once

#include "actors/node/node.hpp"
#include "apps/batond/membership.hpp"
#include "apps/settings/settings.hpp"
#include "storage/data_dir.hpp"

#include <memory>
#include <string>

namespace baton {

struct started_node {
  node_id id;
  node::node_handles handles;
  /// Answers at the cluster port; null without one.
  caf::actor door_keeper;
  /// For the ready line: where the cluster port is, or `none`.
  std::string cluster_address = "none";
  std::shared_ptr<membership> joined = std::make_shared<membership>();
};

/// Ends its actors; those that a network knows would keep the system alive.
void stop_node(started_node& node);

/// `http` is where the node serves HTTP, for people. A worker is started when
/// this returns, and joins when it can: see `joined`.
result<started_node> start_node(caf::actor_system& system,
                                const settings& given,
                                const storage::data_dir& dir,
                                const std::string& http);

} // namespace baton
