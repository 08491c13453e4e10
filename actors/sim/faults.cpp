// SPDX-License-Identifier: MIT
#include "actors/sim/faults.hpp"

#include <algorithm>

namespace baton::sim {
namespace {

constexpr std::array<std::string_view, fault_kinds> names{
  "kill_node",        "pause_node",  "cut",         "one_way_cut",
  "kill_coordinator", "slow_disk",   "late_launch", "late_append",
  "clock_drift",      "agent_kill",  "shim_kill",   "viewer_storm",
  "cancel_storm",     "steal_storm", "sweep_storm"};

std::string seconds(world_time x) {
  auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(x).count();
  auto rest = std::to_string(ms % 1000);
  return std::to_string(ms / 1000) + "." + std::string(3 - rest.size(), '0')
         + rest;
}

} // namespace

std::string_view to_string(fault_kind x) noexcept {
  return names[static_cast<std::size_t>(x)];
}

std::optional<fault_kind> fault_from_string(std::string_view name) noexcept {
  auto i = std::ranges::find(names, name);
  if (i == names.end())
    return std::nullopt;
  return static_cast<fault_kind>(i - names.begin());
}

std::string fault_names() {
  std::string out;
  for (auto x : names)
    out += (out.empty() ? "" : ", ") + std::string{x};
  return out;
}

std::string to_string(const planned_fault& x) {
  auto out = std::string{to_string(x.kind)} + " at " + seconds(x.at) + " s";
  auto lasting = " for " + seconds(x.length) + " s";
  switch (x.kind) {
  case fault_kind::agent_kill:
  case fault_kind::shim_kill:
  case fault_kind::cancel_storm:
    return out;
  case fault_kind::kill_coordinator:
    return out + (strikes_in_commit(x) ? ", in its next commit" : lasting);
  case fault_kind::late_launch:
    return out + " for " + seconds(std::min(x.length, late_launch_max)) + " s";
  case fault_kind::late_append:
    return out + lasting + " and two leases";
  default:
    return out + lasting;
  }
}

bool parts_nodes(fault_kind x) noexcept {
  switch (x) {
  case fault_kind::kill_node:
  case fault_kind::pause_node:
  case fault_kind::cut:
  case fault_kind::one_way_cut:
  case fault_kind::kill_coordinator:
  case fault_kind::late_append:
  case fault_kind::clock_drift:
    return true;
  default:
    return false;
  }
}

bool strikes_in_commit(const planned_fault& x) noexcept {
  return x.kind == fault_kind::kill_coordinator && x.detail % 3 != 0;
}

std::vector<planned_fault> draw_plan(seeded& random,
                                     const std::vector<fault_kind>& kinds,
                                     std::size_t count, world_time span) {
  std::vector<planned_fault> out;
  if (kinds.empty())
    return out;
  auto ms = static_cast<std::uint64_t>(
    std::chrono::duration_cast<std::chrono::milliseconds>(span).count());
  for (std::size_t i = 0; i < count; ++i) {
    planned_fault x;
    x.kind = kinds[random.below(kinds.size())];
    x.at = std::chrono::microseconds{random.below(ms * 1000)};
    // As often shorter than a lease as longer.
    x.length = random.one_in(2)
                 ? std::chrono::milliseconds{random.between(1, 1'500)}
                 : std::chrono::milliseconds{random.between(1'500, 12'000)};
    x.node = random.below(1 << 20);
    x.run = random.below(1 << 20);
    x.detail = random.below(1 << 20);
    out.push_back(x);
  }
  std::ranges::stable_sort(out, {}, &planned_fault::at);
  return out;
}

} // namespace baton::sim
