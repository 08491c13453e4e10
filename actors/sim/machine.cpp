// SPDX-License-Identifier: MIT
#include "actors/sim/machine.hpp"

#include "messages/caf_types.hpp"

#include <caf/local_actor.hpp>
#include <caf/send.hpp>

#include <algorithm>

namespace baton::sim {
namespace {

constexpr std::int64_t million = 1'000'000;

/// Where a machine's clock begins: any number, but not 0.
constexpr mono_time first_local{std::chrono::hours{1}};

} // namespace

machine::machine(std::uint64_t life, world_time born)
  : life_(life),
    true_base_(born),
    local_base_(first_local),
    system_(configure(config_)),
    scheduler_(
      dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler())) {
  // The destructor must not wait: nobody would run the actors meanwhile.
  system_.await_actors_before_shutdown(false);
  scheduler_.clock().current_time = first_local;
  drain();
}

machine::~machine() {
  for (auto [who, job] : std::exchange(held_, {}))
    if (job != nullptr)
      scheduler_.jobs.push_back(job);
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

caf::actor_system_config& machine::configure(caf::actor_system_config& config) {
  config.set("scheduler.policy", caf::atom("testing"));
  config.set("logger.inline-output", true);
  register_messages(config);
  return config;
}

std::size_t machine::drain() {
  return scheduler_.run(100'000);
}

caf::actor machine::own(caf::actor x) {
  owned_.push_back(x);
  return x;
}

// -- time ---------------------------------------------------------------------

mono_time machine::local(world_time now) const {
  auto passed = (now - true_base_).count();
  return local_base_
         + mono_time::duration{passed + passed / million * ppm_
                               + passed % million * ppm_ / million};
}

void machine::drift(world_time now, std::int64_t ppm) {
  local_base_ = local(now);
  true_base_ = now;
  ppm_ = ppm;
}

void machine::at(world_time now) {
  auto& clock = scheduler_.clock();
  clock.current_time = std::max(clock.current_time, local(now));
}

std::optional<world_time> machine::next_timer() {
  const auto& all = scheduler_.clock().schedule();
  if (all.empty())
    return std::nullopt;
  auto left =
    std::max<std::int64_t>((all.begin()->first - local_base_).count(), 0);
  auto rate = million + ppm_;
  return true_base_
         + world_time{left / rate * million
                      + (left % rate * million + rate - 1) / rate};
}

// -- steps --------------------------------------------------------------------

caf::actor_id machine::who(std::size_t which) const {
  auto* x = dynamic_cast<caf::local_actor*>(scheduler_.jobs[which]);
  return x == nullptr ? 0 : x->id();
}

const caf::mailbox_element* machine::next_mail(std::size_t which) const {
  auto* x = dynamic_cast<caf::local_actor*>(scheduler_.jobs[which]);
  return x == nullptr ? nullptr : x->peek_at_next_mailbox_element();
}

void machine::run(std::size_t which) {
  auto& jobs = scheduler_.jobs;
  running_ = who(which);
  std::swap(jobs.front(), jobs[which]);
  if (auto held = held_.find(running_); held != held_.end()) {
    held->second = jobs.front();
    jobs.pop_front();
    return;
  }
  scheduler_.try_run_once();
}

void machine::release(caf::actor_id who) {
  auto i = held_.find(who);
  if (i == held_.end())
    return;
  if (i->second != nullptr)
    scheduler_.jobs.push_back(i->second);
  held_.erase(i);
}

} // namespace baton::sim
