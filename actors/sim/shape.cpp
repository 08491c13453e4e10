// SPDX-License-Identifier: MIT
#include "actors/sim/shape.hpp"

namespace baton::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

network::delays draw_delays(seeded& random) {
  switch (random.below(4)) {
  case 0: // Far apart.
    return {milliseconds{10}, milliseconds{random.between(20, 200)}};
  case 1: // Sometimes very slow.
    return {microseconds{100}, milliseconds{random.between(5, 60)}};
  default:
    return {microseconds{100}, microseconds{random.between(200, 2'000)}};
  }
}

std::vector<fault_kind> draw_kinds(seeded& random) {
  std::vector<fault_kind> out;
  for (std::size_t i = 0; i < fault_kinds; ++i)
    if (random.one_in(3))
      out.push_back(static_cast<fault_kind>(i));
  if (out.empty())
    out.push_back(static_cast<fault_kind>(random.below(fault_kinds)));
  return out;
}

planned_run draw_run(seeded& random, std::size_t n, bool may_be_external,
                     world_time horizon) {
  planned_run x;
  x.id = run_id{"r" + std::to_string(n)};
  x.external = may_be_external && random.one_in(3);
  x.created = milliseconds{random.below(static_cast<std::uint64_t>(
    std::chrono::duration_cast<milliseconds>(horizon / 4).count()))};
  x.entries = random.between(3, 30);
  x.drivers = static_cast<std::size_t>(random.between(1, 3));
  return x;
}

} // namespace

shape draw_shape(std::uint64_t seed, const shape_wishes& wishes) {
  seeded random{seed};
  shape x;
  x.seed = seed;
  x.nodes = wishes.nodes;
  x.store = wishes.store;
  x.delays = draw_delays(random);
  x.lease = milliseconds{random.between(800, 4'000)};
  if (random.one_in(3))
    x.provider_fails_in = random.between(10, 100);
  if (random.one_in(3))
    x.sluggish = random.between(1, 10);
  x.kinds = draw_kinds(random);
  if (wishes.faults)
    x.kinds = *wishes.faults;
  auto busy = x.horizon * 3 / 4;
  x.plan = draw_plan(random, x.kinds,
                     static_cast<std::size_t>(random.between(3, 14)), busy);
  for (std::size_t i = 0; i < wishes.runs; ++i)
    x.runs.push_back(draw_run(random, i + 1, wishes.external_runs, x.horizon));
  auto viewers = x.runs.empty() ? 0 : random.below(2 * x.runs.size() + 1);
  for (std::uint64_t i = 0; i < viewers; ++i)
    x.viewers.push_back({static_cast<std::size_t>(random.below(x.runs.size())),
                         static_cast<std::size_t>(random.below(x.nodes)),
                         milliseconds{random.below(30'000)}});
  return x;
}

std::string to_string(const shape& x) {
  auto us = [](world_time t) {
    return std::to_string(std::chrono::duration_cast<microseconds>(t).count());
  };
  std::string kinds;
  for (auto k : x.kinds)
    kinds += (kinds.empty() ? "" : ",") + std::string{to_string(k)};
  std::size_t external = 0;
  for (const auto& run : x.runs)
    external += run.external ? 1 : 0;
  return "nodes=" + std::to_string(x.nodes)
         + " runs=" + std::to_string(x.runs.size())
         + " external=" + std::to_string(external)
         + " viewers=" + std::to_string(x.viewers.size())
         + " store=" + (x.store == engine::memory ? "memory" : "rocksdb")
         + " lease_ms=" + std::to_string(x.lease.count())
         + " delay_us=" + us(x.delays.min) + ".." + us(x.delays.max)
         + " provider_fails_in=" + std::to_string(x.provider_fails_in)
         + " sluggish=" + std::to_string(x.sluggish)
         + " faults=" + std::to_string(x.plan.size()) + " of " + kinds;
}

} // namespace baton::sim
