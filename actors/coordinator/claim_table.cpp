// SPDX-License-Identifier: MIT
#include "actors/coordinator/claim_table.hpp"

#include "messages/check.hpp"

#include <algorithm>

namespace baton::coordinator {
namespace {

constexpr std::size_t record_bytes_about = 512;

/// The run number is known only once the creation is durable.
void set_number(effect& what, const run_id& id, run_no no) {
  auto fix = [&](run_record& record) {
    if (record.spec && record.id() == id)
      record.state.no = no;
  };
  if (auto* r = std::get_if<reply>(&what)) {
    if (auto* x = std::get_if<run_created>(&r->what))
      fix(x->view.record);
    else if (auto* y = std::get_if<run_view>(&r->what))
      fix(y->record);
    else if (auto* z = std::get_if<run_finished>(&r->what))
      fix(z->view.record);
  } else if (auto* o = std::get_if<node_order>(&what)) {
    if (auto* x = std::get_if<drive_run>(&o->what))
      fix(x->record);
  }
}

} // namespace

claim_table::claim_table(const storage::store& source, policy rules)
  : source_(source), policy_(rules) {
  // nop
}

// -- life ---------------------------------------------------------------------

void claim_table::restore(std::vector<run_record> live,
                          std::vector<instance_record> instances,
                          std::uint64_t uptime_ms, instant now) {
  uptime_base_ms_ = uptime_ms;
  started_ = now.mono;
  stage(instances_.restore(
    std::move(instances), live,
    [this](const run_id& id) {
      auto got = source_.load(id);
      return got ? std::optional{*std::move(got)} : std::nullopt;
    },
    now));
  for (auto& record : live) {
    auto id = record.id();
    auto& run = runs_[id];
    newest_ = std::max(newest_, record.state.no);
    run.decided = record;
    tally_.restored(record);
    run.durable = std::move(record);
    // Viewers died with the coordinator; those that return say so.
    if (auto change =
          storage::decide_detach(run.decided, uptime_ms, now.wall)) {
      run.misses_viewers = !run.decided.spec->detach_on_disconnect;
      stage(run, *std::move(change));
    }
    if (!run.decided.state.holder.empty())
      deadlines_.set(id, deadline_kind::lease,
                     now.mono + policy_.lease + policy_.grace);
    arm_detached(run, now);
  }
}

std::uint64_t claim_table::uptime_ms(mono_time now) const {
  auto here =
    std::chrono::duration_cast<std::chrono::milliseconds>(now - started_);
  return uptime_base_ms_ + in_ms(here);
}

// -- reading ------------------------------------------------------------------

std::optional<run_view> claim_table::find(const run_id& id) const {
  auto i = runs_.find(id);
  if (i == runs_.end() || !i->second.durable)
    return std::nullopt;
  return shown(i->second);
}

run_view claim_table::shown(const run_entry& run) const {
  run_view out{*run.durable, run.viewers, instances_.stage_of(*run.durable)};
  auto& record = out.record;
  // Its last driver is gone and there is no other: it waits for a node.
  if (!run.driven && !record.spec->external && !is_terminal(record.state.status)
      && !deadlines_.find(record.id(), deadline_kind::lease))
    record.state.holder.clear();
  return out;
}

bool claim_table::is_being_created(const run_id& id) const {
  auto i = runs_.find(id);
  return i != runs_.end() && !i->second.durable;
}

std::vector<run_view> claim_table::live() const {
  std::vector<run_view> out;
  for (const auto& [id, run] : runs_)
    if (run.durable && !is_terminal(run.durable->state.status))
      out.push_back(shown(run));
  std::ranges::sort(out, {},
                    [](const run_view& x) { return x.record.state.no; });
  return out;
}

// -- durability ---------------------------------------------------------------

write_batch claim_table::take_batch() {
  BATON_CHECK(!in_flight_, "one batch at a time keeps commits in order");
  in_flight_ = true;
  auto next = std::move(waiting_.front());
  waiting_.pop_front();
  if (waiting_.empty())
    waiting_.emplace_back();
  behind_flight_ = std::move(next.behind);
  return std::move(next.batch);
}

void claim_table::committed(write_batch batch,
                            std::span<const storage::commit_outcome> outcomes,
                            instant now) {
  BATON_CHECK(in_flight_ && outcomes.size() == batch.commits.size(),
              "each commit of the flight has its outcome");
  in_flight_ = false;
  std::set<run_id> touched;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    auto& done = batch.commits[i];
    BATON_CHECK(outcomes[i].code == errc::none,
                "I1: the coordinator is the store's only writer");
    auto id = done.record.id();
    touched.insert(id);
    auto& run = runs_.at(id);
    if (done.expected_version == 0) {
      run.decided.state.no = outcomes[i].no;
      newest_ = std::max(newest_, outcomes[i].no);
      for (auto& what : behind_flight_)
        set_number(what, id, outcomes[i].no);
      for (auto& later : waiting_)
        for (auto& what : later.behind)
          set_number(what, id, outcomes[i].no);
    }
    done.record.state.no = run.decided.state.no;
    tally_.committed(run.durable ? &*run.durable : nullptr, done);
    run.durable = std::move(done.record);
    BATON_CHECK(run.undurable > 0, "commits become durable once");
    run.undurable -= 1;
    if (!run.watched)
      continue;
    shared_entries fresh;
    for (auto& e : done.entries)
      fresh.items.push_back(std::make_shared<const entry>(std::move(e)));
    if (!fresh.items.empty())
      ready_.emplace_back(log_growth{id, std::move(fresh)});
    if (done.entries.empty())
      ready_.emplace_back(record_change{
        {*run.durable, run.viewers, instances_.stage_of(*run.durable)}});
  }
  std::ranges::move(std::exchange(behind_flight_, {}),
                    std::back_inserter(ready_));
  for (const auto& gone : batch.removals)
    runs_.erase(gone.run);
  for (const auto& id : touched)
    forget_if_ended(id);
  for (auto& again : std::exchange(parked_, {}))
    on(again.from, std::move(again.what), now);
  order_debts(now);
}

