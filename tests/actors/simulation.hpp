// SPDX-License-Identifier: MIT
// An actor system without threads: a seed chooses which actor runs next, and
// time passes only when nobody has anything to do.
// Guarantees: the same seed gives the same schedule.
// Requires: every actor that spawned here ends when asked to, or by stop().
// Threads: one.
#pragma once

#include "actors/clock.hpp"
#include "messages/caf_types.hpp"
#include "tests/messages/seeded.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace baton::test {

class simulation {
public:
  explicit simulation(std::uint64_t seed)
    : random(seed),
      system(configure(config_)),
      scheduler_(
        dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler())) {
    // The destructor must not wait: nobody would run the actors meanwhile.
    system.await_actors_before_shutdown(false);
    drain();
  }

  ~simulation() {
    for (auto& x : owned_)
      caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
    owned_.clear();
    // Timers hold their actors, and the scheduler's own end would fire them.
    for (int i = 0; i < 100; ++i) {
      scheduler_.clock().cancel_all();
      if (drain() == 0)
        break;
    }
    scheduler_.clock().cancel_all();
  }

  simulation(const simulation&) = delete;
  simulation& operator=(const simulation&) = delete;

  /// Ends the actor with the simulation.
  caf::actor own(caf::actor x) {
    owned_.push_back(x);
    return x;
  }

  /// One turn of the world outside, if there is anything to do there.
  std::function<bool()> outside = [] { return false; };

  /// One message of one actor, one turn of the outside, or the next timer;
  /// false when there is none of them.
  bool step() {
    auto ready = scheduler_.jobs.size();
    if ((ready == 0 || random.below(4) == 0) && outside())
      return true;
    if (ready == 0)
      return scheduler_.trigger_timeout();
    std::swap(scheduler_.jobs.front(), scheduler_.jobs[random.below(ready)]);
    return scheduler_.try_run_once();
  }

  /// One message of one actor, in order; time stands still.
  bool run_one() { return scheduler_.try_run_once(); }

  bool run_until(const std::function<bool()>& done,
                 std::size_t steps_max = 200'000) {
    for (std::size_t i = 0; i < steps_max; ++i) {
      if (done())
        return true;
      if (!step())
        return done();
    }
    return false;
  }

  /// Asks and runs until the answer is there.
  template <class Answer, class Request>
  result<Answer> ask(const caf::actor& whom, Request x) {
    auto answer = std::make_shared<std::optional<result<Answer>>>();
    own(system.spawn([=](caf::event_based_actor* self) {
      self->request(whom, std::chrono::seconds{60}, x)
        .then([=](Answer& y) { answer->emplace(std::move(y)); },
              [=](const caf::error& why) { answer->emplace(to_status(why)); });
    }));
    if (!run_until([&] { return answer->has_value(); }))
      return {errc::timed_out, "the simulation has nothing left to do"};
    return **answer;
  }

  mono_time now() { return scheduler_.clock().now(); }

  seeded random;

private:
  static caf::actor_system_config& configure(caf::actor_system_config& config) {
    config.set("scheduler.policy", caf::atom("testing"));
    config.set("logger.inline-output", true);
    register_messages(config);
    return config;
  }

  std::size_t drain() { return scheduler_.run(100'000); }

  caf::actor_system_config config_;

public:
  caf::actor_system system;

private:
  caf::scheduler::test_coordinator& scheduler_;
  std::vector<caf::actor> owned_;
};

} // namespace baton::test
