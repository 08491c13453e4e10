// SPDX-License-Identifier: MIT
// Serves one run's log to its live viewers and counts them.
//
// Guarantees: from cursor c a viewer gets c+1, c+2, ... (I8), because every
// request names its cursor: near the end the ring answers, further back the
// reader does, and both know only durable entries. A viewer that does not ask
// costs one address.
// Threads: an actor. Lives as long as somebody holds it, and while the run goes
// on no longer than its coordinator.
// Failure: a viewer's death is a viewer less.
#pragma once

#include "messages/view_messages.hpp"

#include <caf/actor.hpp>
#include <caf/atom.hpp>
#include <caf/fwd.hpp>

namespace baton::channel {

/// To a channel, with the node's id: that node is lost, and nobody on it counts
/// any more until it asks again. Its connection may still stand.
using node_lost_atom = caf::atom_constant<caf::atom("node_lost")>;

/// Answers next_entries and leave_channel; takes log_grew and record_changed
/// from the coordinator. `run` is durable; growth follows its last entry.
caf::behavior channel_actor(caf::event_based_actor* self,
                            caf::actor coordinator, caf::actor reader,
                            const run_view& run);

} // namespace baton::channel
