// SPDX-License-Identifier: MIT
// The first words between two nodes, before either knows which baton the other
// is. These two messages never change; everything else may, with the protocol
// number.
#pragma once

#include "messages/ids.hpp"
#include "messages/run_messages.hpp"

#include <caf/actor.hpp>

#include <cstdint>
#include <string>

namespace baton {

/// Counts the incompatible changes of the messages between nodes.
constexpr std::uint32_t cluster_protocol = 1;

/// To whoever answers at a cluster port -> greeted.
struct greeting {
  std::uint32_t protocol = cluster_protocol;
};
struct greeted {
  std::uint32_t protocol = cluster_protocol;
  /// `coordinator` or `worker`.
  std::string role;
  node_id node;
  /// Names the cluster for good; made with the coordinator's data directory.
  std::string cluster;
  /// Null when the protocols differ or this is no coordinator.
  caf::actor coordinator;
};

BATON_INSPECT(greeting, x.protocol)
BATON_INSPECT(greeted, x.protocol, x.role, x.node, x.cluster, x.coordinator)

} // namespace baton
