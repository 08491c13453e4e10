// SPDX-License-Identifier: MIT
// One simulated computer: an actor system without threads, and a clock that
// runs as fast as it is told to.
// Guarantees: nothing happens in it but what its owner steps.
// Threads: one.
#pragma once

#include "actors/clock.hpp"
#include "actors/sim/seeded.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace baton::sim {

/// True time of a world, from its begin.
using world_time = std::chrono::nanoseconds;

class machine {
public:
  /// `life` differs from that of every other machine of the world.
  machine(std::uint64_t life, world_time born);
  ~machine();

  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  caf::actor_system& system() { return system_; }
  std::uint64_t life() const { return life_; }

  /// Ends the actor with the machine.
  caf::actor own(caf::actor x);

  // -- time -------------------------------------------------------------------

  /// From `now` on the clock gains that many parts in a million.
  void drift(world_time now, std::int64_t ppm);

  /// Sets the clock; call before anything runs at that time.
  void at(world_time now);

  /// What its clock shows.
  mono_time clock() { return scheduler_.clock().now(); }

  /// When its next timer fires, in true time.
  std::optional<world_time> next_timer();

  void fire_timer() { scheduler_.trigger_timeout(); }

  // -- steps ------------------------------------------------------------------

  /// Actors that have mail and may run.
  std::size_t ready() const { return scheduler_.jobs.size(); }

  /// The id of the ready actor with that number; 0: it has none.
  caf::actor_id who(std::size_t which) const;

  /// What it would do first; nullptr: not known.
  const caf::mailbox_element* next_mail(std::size_t which) const;

  /// One message of it, unless it is held.
  void run(std::size_t which);

  /// The actor that runs now.
  caf::actor_id running() const { return running_; }

  /// Keeps an actor from running until release().
  void hold(caf::actor_id who) { held_.try_emplace(who, nullptr); }
  void release(caf::actor_id who);

private:
  static caf::actor_system_config& configure(caf::actor_system_config& config);
  std::size_t drain();
  mono_time local(world_time now) const;

  std::uint64_t life_;
  /// The clock showed local_base_ at true time true_base_.
  world_time true_base_;
  mono_time local_base_;
  std::int64_t ppm_ = 0;
  caf::actor_system_config config_;
  caf::actor_system system_;
  caf::scheduler::test_coordinator& scheduler_;
  std::vector<caf::actor> owned_;
  /// Held actors, with the job that waits, if any.
  std::map<caf::actor_id, caf::resumable*> held_;
  caf::actor_id running_ = 0;
};

} // namespace baton::sim