std::vector<effect> claim_table::take_effects() {
  if (!in_flight_ && !has_batch())
    std::ranges::move(std::exchange(waiting_.front().behind, {}),
                      std::back_inserter(ready_));
  return std::exchange(ready_, {});
}

// -- runs ---------------------------------------------------------------------

claim_table::run_entry* claim_table::look_up(token from, const run_id& id,
                                             epoch held) {
  auto i = runs_.find(id);
  if (i == runs_.end()) {
    auto stored = source_.load(id);
    if (!stored) {
      refuse(from, id, held, stored.error());
      return nullptr;
    }
    i = runs_.emplace(id, run_entry{}).first;
    i->second.decided = *stored;
    i->second.durable = *std::move(stored);
  }
  if (i->second.removing) {
    refuse(from, id, held,
           make_status(errc::unknown_run,
                       "run '" + printable(id.str()) + "' was removed"));
    return nullptr;
  }
  return &i->second;
}

claim_table::run_entry*
claim_table::look_up_external(token from, const run_id& id, epoch held) {
  auto* run = look_up(from, id, held);
  if (run == nullptr || run->decided.spec->external)
    return run;
  refuse(from, id, held,
         make_status(errc::not_external,
                     "run '" + printable(id.str())
                       + "' is driven by baton itself; only runs created with "
                         "external: true can be driven from outside"));
  forget_if_ended(id);
  return nullptr;
}

void claim_table::forget_if_ended(const run_id& id) {
  auto i = runs_.find(id);
  if (i == runs_.end() || !is_durable(i->second) || i->second.removing
      || !is_terminal(i->second.decided.state.status))
    return;
  deadlines_.clear(id, deadline_kind::lease);
  deadlines_.clear(id, deadline_kind::detached);
  ttl_ms_.erase(id);
  runs_.erase(i);
}

run_view claim_table::view_of(const run_entry& run) const {
  return {run.decided, run.viewers, instances_.stage_of(run.decided)};
}

// -- decisions ----------------------------------------------------------------

void claim_table::stage(run_entry& run, storage::commit change) {
  if (is_terminal(change.record.state.status)
      && !is_terminal(run.decided.state.status))
    change.instances = instances_.end(change.record);
  run.decided = change.record;
  run.undurable += 1;
  // Within a batch commits come first: a sandbox that an earlier change of this
  // one removes must not be the one that the commit makes.
  if (!change.instances.empty() && !waiting_.back().batch.instances.empty())
    waiting_.emplace_back();
  auto& batch = open_batch();
  batch.entries += change.entries.size();
  batch.bytes += record_bytes_about;
  for (const auto& e : change.entries)
    batch.bytes += e.data.size();
  batch.commits.push_back(std::move(change));
}

void claim_table::stage(instance_changes changes) {
  if (changes.empty())
    return;
  auto& batch = open_batch();
  batch.bytes += record_bytes_about * changes.size();
  std::ranges::move(changes, std::back_inserter(batch.instances));
}

write_batch& claim_table::open_batch() {
  auto& last = waiting_.back().batch;
  if (last.bytes < batch_bytes_full && last.entries < batch_entries_full)
    return last;
  return waiting_.emplace_back().batch;
}

void claim_table::tell(effect what) {
  if (auto* r = std::get_if<reply>(&what); r != nullptr && r->to == 0)
    return;
  waiting_.back().behind.push_back(std::move(what));
}

void claim_table::refuse(token to, const run_id& run, epoch held, status why) {
  if (why.code == errc::fenced)
    tally_.fenced();
  tell(reply{to, refusal{run, held, std::move(why)}});
}

