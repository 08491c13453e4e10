// SPDX-License-Identifier: MIT
#include "storage/memory_store.hpp"

#include "messages/check.hpp"
#include "storage/quarantine.hpp"

#include <algorithm>

namespace baton::storage {
namespace {

status damaged_run(const run_id& id) {
  return make_status(errc::corrupt, "stored state of run " + printable(id.str())
                                      + " cannot be read back");
}

bool matches(const run_record& run, const list_query& query) {
  return (!query.thread || run.spec->thread == *query.thread)
         && (!query.status || run.state.status == *query.status);
}

void cut(std::vector<entry>& log, seq trimmed) {
  std::erase_if(log, [&](const entry& e) { return e.seq <= trimmed; });
}

} // namespace

const memory_store::stored_run* memory_store::find(run_no no) const {
  auto i = runs_.find(no);
  return i == runs_.end() ? nullptr : &i->second;
}

commit_outcome memory_store::take(const commit& c) {
  const auto& id = c.record.id();
  auto known = numbers_.find(id);
  if (known == numbers_.end()) {
    if (c.expected_version != 0)
      return {errc::stale, 0, {}};
    if (!check_creatable(*c.record.spec).ok())
      return {errc::malformed, 0, {}};
    check_follows({}, c);
    last_no_.value += 1;
    auto& made = runs_[last_no_];
    made.record = c.record;
    made.record.state.no = last_no_;
    made.entries = c.entries;
    cut(made.entries, made.record.state.trimmed);
    apply(c.instances);
    if (c.claim)
      made.claims.push_back(*c.claim);
    numbers_.emplace(id, last_no_);
    return {errc::none, 1, last_no_};
  }
  auto& run = runs_.at(known->second);
  const auto& old = run.record.state;
  if (run.damaged)
    return {errc::corrupt, 0, {}};
  if (old.version != c.expected_version)
    return {errc::stale, old.version, {}};
  check_follows(tip_of(old), c);
  run.record.state = c.record.state;
  run.record.state.no = known->second;
  run.entries.insert(run.entries.end(), c.entries.begin(), c.entries.end());
  cut(run.entries, run.record.state.trimmed);
  apply(c.instances);
  if (c.claim)
    run.claims.push_back(*c.claim);
  return {errc::none, run.record.state.version, {}};
}

void memory_store::apply(std::span<const instance_change> changes) {
  check_instances(changes);
  for (const auto& x : changes) {
    if (x.record)
      instances_.insert_or_assign(x.key, *x.record);
    else
      instances_.erase(x.key);
  }
}

result<std::vector<commit_outcome>>
memory_store::commit_all(std::span<const commit> batch) {
  std::scoped_lock guard{lock_};
  std::vector<commit_outcome> out;
  out.reserve(batch.size());
  for (const auto& c : batch)
    out.push_back(take(c));
  if (std::ranges::any_of(out, [](auto& x) { return x.code == errc::none; }))
    uptime_ms_synced_ = uptime_ms_;
  return out;
}

status memory_store::remove(const run_id& id, std::uint64_t expected_version) {
  std::scoped_lock guard{lock_};
  auto known = numbers_.find(id);
  if (known == numbers_.end())
    return unknown_run(id);
  const auto& run = runs_.at(known->second);
  if (run.damaged)
    return damaged_run(id);
  if (run.record.state.version != expected_version)
    return stale_removal(id, expected_version, run.record.state.version);
  if (!is_terminal(run.record.state.status))
    return not_terminal(id, run.record.state.status);
  floor_ = std::max(floor_, run.record.state.epoch);
  runs_.erase(known->second);
  numbers_.erase(known);
  uptime_ms_synced_ = uptime_ms_;
  return {};
}

result<run_record> memory_store::load(const run_id& id) const {
  std::scoped_lock guard{lock_};
  auto known = numbers_.find(id);
  if (known == numbers_.end())
    return unknown_run(id);
  const auto& run = runs_.at(known->second);
  if (run.damaged)
    return damaged_run(id);
  return run.record;
}

result<std::vector<run_record>>
memory_store::list(const list_query& query) const {
  std::scoped_lock guard{lock_};
  std::vector<run_record> out;
  for (auto i = runs_.upper_bound(query.after);
       i != runs_.end() && out.size() < query.limit; ++i)
    if (!i->second.damaged && matches(i->second.record, query))
      out.push_back(i->second.record);
  return out;
}

result<std::vector<run_record>> memory_store::live() const {
  std::scoped_lock guard{lock_};
  std::vector<run_record> out;
  for (const auto& [no, run] : runs_)
    if (!run.damaged && !is_terminal(run.record.state.status))
      out.push_back(run.record);
  return out;
}

result<std::vector<run_id>> memory_store::corrupt() const {
  std::scoped_lock guard{lock_};
  std::vector<run_id> out;
  for (const auto& [no, run] : runs_)
    if (run.damaged && !is_terminal(run.record.state.status))
      out.push_back(run.record.id());
  return out;
}

status memory_store::quarantine(const run_id& id, const std::string& why,
                                wall_time now) {
  std::scoped_lock guard{lock_};
  auto known = numbers_.find(id);
  if (known == numbers_.end())
    return unknown_run(id);
  auto& run = runs_.at(known->second);
  const auto& old = run.record;
  if (!run.damaged && is_terminal(old.state.status))
    return make_status(errc::terminal,
                       "run " + printable(id.str()) + " has already ended");
  salvage found{id,
                known->second,
                old.spec->thread,
                *old.spec,
                std::nullopt,
                old.state.trimmed,
                old.state.last_seq,
                old.state.end,
                old.state.inside_line,
                old.state.epoch};
  if (!run.damaged)
    found.state = old.state;
  run.record = quarantined(found, why, now);
  run.damaged = false;
  return {};
}

result<std::vector<entry>> memory_store::read(const run_record& run,
                                              const read_query& query) const {
  std::scoped_lock guard{lock_};
  std::vector<entry> out;
  const auto* found = find(run.state.no);
  if (found == nullptr)
    return out;
  const auto& log = found->entries;
  auto gone = found->record.state.trimmed;
  if (query.after < gone)
    return trimmed(run.id(), gone);
  std::size_t bytes = 0;
  for (auto i = query.after.value - gone.value;
       i < log.size() && out.size() < query.entries_max; ++i) {
    const auto& e = log[i];
    bytes += e.data.size();
    if (!out.empty() && bytes > query.bytes_max)
      break;
    out.push_back(e);
  }
  return out;
}

result<std::vector<claim_note>>
memory_store::claims(const run_record& run) const {
  std::scoped_lock guard{lock_};
  const auto* found = find(run.state.no);
  return found == nullptr ? std::vector<claim_note>{} : found->claims;
}

status
memory_store::change_instances(std::span<const instance_change> changes) {
  std::scoped_lock guard{lock_};
  apply(changes);
  if (!changes.empty())
    uptime_ms_synced_ = uptime_ms_;
  return {};
}

result<std::vector<instance_record>> memory_store::instances() const {
  std::scoped_lock guard{lock_};
  std::vector<instance_record> out;
  out.reserve(instances_.size());
  for (const auto& [key, x] : instances_)
    out.push_back(x);
  return out;
}

result<std::vector<instance_key>> memory_store::corrupt_instances() const {
  return std::vector<instance_key>{};
}

result<epoch> memory_store::epoch_floor() const {
  std::scoped_lock guard{lock_};
  return floor_;
}

result<std::uint64_t> memory_store::uptime_ms() const {
  std::scoped_lock guard{lock_};
  return uptime_ms_;
}

status memory_store::save_uptime_ms(std::uint64_t ms) {
  std::scoped_lock guard{lock_};
  uptime_ms_ = ms;
  return {};
}

void memory_store::crash() {
  std::scoped_lock guard{lock_};
  uptime_ms_ = uptime_ms_synced_;
}

void memory_store::damage(const run_id& id) {
  std::scoped_lock guard{lock_};
  auto known = numbers_.find(id);
  BATON_CHECK(known != numbers_.end(), "only a run that exists is damaged");
  runs_.at(known->second).damaged = true;
}

} // namespace baton::storage
