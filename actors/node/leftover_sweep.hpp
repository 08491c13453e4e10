// SPDX-License-Identifier: MIT
// Clears away, once at a node's start, what runs that have ended left in the
// node's sandboxes. See leftover.hpp for what that is.
// Threads: an actor; it ends when it is done, or with the host.
// Failure: what could not be asked about or removed stays for the next start.
#pragma once

#include "actors/sandbox/provider.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace baton::node {

/// Asks `coordinator` about runs; `host` is a sandbox_host; `warn` tells the
/// operator of sandboxes that no run is known for.
caf::behavior
leftover_sweep(caf::event_based_actor* self, const caf::actor& coordinator,
               const caf::actor& host,
               std::vector<std::shared_ptr<sandbox::provider>> providers,
               std::function<void(const std::string&)> warn);

} // namespace baton::node
