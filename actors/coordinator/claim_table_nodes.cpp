// SPDX-License-Identifier: MIT
// What claim_table makes of nodes that come and go, of viewers and of time.
#include "actors/coordinator/claim_table.hpp"

#include <algorithm>

namespace baton::coordinator {

// -- nodes, viewers, time -----------------------------------------------------

status claim_table::on(token from, const node_hello& x, instant now) {
  std::optional<status> why;
  if (nodes_.may_join(x))
    why = find_rollback(x);
  else
    why = make_status(errc::in_use, "another live node is called '"
                                      + printable(x.node.str())
                                      + "'; give this one another --node-id");
  if (why) {
    refuse(from, {}, {}, *why);
    return *std::move(why);
  }
  tell(reply{from, node_welcome{in_ms(policy_.lease)}});
  nodes_.add(x, now);
  instances_.wake();
  std::map<run_id, epoch> driving;
  for (const auto& held : x.driving)
    driving.emplace(held.run, held.epoch);
  for (auto& [id, run] : runs_) {
    const auto& record = run.decided;
    if (record.spec->external || is_terminal(record.state.status))
      continue;
    auto held = driving.find(id);
    auto was_here = record.state.holder == x.node.str();
    if (was_here)
      let_go(run);
    if (was_here && held != driving.end()
        && storage::is_current(record.state, held->second)) {
      drive_goes_on(run);
      continue;
    }
    if (held != driving.end())
      tell(node_order{x.node, stop_drive{id, held->second}});
    // A run whose holder has its lease left waits for that holder.
    if (!run.driven && (was_here || !has_lease(id, now.mono)))
      place(run, was_here ? "restart" : "placement", now);
  }
  order_debts(now);
  return {};
}

std::optional<status> claim_table::find_rollback(const node_hello& x) const {
  for (const auto& held : x.driving) {
    auto i = runs_.find(held.run);
    if (i != runs_.end()
        && storage::is_ahead_of(i->second.decided.state, held.epoch))
      return make_status(
        errc::stale_store,
        "the coordinator's store is older than this cluster: node '"
          + printable(x.node.str()) + "' holds epoch "
          + std::to_string(held.epoch.value) + " of run '"
          + printable(held.run.str()) + "', the store knows none above "
          + std::to_string(i->second.decided.state.epoch.value)
          + "; start the coordinator on its newest data directory");
  }
  return std::nullopt;
}

void claim_table::drive_goes_on(run_entry& run) {
  const auto& record = run.decided;
  node_id node{record.state.holder};
  run.driven = true;
  nodes_.add_run(node);
  deadlines_.clear(record.id(), deadline_kind::lease);
  if (record.state.cancel_requested_at)
    tell(node_order{node, cancel_drive{record.id(), record.state.epoch}});
}

void claim_table::on(token from, const node_leaving& x, instant now) {
  for (auto& [id, run] : runs_)
    if (run.driven && run.decided.state.holder == x.node.str())
      tell(node_order{x.node, stop_drive{id, run.decided.state.epoch}});
  on_node_down(x.node, x.incarnation, now, "handover");
  tell(reply{from, node_left{}});
}

bool claim_table::on_beat(const node_beat& x, instant now) {
  return nodes_.hear(x.node, x.incarnation, now.mono);
}

void claim_table::on_node_down(const node_id& id, incarnation life, instant now,
                               const std::string& cause) {
  if (!nodes_.remove(id, life, now.wall))
    return;
  instances_.node_gone(id);
  tell(node_lost{id});
  for (auto& [name, run] : runs_) {
    if (run.decided.spec->external || !run.driven
        || run.decided.state.holder != id.str())
      continue;
    let_go(run);
    place(run, cause, now);
  }
  order_debts(now);
}

void claim_table::on_silence(instant now) {
  auto lapse = nodes_.next_lapse(policy_.lease);
  if (!lapse || *lapse > now.mono)
    return;
  // A timer that comes much too late means that we slept, not the nodes: their
  // beats are still in the mailbox.
  if (now.mono - *lapse > policy_.lease / 4)
    return nodes_.hear_all(now.mono);
  while (auto gone = nodes_.first_silent(now.mono, policy_.lease))
    on_node_down(gone->first, gone->second, now, "lease_lapsed");
}

void claim_table::on_watch(const run_id& id) {
  if (auto i = runs_.find(id); i != runs_.end())
    i->second.watched = true;
}

void claim_table::on_viewers(const run_id& id, std::uint32_t viewers,
                             instant now) {
  auto i = runs_.find(id);
  if (i == runs_.end())
    return;
  auto& run = i->second;
  auto before = std::exchange(run.viewers, viewers);
  if (is_terminal(run.decided.state.status))
    return;
  if (viewers > 0) {
    run.misses_viewers = false;
    if (auto change = storage::decide_attach(run.decided))
      stage(run, *std::move(change));
    deadlines_.clear(id, deadline_kind::detached);
  } else if (before > 0) {
    if (auto change =
          storage::decide_detach(run.decided, uptime_ms(now.mono), now.wall))
      stage(run, *std::move(change));
    arm_detached(run, now);
    if (!run.decided.spec->detach_on_disconnect)
      request_cancel(run, errc::cancelled, now);
  }
}

void claim_table::on_tick(instant now) {
  on_silence(now);
  while (auto due = deadlines_.take_due(now.mono)) {
    auto i = runs_.find(due->first);
    if (i == runs_.end() || is_terminal(i->second.decided.state.status))
      continue;
    auto& run = i->second;
    if (due->second == deadline_kind::lease)
      on_lease_lapsed(run, now);
    else
      on_expiry(run, now);
  }
  order_debts(now);
}

std::optional<mono_time> claim_table::next_deadline() const {
  std::optional<mono_time> out;
  for (auto next :
       {deadlines_.next(), nodes_.next_lapse(policy_.lease), instances_.next()})
    if (next && (!out || *next < *out))
      out = next;
  return out;
}

void claim_table::on_lease_lapsed(run_entry& run, instant now) {
  if (!run.decided.spec->external) {
    // After a restart: the holder did not come back.
    if (!run.driven)
      place(run, "node_lost", now);
  } else if (run.decided.state.cancel_requested_at) {
    end_without_driver(run, now);
  }
}

} // namespace baton::coordinator
