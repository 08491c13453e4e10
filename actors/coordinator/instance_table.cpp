// SPDX-License-Identifier: MIT
#include "actors/coordinator/instance_table.hpp"

#include "messages/check.hpp"
#include "messages/instance_identity.hpp"

#include <algorithm>
#include <array>

namespace baton::coordinator {
namespace {

storage::instance_change change_of(const instance_record& x) {
  return {x.key, x};
}

instance_record record_of(const run_record& run, instance_key key,
                          std::string id, std::string label, wall_time now) {
  instance_record out;
  out.key = std::move(key);
  out.provider = run.spec->sandbox.provider;
  out.id = std::move(id);
  out.thread = run.spec->thread;
  out.host_label = std::move(label);
  out.created_at = now;
  return out;
}

instance_record own_record(const run_record& run, const sandbox_binding& where,
                           wall_time now) {
  auto out = record_of(run, own_key(run), where.id, where.host_label, now);
  out.run = run.id();
  return out;
}

instance_record shared_record(const run_record& run,
                              const sandbox_binding& where, wall_time now) {
  return record_of(run, where.key, where.shared_id, where.host_label, now);
}

std::chrono::milliseconds pause_behind(std::uint32_t attempts) {
  auto doublings = std::min<std::uint32_t>(std::max(attempts, 1U) - 1, 20);
  return std::min(destroy_pause_min * (1 << doublings), destroy_pause_max);
}

} // namespace

bool left_evidence(const run_state& state) {
  constexpr std::array harmless{errc::launch_failed, errc::agent_lost,
                                errc::setup_failed, errc::workspace_failed,
                                errc::exit_nonzero};
  return state.status == run_status::failed && !state.exit_code && state.error
         && std::ranges::find(harmless, state.error->code) == harmless.end();
}

// -- life ---------------------------------------------------------------------

instance_changes instance_table::restore(
  std::vector<instance_record> stored, const std::vector<run_record>& live,
  const std::function<std::optional<run_record>(const run_id&)>& find,
  instant now) {
  instance_changes out;
  for (auto& x : stored) {
    auto& made = put(std::move(x));
    auto left = made.record.next_attempt.value_or(now.wall) - now.wall;
    // A wall clock that jumped must not put it off for ever.
    schedule(made, now.mono
                     + std::clamp(left, wall_time::duration{0},
                                  wall_time::duration{destroy_pause_max}));
  }
  std::set<run_id> running;
  for (const auto& run : live) {
    running.insert(run.id());
    const auto& where = run.state.sandbox;
    if (where.id.empty())
      continue;
    std::ranges::move(adopt(run, now.wall), std::back_inserter(out));
  }
  for (auto& [key, x] : all_) {
    if (x.record.run.empty() || running.contains(x.record.run)
        || x.record.state == instance_state::must_destroy)
      continue;
    auto run = find(x.record.run);
    // What is left of a damaged record does not give the key.
    if (run && left_evidence(run->state)) {
      if (x.record.state == instance_state::kept)
        continue;
      x.record.state = instance_state::kept;
      out.push_back(change_of(x.record));
    } else {
      out.push_back(condemn(x));
    }
  }
  return out;
}

// -- runs ---------------------------------------------------------------------

result<instance_table::placing>
instance_table::place(const run_record& run, const record_launch& proposal,
                      const std::string& host_label, wall_time now) const {
  placing out;
  out.where.id = proposal.sandbox_id;
  out.where.host_label = host_label;
  out.where.key = own_key(run);
  if (run.spec->sandbox.reuse && !proposal.shared_id.empty()) {
    out.where.key = shared_key(*run.spec);
    out.where.shared_id = proposal.shared_id;
    if (const auto* there = find(out.where.key)) {
      if (there->state != instance_state::ready)
        return {errc::unavailable, "the sandbox that run '"
                                     + printable(run.id().str())
                                     + "' shares with its thread is being "
                                       "destroyed; try again"};
      out.where.shared_id = there->id;
      out.where.host_label = there->host_label;
    } else {
      out.changes.push_back(change_of(shared_record(run, out.where, now)));
    }
  }
  out.changes.push_back(change_of(own_record(run, out.where, now)));
  return out;
}

void instance_table::take(const run_record& run, const placing& what) {
  for (const auto& x : what.changes)
    put(*x.record);
  for (const auto& key : {own_key(run), what.where.key})
    if (auto i = all_.find(key); i != all_.end()) {
      i->second.users.insert(run.id());
      unschedule(i->second);
    }
}

instance_changes instance_table::adopt(const run_record& run, wall_time now) {
  const auto& where = run.state.sandbox;
  placing what;
  what.where = where;
  if (find(own_key(run)) == nullptr)
    what.changes.push_back(change_of(own_record(run, where, now)));
  if (!where.shared_id.empty() && find(where.key) == nullptr)
    what.changes.push_back(change_of(shared_record(run, where, now)));
  take(run, what);
  return what.changes;
}

std::optional<std::string>
instance_table::label_of_shared(const run_spec& spec) const {
  const auto* there = spec.sandbox.reuse ? find(shared_key(spec)) : nullptr;
  return there == nullptr ? std::nullopt : std::optional{there->host_label};
}

instance_changes instance_table::end(const run_record& ended) {
  instance_changes out;
  const auto& state = ended.state;
  if (state.sandbox.id.empty())
    return out;
  if (auto own = all_.find(own_key(ended)); own != all_.end()) {
    auto& x = own->second;
    x.users.erase(ended.id());
    if (left_evidence(state)) {
      x.record.state = instance_state::kept;
      out.push_back(change_of(x.record));
    } else {
      out.push_back(condemn(x));
    }
  }
  auto shared = all_.find(state.sandbox.key);
  if (state.sandbox.shared_id.empty() || shared == all_.end())
    return out;
  auto& x = shared->second;
  x.users.erase(ended.id());
  auto goes = state.cancel_requested_at
              || (ended.spec->sandbox.destroy_on_complete && x.users.empty());
  if (x.record.state == instance_state::must_destroy)
    schedule(x, mono_time{}); // Its last user may be gone.
  else if (goes)
    out.push_back(condemn(x));
  return out;
}

instance_changes instance_table::forget_run(const run_id& run) {
  instance_changes out;
  for (auto& [key, x] : all_)
    if (x.record.run == run && x.record.state == instance_state::kept)
      out.push_back(condemn(x));
  return out;
}

sandbox_stage instance_table::stage_of(const run_record& run) const {
  const auto& where = run.state.sandbox;
  if (where.id.empty()) {
    // None, or that of the one it will share, which must go first.
    const auto* shared = run.spec->sandbox.reuse && !run.spec->external
                             && !is_terminal(run.state.status)
                           ? find(shared_key(*run.spec))
                           : nullptr;
    return shared != nullptr && shared->state != instance_state::ready
             ? sandbox_stage::must_destroy
             : sandbox_stage::none;
  }
  const auto* own = find(own_key(run));
  if (own == nullptr && run.state.cancel_requested_at
      && !where.shared_id.empty())
    own = find(where.key); // A cancel takes it too (D2).
  if (own == nullptr)
    return is_terminal(run.state.status) ? sandbox_stage::gone
                                         : sandbox_stage::in_use;
  switch (own->state) {
  case instance_state::must_destroy:
    return sandbox_stage::must_destroy;
  case instance_state::kept:
    return sandbox_stage::kept;
  case instance_state::ready:
    break;
  }
  return is_terminal(run.state.status) && own->run.empty()
           ? sandbox_stage::gone
           : sandbox_stage::in_use;
}

// -- debts --------------------------------------------------------------------

result<instance_changes> instance_table::doom(const instance_key& key) {
  auto i = all_.find(key);
  if (i == all_.end())
    return {errc::unknown_sandbox,
            "there is no sandbox '" + printable(key.str())
              + "'; list the sandboxes to see those that there are"};
  auto& x = i->second;
  if (!x.users.empty())
    return {errc::not_terminal, "run '" + printable(x.users.begin()->str())
                                  + "' uses the sandbox; cancel it and wait "
                                    "for its end first"};
  return instance_changes{condemn(x)};
}

instance_changes instance_table::owe(instance_record what) {
  what.state = instance_state::must_destroy;
  return {change_of(put(std::move(what)).record)};
}

std::vector<instance_record> instance_table::due(mono_time now) const {
  std::vector<instance_record> out;
  for (const auto& [at, key] : agenda_) {
    if (at > now)
      break;
    const auto& x = all_.at(key);
    if (!x.ordered_from)
      out.push_back(x.record);
  }
  return out;
}

std::vector<instance_table::overdue>
instance_table::unanswered(mono_time now) const {
  std::vector<overdue> out;
  for (const auto& [at, key] : agenda_) {
    if (at > now)
      break;
    const auto& x = all_.at(key);
    if (x.ordered_from)
      out.push_back({key, x.record.id, *x.ordered_from});
  }
  return out;
}

std::optional<mono_time> instance_table::next() const {
  return agenda_.empty() ? std::nullopt : std::optional{agenda_.begin()->first};
}

void instance_table::ordered(const instance_key& key, const node_id& node,
                             mono_time now) {
  auto& x = all_.at(key);
  schedule(x, now + destroy_answer_timeout);
  x.ordered_from = node;
}

instance_changes instance_table::answered(const sandbox_destroyed& x,
                                          instant now) {
  auto i = all_.find(x.key);
  if (i == all_.end() || i->second.record.id != x.id
      || i->second.record.state != instance_state::must_destroy)
    return {};
  if (x.code == errc::none) {
    erase(x.key);
    return {{x.key, std::nullopt}};
  }
  auto& debt = i->second;
  debt.record.attempts += 1;
  debt.record.last_error = x.message;
  auto pause = pause_behind(debt.record.attempts);
  debt.record.next_attempt = now.wall + pause;
  schedule(debt, now.mono + pause);
  return {change_of(debt.record)};
}

instance_changes instance_table::nobody_can(const instance_key& key,
                                            const std::string& why) {
  auto& x = all_.at(key);
  unschedule(x);
  x.waits_for_node = true;
  if (x.record.last_error == why)
    return {};
  x.record.last_error = why;
  return {change_of(x.record)};
}

void instance_table::node_gone(const node_id& node) {
  for (auto& [key, x] : all_)
    if (x.ordered_from == node)
      schedule(x, mono_time{});
}

void instance_table::wake() {
  for (auto& [key, x] : all_)
    if (x.waits_for_node)
      schedule(x, mono_time{});
}

// -- looking ------------------------------------------------------------------

const instance_record* instance_table::find(const instance_key& key) const {
  auto i = all_.find(key);
  return i == all_.end() ? nullptr : &i->second.record;
}

const instance_record* instance_table::find(const std::string& provider,
                                            const std::string& id) const {
  auto i = by_id_.find({provider, id});
  return i == by_id_.end() ? nullptr : find(i->second);
}

std::vector<instance_record> instance_table::all() const {
  std::vector<instance_record> out;
  for (const auto& [key, x] : all_)
    out.push_back(x.record);
  return out;
}

// -- the list -----------------------------------------------------------------

instance_table::slot& instance_table::put(instance_record record) {
  auto key = record.key;
  BATON_CHECK(!key.empty(), "a sandbox has a key");
  by_id_[{record.provider, record.id}] = key;
  auto& x = all_[key];
  x.record = std::move(record);
  schedule(x, mono_time{});
  return x;
}

void instance_table::erase(const instance_key& key) {
  auto i = all_.find(key);
  unschedule(i->second);
  auto named = by_id_.find({i->second.record.provider, i->second.record.id});
  if (named != by_id_.end() && named->second == key)
    by_id_.erase(named);
  all_.erase(i);
}

void instance_table::schedule(slot& x, mono_time at) {
  unschedule(x);
  x.ordered_from.reset();
  x.waits_for_node = false;
  x.at = at;
  if (x.record.state == instance_state::must_destroy && x.users.empty())
    agenda_.emplace(at, x.record.key);
}

void instance_table::unschedule(const slot& x) {
  agenda_.erase({x.at, x.record.key});
}

storage::instance_change instance_table::condemn(slot& x) {
  x.record.state = instance_state::must_destroy;
  x.record.next_attempt.reset();
  schedule(x, mono_time{});
  return change_of(x.record);
}

} // namespace baton::coordinator
