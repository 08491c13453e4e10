// SPDX-License-Identifier: MIT
// Stands between a driver of the user's own and its node, so that the picture
// shows what it sends and what it is told.
// Guarantees: passes everything on, at once and unchanged, under the driver's
// own id: the world's steps are those of a world without it.
// Threads: one.
#pragma once

#include "actors/sim/cluster.hpp"
#include "actors/sim/witness.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include <string>

namespace baton::sim {

struct watched_driver {
  std::string name;
  run_id run;
  life_flag alive;
  witness* judge = nullptr;
};

/// What a driver on `system` takes for `node`.
caf::actor watched_handle(caf::actor_system& system, const caf::actor& node,
                          watched_driver who);

} // namespace baton::sim
