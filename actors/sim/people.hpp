// SPDX-License-Identifier: MIT
// Those who use a cluster: viewers, who come back after each error with the
// cursor they had, and persons, who ask until they are told.
// Threads: actors of one world.
#pragma once

#include "actors/sim/cluster.hpp"
#include "actors/sim/witness.hpp"
#include "messages/caf_types.hpp"

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>

#include <functional>
#include <memory>
#include <string>

namespace baton::sim {

/// What a viewer has seen; outlives its connections.
struct viewing {
  std::string name;
  run_id run;
  seq cursor;
  bool ended = false;
  /// The run is not there (any more).
  bool gone = false;
  std::uint32_t page = 2;
};

struct viewer_site {
  caf::actor coordinator;
  life_flag alive;
  witness* judge = nullptr;
};

caf::behavior viewer(caf::event_based_actor* self, const viewer_site& where,
                     const std::shared_ptr<viewing>& what);

/// Asks once; tells of the answer unless the machine died meanwhile.
template <class Answer, class Request>
void ask_at(caf::actor_system& system, const caf::actor& whom,
            const life_flag& alive, Request x,
            std::function<void(result<Answer>)> tell) {
  system.spawn([=](caf::event_based_actor* self) {
    self->request(whom, caf::duration{std::chrono::seconds{6}}, x)
      .then(
        [=](Answer& y) {
          if (*alive)
            tell(std::move(y));
        },
        [=](const caf::error& why) {
          if (*alive)
            tell(to_status(why));
        });
  });
}

} // namespace baton::sim
