// SPDX-License-Identifier: MIT
// A node's presence in the cluster: offers the node to the coordinator and
// turns its orders into run actors.
// Guarantees: at most one run actor a run on this node, the one of the newest
// order.
// Threads: an actor.
// Failure: ends with its coordinator; the agents live on.
#pragma once

#include "actors/clock.hpp"
#include "actors/run/lag_board.hpp"
#include "actors/sandbox/provider.hpp"
#include "messages/claim_messages.hpp"
#include "messages/line_framing.hpp"

#include <caf/actor.hpp>
#include <caf/atom.hpp>
#include <caf/fwd.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace baton::node {

struct session_options {
  caf::actor coordinator;
  node_id node;
  std::string host_label;
  /// `coordinator` or `worker`, and where it serves HTTP: for people.
  std::string role = "coordinator";
  std::string address;
  std::vector<std::shared_ptr<sandbox::provider>> providers;
  environment env;
  framing_limits limits;
  std::shared_ptr<run::lag_board> lag;
  /// Tells the operator what no answer would.
  std::function<void(const std::string&)> warn = [](const std::string&) {};
  /// Give the sandbox host a thread of its own.
  bool detach = true;
};

/// To a session: hand the runs over -> node_left.
using leave_atom = caf::atom_constant<caf::atom("leave")>;

caf::behavior node_session(caf::event_based_actor* self,
                           const session_options& options);

} // namespace baton::node
