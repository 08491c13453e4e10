// SPDX-License-Identifier: MIT
#include "actors/sim/shape.hpp"

#include <algorithm>

namespace baton::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Kinds that are drawn first; what came to be later is drawn last, so that the
/// rest of a seed's world stays as it was.
constexpr std::size_t early_kinds = 14;

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
  for (std::size_t i = 0; i < early_kinds; ++i)
    if (random.one_in(3))
      out.push_back(static_cast<fault_kind>(i));
  if (out.empty())
    out.push_back(static_cast<fault_kind>(random.below(early_kinds)));
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

/// Sweeps that come when it suits nobody.
void draw_sweeps(shape& x, seeded& random, bool wished, world_time busy) {
  if (!wished && !random.one_in(4))
    return;
  if (!wished) {
    x.kinds.push_back(fault_kind::sweep_storm);
    auto more = draw_plan(random, {fault_kind::sweep_storm},
                          static_cast<std::size_t>(random.between(1, 3)), busy);
    x.plan.insert(x.plan.end(), more.begin(), more.end());
    std::ranges::stable_sort(x.plan, {}, &planned_fault::at);
  }
  x.sweep_interval = milliseconds{random.between(100, 3'000)};
  x.detached_ttl = milliseconds{random.between(1'000, 40'000)};
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
  auto can =
    wishes.faults ? std::ranges::count(x.kinds, fault_kind::sweep_storm) : 0;
  if (!wishes.faults || can > 0)
    draw_sweeps(x, random, can > 0, busy);
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
         + " ttl_ms=" + std::to_string(x.detached_ttl.count())
         + " sweep_ms=" + std::to_string(x.sweep_interval.count())
         + " delay_us=" + us(x.delays.min) + ".." + us(x.delays.max)
         + " provider_fails_in=" + std::to_string(x.provider_fails_in)
         + " sluggish=" + std::to_string(x.sluggish) + " faults="
         + (kinds.empty() ? "none"
                          : std::to_string(x.plan.size()) + " of " + kinds);
}

} // namespace baton::sim
