// SPDX-License-Identifier: MIT
#include "storage/fencing.hpp"

#include <algorithm>

namespace baton::storage {
namespace {

std::string name_of(const run_record& run) {
  return "run '" + printable(run.id().str()) + "'";
}

status ended(const run_record& run) {
  return make_status(errc::terminal,
                     name_of(run) + " has ended ("
                       + std::string{to_string(run.state.status)}
                       + "); nothing can be added to it")
    .with("status", std::string{to_string(run.state.status)});
}

status gap(const run_record& run, const std::string& found) {
  return make_status(errc::gap, name_of(run) + ": expected entry "
                                  + std::to_string(run.state.last_seq.value + 1)
                                  + " at byte "
                                  + std::to_string(run.state.end.value)
                                  + ", found " + found
                                  + "; read the run and go on from there")
    .with("next_seq", run.state.last_seq.value + 1)
    .with("position", run.state.end.value);
}

/// The run as a new claim leaves it.
run_state claimed(const run_record& run, const std::string& holder) {
  auto next = run.state;
  next.epoch.value += 1;
  next.holder = holder;
  return next;
}

claim_note note_of(const run_state& next, const std::string& cause,
                   wall_time now) {
  return {next.epoch, next.holder, cause, seq{next.last_seq.value + 1}, now};
}

run_state finished(run_state next, const finish_order& order) {
  next.status = order.outcome.status;
  next.exit_code = order.outcome.exit_code;
  next.signal = order.outcome.signal;
  next.error = order.outcome.error;
  next.usage = order.outcome.usage;
  if (next.cancel_requested_at) {
    next.status = run_status::aborted;
    next.error = run_error{next.cancel_cause,
                           next.cancel_cause == errc::expired
                             ? "nobody watched the run for longer than its "
                               "detached time-to-live"
                             : "the run was cancelled"};
  }
  next.finished_at = order.now;
  next.detached_since.reset();
  return next;
}

} // namespace

bool is_current(const run_state& run, epoch held) noexcept {
  return held.value != 0 && held == run.epoch && !run.holder.empty();
}

bool is_ahead_of(const run_state& run, epoch held) noexcept {
  return held > run.epoch;
}

status fenced(const run_record& run, epoch held) {
  auto now = run.state.epoch;
  auto why = now.value == 0 ? "nobody has claimed the run yet"
             : run.state.holder.empty() && held == now
               ? "that claim was given back"
               : "the record is at " + std::to_string(now.value);
  return make_status(errc::fenced, name_of(run) + ": write at epoch "
                                     + std::to_string(held.value) + " refused, "
                                     + why
                                     + "; stop writing, claim the run to go on")
    .with("epoch", now.value);
}

commit commit_of(const run_record& run, run_state next) {
  commit out;
  out.expected_version = run.state.version;
  next.version = run.state.version + 1;
  BATON_CHECK(next.epoch >= run.state.epoch, "I6: epochs grow");
  BATON_CHECK(next.last_seq >= run.state.last_seq, "I2: logs only grow");
  BATON_CHECK(next.trimmed >= run.state.trimmed, "I2: nothing returns");
  out.record = {run.spec, std::move(next)};
  return out;
}

// -- claims -------------------------------------------------------------------

result<commit> decide_claim(const run_record& run, const claim_order& order) {
  if (is_terminal(run.state.status))
    return ended(run);
  if (order.holder.empty())
    return {errc::malformed, "a claim needs a holder, found an empty name"};
  auto out = commit_of(run, claimed(run, order.holder));
  out.claim = note_of(out.record.state, order.cause, order.now);
  return out;
}

result<commit> decide_release(const run_record& run, epoch held) {
  if (!is_current(run.state, held))
    return fenced(run, held);
  if (is_terminal(run.state.status))
    return ended(run);
  auto next = run.state;
  next.holder.clear();
  return commit_of(run, std::move(next));
}

// -- the log ------------------------------------------------------------------

result<append_plan> decide_append(const run_record& run,
                                  const append_order& order) {
  const auto& state = run.state;
  if (!is_current(state, order.held))
    return fenced(run, order.held);
  if (order.lines.empty())
    return {errc::empty, "an append needs at least one line, found none"};
  if (order.first_seq.value == 0)
    return {errc::malformed, "seqs start at 1, found first seq 0"};
  append_plan plan;
  auto first = order.first_seq.value;
  auto count = order.lines.size();
  if (first <= state.last_seq.value)
    plan.stored =
      std::min<std::size_t>(count, state.last_seq.value - first + 1);
  if (plan.stored == count)
    return plan;
  if (is_terminal(state.status)) {
    plan.refusal = ended(run);
    return plan;
  }
  if (first > state.last_seq.value + 1) {
    plan.refusal = gap(run, "entry " + std::to_string(first));
    return plan;
  }
  if (plan.stored == 0 && order.begin && *order.begin != state.end) {
    plan.refusal = gap(run, "byte " + std::to_string(order.begin->value));
    return plan;
  }
  auto next = state;
  std::vector<entry> fresh;
  fresh.reserve(count - plan.stored);
  std::size_t i = 0;
  order.lines.for_each([&](std::string_view line, bool fragment) {
    if (i++ < plan.stored)
      return;
    entry e;
    e.seq = seq{next.last_seq.value + 1};
    e.epoch = state.epoch;
    e.begin = next.end;
    e.end = position{next.end.value + line.size()};
    e.at = order.now;
    e.fragment = fragment;
    e.data = line;
    next.last_seq = e.seq;
    next.end = e.end;
    next.inside_line = fragment && line.back() != '\n';
    fresh.push_back(std::move(e));
  });
  plan.change = commit_of(run, std::move(next));
  plan.change->entries = std::move(fresh);
  return plan;
}

status compare_stored(std::span<const entry> stored,
                      const append_order& order) {
  if (!stored.empty() && order.begin && stored.front().seq == order.first_seq
      && stored.front().begin != *order.begin)
    return make_status(errc::gap,
                       "entry " + std::to_string(order.first_seq.value)
                         + " begins at byte "
                         + std::to_string(stored.front().begin.value)
                         + ", found byte " + std::to_string(order.begin->value)
                         + "; read the run and go on from there")
      .with("next_seq", order.first_seq.value)
      .with("position", stored.front().begin.value);
  status out;
  // Lines whose entries were trimmed cannot be compared any more.
  auto at = order.first_seq.value;
  std::size_t i = 0;
  order.lines.for_each([&](std::string_view line, bool fragment) {
    if (i >= stored.size() || !out.ok() || at++ < stored.front().seq.value)
      return;
    const auto& e = stored[i++];
    if (e.data != line || e.fragment != fragment)
      out = make_status(errc::mismatch,
                        "entry " + std::to_string(e.seq.value)
                          + " is stored with other bytes; a retry must be "
                            "identical to what it repeats")
              .with("seq", e.seq.value);
  });
  return out;
}

// -- the end ------------------------------------------------------------------

result<std::optional<commit>> decide_finish(const run_record& run,
                                            const finish_order& order) {
  const auto& state = run.state;
  if (!is_current(state, order.held))
    return fenced(run, order.held);
  if (!is_terminal(order.outcome.status))
    return {errc::malformed, "a run finishes completed, failed or aborted, "
                             "found '"
                               + std::string{to_string(order.outcome.status)}
                               + "'"};
  auto next = finished(state, order);
  if (is_terminal(state.status)) {
    if (next.status == state.status)
      return std::optional<commit>{};
    return ended(run);
  }
  if (order.last_seq && *order.last_seq != state.last_seq)
    return gap(run,
               "an end behind entry " + std::to_string(order.last_seq->value));
  return std::optional{commit_of(run, std::move(next))};
}

result<commit> decide_end_without_driver(const run_record& run,
                                         const finish_order& order) {
  if (is_terminal(run.state.status))
    return ended(run);
  BATON_CHECK(is_terminal(order.outcome.status), "I5: an end is terminal");
  auto next = finished(claimed(run, "coordinator"), order);
  auto out = commit_of(run, std::move(next));
  out.claim = note_of(out.record.state, "end", order.now);
  return out;
}

// -- the rest of the record ---------------------------------------------------

result<std::optional<commit>> decide_launch(const run_record& run, epoch held,
                                            const std::string& nonce_hash,
                                            const sandbox_binding& where) {
  if (!is_current(run.state, held))
    return fenced(run, held);
  if (is_terminal(run.state.status))
    return ended(run);
  if (std::ranges::find(run.state.nonce_hashes, nonce_hash)
      != run.state.nonce_hashes.end())
    return std::optional<commit>{};
  auto next = run.state;
  next.nonce_hashes.push_back(nonce_hash);
  if (next.sandbox.id.empty())
    next.sandbox = where;
  return std::optional{commit_of(run, std::move(next))};
}

result<std::optional<commit>> decide_cancel(const run_record& run, errc cause,
                                            wall_time now) {
  const auto& state = run.state;
  auto reached =
    !is_terminal(state.status) || state.status == run_status::aborted;
  if (state.cancel_requested_at && reached)
    return std::optional<commit>{};
  if (is_terminal(state.status))
    return ended(run);
  auto next = state;
  next.cancel_requested_at = now;
  next.cancel_cause = cause;
  return std::optional{commit_of(run, std::move(next))};
}

std::optional<commit> decide_cancel_delivered(const run_record& run, epoch held,
                                              wall_time now) {
  const auto& state = run.state;
  if (!is_current(state, held) || is_terminal(state.status)
      || !state.cancel_requested_at || state.cancel_delivered_at)
    return std::nullopt;
  auto next = state;
  next.cancel_delivered_at = now;
  return commit_of(run, std::move(next));
}

result<std::optional<commit>> decide_trim(const run_record& run, seq before) {
  const auto& state = run.state;
  auto end = state.last_seq.value + 1;
  if (before.value == 0 || before.value > end)
    return make_status(errc::malformed, name_of(run)
                                          + " can be trimmed before entry 1 to "
                                          + std::to_string(end) + ", found "
                                          + std::to_string(before.value))
      .with("next_seq", end);
  if (before.value - 1 <= state.trimmed.value)
    return std::optional<commit>{};
  auto next = state;
  next.trimmed = seq{before.value - 1};
  return std::optional{commit_of(run, std::move(next))};
}

result<std::optional<commit>> decide_interrupt(const run_record& run) {
  if (is_terminal(run.state.status))
    return ended(run);
  if (run.state.status == run_status::interrupted)
    return std::optional<commit>{};
  auto next = run.state;
  next.status = run_status::interrupted;
  return std::optional{commit_of(run, std::move(next))};
}

result<std::optional<commit>>
decide_resume(const run_record& run, std::uint64_t uptime_ms, wall_time now) {
  if (is_terminal(run.state.status))
    return ended(run);
  if (run.state.status == run_status::running)
    return std::optional<commit>{};
  auto next = run.state;
  next.status = run_status::running;
  if (next.detached_since) {
    next.detached_since = now;
    next.detached_at_uptime_ms = uptime_ms;
  }
  return std::optional{commit_of(run, std::move(next))};
}

std::optional<commit> decide_detach(const run_record& run,
                                    std::uint64_t uptime_ms, wall_time now) {
  if (is_terminal(run.state.status) || run.state.detached_since)
    return std::nullopt;
  auto next = run.state;
  next.detached_since = now;
  next.detached_at_uptime_ms = uptime_ms;
  return commit_of(run, std::move(next));
}

std::optional<commit> decide_attach(const run_record& run) {
  if (is_terminal(run.state.status) || !run.state.detached_since)
    return std::nullopt;
  auto next = run.state;
  next.detached_since.reset();
  next.detached_at_uptime_ms = 0;
  return commit_of(run, std::move(next));
}

} // namespace baton::storage