claim_granted claim_table::grant_of(const run_entry& run,
                                    std::uint64_t ttl_ms) const {
  const auto& state = run.decided.state;
  return {state.epoch, seq{state.last_seq.value + 1}, state.end, ttl_ms,
          state.cancel_requested_at.has_value()};
}

append_done claim_table::done_of(const run_entry& run, const append_lines& x,
                                 bool duplicate) const {
  const auto& state = run.decided.state;
  return {x.run,     x.epoch,   seq{x.first_seq.value + x.lines.size() - 1},
          state.end, duplicate, state.cancel_requested_at.has_value()};
}

void claim_table::place(run_entry& run, const std::string& cause, instant now,
                        const node_id& not_on) {
  const auto& state = run.decided.state;
  if (state.cancel_requested_at && state.nonce_hashes.empty())
    end_without_driver(run, now); // No launch can happen any more.
  else if (auto node =
             nodes_.choose(run.decided, not_on, now.mono, bound_label(run)))
    drive_on(run, *node, cause, now);
}

void claim_table::drive_on(run_entry& run, const node_id& node,
                           const std::string& cause, instant now) {
  let_go(run);
  auto change =
    storage::decide_claim(run.decided, {node.str(), cause, now.wall});
  BATON_CHECK(change.ok(), "only runs that have not ended are placed");
  stage(run, *std::move(change));
  run.claimed_version = run.decided.state.version;
  run.driven = true;
  nodes_.add_run(node);
  deadlines_.clear(run.decided.id(), deadline_kind::lease);
  tell(node_order{node, drive_run{run.decided, tail_of(run)}});
}

std::string claim_table::tail_of(const run_entry& run) const {
  constexpr std::size_t tail_bytes_max = 64;
  const auto& state = run.decided.state;
  if (state.last_seq == state.trimmed || !run.durable
      || run.durable->state.last_seq != state.last_seq)
    return {};
  auto last =
    source_.read(*run.durable, {seq{state.last_seq.value - 1}, 1, SIZE_MAX});
  if (!last || last->empty())
    return {};
  const auto& data = last->front().data;
  return data.substr(data.size() - std::min(data.size(), tail_bytes_max));
}

void claim_table::let_go(run_entry& run) {
  if (!run.driven)
    return;
  run.driven = false;
  nodes_.remove_run(node_id{run.decided.state.holder});
}

bool claim_table::request_cancel(run_entry& run, errc cause, instant now) {
  auto change = storage::decide_cancel(run.decided, cause, now.wall);
  if (!change || !*change)
    return false;
  stage(run, **std::move(change));
  push_cancel(run, now);
  return true;
}

void claim_table::push_cancel(run_entry& run, instant now) {
  const auto& record = run.decided;
  if (run.driven)
    tell(node_order{node_id{record.state.holder},
                    cancel_drive{record.id(), record.state.epoch}});
  else if (record.spec->external ? !has_lease(record.id(), now.mono)
                                 : record.state.nonce_hashes.empty())
    end_without_driver(run, now);
  // Else the driver learns it with its next answer, or the node that takes
  // the run over from its record.
}

void claim_table::end_without_driver(run_entry& run, instant now) {
  storage::finish_order order;
  order.outcome.status = run_status::aborted;
  order.now = now.wall;
  auto change = storage::decide_end_without_driver(run.decided, order);
  BATON_CHECK(change.ok(), "only runs that have not ended are ended");
  stage(run, *std::move(change));
  settle(run);
}

void claim_table::settle(run_entry& run) {
  let_go(run);
  deadlines_.clear(run.decided.id(), deadline_kind::lease);
  deadlines_.clear(run.decided.id(), deadline_kind::detached);
}

void claim_table::renew(const run_entry& run, std::uint64_t ttl_ms,
                        instant now) {
  deadlines_.set(run.decided.id(), deadline_kind::lease,
                 now.mono + std::chrono::milliseconds{ttl_ms});
}

void claim_table::arm_detached(const run_entry& run, instant now) {
  const auto& state = run.decided.state;
  if (!state.detached_since || state.status != run_status::running) {
    deadlines_.clear(run.decided.id(), deadline_kind::detached);
    return;
  }
  auto uptime = uptime_ms(now.mono);
  auto spent = uptime - std::min(uptime, state.detached_at_uptime_ms);
  auto ttl = in_ms(policy_.detached_ttl);
  if (run.misses_viewers) // As long as a holder has to come back.
    ttl = std::min(ttl, in_ms(policy_.lease + policy_.grace));
  auto left = spent < ttl ? ttl - spent : 0;
  deadlines_.set(run.decided.id(), deadline_kind::detached,
                 now.mono + std::chrono::milliseconds{left});
}

bool claim_table::has_lease(const run_id& run, mono_time now) const {
  auto lease = deadlines_.find(run, deadline_kind::lease);
  return lease && *lease > now;
}

} // namespace baton::coordinator
