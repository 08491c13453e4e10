// SPDX-License-Identifier: MIT
#include "actors/coordinator/node_table.hpp"

#include "messages/check.hpp"

#include <algorithm>

namespace baton::coordinator {
namespace {

constexpr auto failed_launch_counts = std::chrono::minutes{1};

} // namespace

bool node_table::may_join(const node_hello& hello) const {
  auto i = nodes_.find(hello.node);
  return i == nodes_.end() || !i->second.live
         || i->second.hello.incarnation == hello.incarnation;
}

void node_table::add(const node_hello& hello, instant now) {
  auto& x = nodes_[hello.node];
  if (!x.live || x.hello.incarnation != hello.incarnation)
    x.since = now.wall;
  x.hello = hello;
  x.hello.driving.clear();
  x.live = true;
  x.heard = now.mono;
}

bool node_table::remove(const node_id& id, incarnation life, wall_time now) {
  auto i = nodes_.find(id);
  if (i == nodes_.end() || i->second.hello.incarnation != life
      || !i->second.live)
    return false;
  i->second.live = false;
  i->second.since = now;
  return true;
}

bool node_table::hear(const node_id& id, incarnation life, mono_time now) {
  auto i = nodes_.find(id);
  if (i == nodes_.end() || i->second.hello.incarnation != life
      || !i->second.live)
    return false;
  i->second.heard = now;
  return true;
}

std::optional<std::pair<node_id, incarnation>>
node_table::first_silent(mono_time now, std::chrono::milliseconds lease) const {
  for (const auto& [id, x] : nodes_)
    if (x.live && x.hello.beats && x.heard + lease <= now)
      return std::pair{id, x.hello.incarnation};
  return std::nullopt;
}

std::optional<mono_time>
node_table::next_lapse(std::chrono::milliseconds lease) const {
  std::optional<mono_time> out;
  for (const auto& [id, x] : nodes_)
    if (x.live && x.hello.beats && (!out || x.heard + lease < *out))
      out = x.heard + lease;
  return out;
}

void node_table::hear_all(mono_time now) {
  for (auto& [id, x] : nodes_)
    x.heard = now;
}

bool node_table::is_live(const node_id& id) const {
  auto i = nodes_.find(id);
  return i != nodes_.end() && i->second.live;
}

void node_table::add_run(const node_id& id) {
  nodes_[id].runs += 1;
}

void node_table::remove_run(const node_id& id) {
  auto& x = nodes_[id];
  BATON_CHECK(x.runs > 0, "a node gives up only runs it drives");
  x.runs -= 1;
}

void node_table::note_failed_launch(const node_id& id, mono_time now) {
  if (auto i = nodes_.find(id); i != nodes_.end())
    i->second.suspect_until = now + failed_launch_counts;
}

bool node_table::reaches(const node_id& id, const std::string& provider,
                         const std::string& label) const {
  auto i = nodes_.find(id);
  if (i == nodes_.end() || !i->second.live)
    return false;
  const auto& hello = i->second.hello;
  return std::ranges::find(hello.providers, provider) != hello.providers.end()
         && (label.empty() || label == hello.host_label);
}

std::optional<node_id> node_table::find(const std::string& provider,
                                        const std::string& label) const {
  for (const auto& [id, x] : nodes_)
    if (reaches(id, provider, label))
      return id;
  return std::nullopt;
}

bool node_table::is_eligible(const node_id& id, const run_record& run,
                             const std::optional<std::string>& bound) const {
  return reaches(id, run.spec->sandbox.provider,
                 bound ? *bound : run.state.sandbox.host_label);
}

std::optional<node_id>
node_table::choose(const run_record& run, const node_id& not_on, mono_time now,
                   const std::optional<std::string>& bound) const {
  const auto& wanted = run.spec->wanted_node;
  // A wish binds the first placement; once the run has a sandbox, any node
  // that reaches it will do.
  if (!wanted.empty() && run.state.sandbox.id.empty()) {
    if (is_eligible(wanted, run, bound))
      return wanted;
    if (!bound)
      return std::nullopt;
  }
  auto load = [&](const node& x) {
    return std::pair{x.suspect_until > now, x.runs};
  };
  std::optional<node_id> best;
  for (const auto& [id, x] : nodes_) {
    if (id == not_on || !is_eligible(id, run, bound))
      continue;
    if (!best || load(x) < load(nodes_.at(*best)))
      best = id;
  }
  if (!best && is_eligible(not_on, run, bound))
    best = not_on;
  return best;
}

std::string node_table::host_label_of(const node_id& id) const {
  auto i = nodes_.find(id);
  return i == nodes_.end() ? std::string{} : i->second.hello.host_label;
}

node_list node_table::views(mono_time now,
                            std::chrono::milliseconds lease) const {
  auto state_of = [&](const node& x) {
    if (!x.live)
      return "gone";
    return x.hello.beats && now - x.heard > lease / 2 ? "suspect" : "live";
  };
  node_list out;
  for (const auto& [id, x] : nodes_)
    out.nodes.push_back({id, x.hello.role, x.hello.host_label, state_of(x),
                         x.hello.incarnation, x.hello.address, x.runs,
                         x.since.time_since_epoch().count()});
  return out;
}

} // namespace baton::coordinator
