// SPDX-License-Identifier: MIT
// Forgets, once at a node's start, the launch guards that nobody needs any
// more, and tells of sandboxes that no run is known for. See leftover.hpp.
// Threads: an actor; it ends when it is done, or with the host.
// Failure: what could not be asked about stays for the next start.
#pragma once

#include "actors/sandbox/provider.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace baton::node {

/// For `node`, which starts at `now`. Asks `coordinator` about runs; `host` is
/// a sandbox_host; `warn` tells the operator of sandboxes that no run is known
/// for.
caf::behavior
leftover_sweep(caf::event_based_actor* self, const node_id& node, wall_time now,
               const caf::actor& coordinator, const caf::actor& host,
               std::vector<std::shared_ptr<sandbox::provider>> providers,
               std::function<void(const std::string&)> warn);

} // namespace baton::node
