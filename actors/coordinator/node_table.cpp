// SPDX-License-Identifier: MIT
#include "actors/coordinator/node_table.hpp"

#include "messages/check.hpp"

#include <algorithm>

namespace baton::coordinator {

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

bool node_table::is_eligible(const node_id& id, const run_record& run) const {
  auto i = nodes_.find(id);
  if (i == nodes_.end() || !i->second.live)
    return false;
  const auto& hello = i->second.hello;
  const auto& label = run.state.sandbox.host_label;
  return std::ranges::find(hello.providers, run.spec->sandbox.provider)
           != hello.providers.end()
         && (label.empty() || label == hello.host_label);
}

std::optional<node_id> node_table::choose(const run_record& run,
                                          const node_id& not_on) const {
  const auto& wanted = run.spec->wanted_node;
  // A wish binds the first placement; once the run has a sandbox, any node
  // that reaches it will do.
  if (!wanted.empty() && run.state.sandbox.id.empty())
    return is_eligible(wanted, run) ? std::optional{wanted} : std::nullopt;
  std::optional<node_id> best;
  for (const auto& [id, x] : nodes_) {
    if (id == not_on || !is_eligible(id, run))
      continue;
    if (!best || x.runs < nodes_.at(*best).runs)
      best = id;
  }
  if (!best && is_eligible(not_on, run))
    best = not_on;
  return best;
}

std::string node_table::host_label_of(const node_id& id) const {
  auto i = nodes_.find(id);
  return i == nodes_.end() ? std::string{} : i->second.hello.host_label;
}

} // namespace baton::coordinator
