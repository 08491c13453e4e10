// SPDX-License-Identifier: MIT
// The coordinator as a worker sees it: one local actor, always there, that
// takes whatever a coordinator takes and passes it to the real one.
//
//   gateway, viewers --requests--> link ==one connection==> coordinator
//   run actors ------sends------->      <==answers, orders==
//
// Guarantees: nothing waits for ever: while the coordinator is away requests
// get errc::unavailable at once, and those it had get errc::outcome_unknown;
// what drivers send is dropped, because they repeat it, and are told when
// repeating is worth while; a watched run is subscribed once, however many
// watch it here (channel_feed.hpp).
// Requires: a dialer that answers `dial` (dial.hpp); one node_session, which
// says node_hello whenever it gets hello_again.
// Threads: an actor. Knows the network only as actors, so that the simulator
// can stand between.
// Failure: a coordinator that says nothing for one lease counts as lost and is
// dialled again; so does one whose connection ends.
#pragma once

#include "messages/result.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <functional>

namespace baton::cluster {

struct link_options {
  /// Answers dial with greeted.
  caf::actor dialer;
  /// ok: joined. errc::unavailable: no coordinator right now. Anything else:
  /// it refuses us, and why. Called on the actor's thread.
  std::function<void(const status&)> on_change = [](const status&) {};
};

caf::actor spawn_coordinator_link(caf::actor_system& system,
                                  link_options options);

} // namespace baton::cluster
