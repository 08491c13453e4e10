// SPDX-License-Identifier: MIT
// Keeps a channel on this node supplied from the run's channel on the
// coordinator: one subscription, whatever the number of viewers here.
// Guarantees: the local channel gets c+1, c+2, ... from where it began,
// whatever reconnects lie between (I8): the feed's cursor outlives them.
// Threads: an actor; ends with the run, or when told to.
// Failure: a lost coordinator is asked again until it is back; a run that is
// gone ends the local channel.
#pragma once

#include "messages/view_messages.hpp"

#include <caf/actor.hpp>
#include <caf/atom.hpp>
#include <caf/fwd.hpp>

namespace baton::cluster {

/// To a coordinator_link, with a run_id -> channel_opened with the
/// coordinator's own channel.
using open_remote_atom = caf::atom_constant<caf::atom("openremote")>;

struct feed_options {
  /// Where the local channel is.
  node_id node;
  run_id run;
  /// The local channel begins behind it.
  seq after;
};

/// `from` is the coordinator's channel, `to` the local one. Takes
/// count_viewers.
caf::behavior channel_feed(caf::event_based_actor* self, caf::actor link,
                           caf::actor from, caf::actor to,
                           const feed_options& what);

} // namespace baton::cluster
