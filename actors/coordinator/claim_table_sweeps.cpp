// SPDX-License-Identifier: MIT
// What claim_table does about runs that nobody watches and records that nobody
// wants any more.
#include "actors/coordinator/claim_table.hpp"

#include <algorithm>

namespace baton::coordinator {

reap_case claim_table::case_of(const run_entry& run, instant now) const {
  reap_case out;
  const auto& state = run.decided.state;
  out.status = state.status;
  // The viewers of this moment: one that came meanwhile spares the run (D5).
  out.detached = run.viewers == 0 && state.detached_since.has_value();
  auto uptime = uptime_ms(now.mono);
  out.expired =
    out.detached
    && uptime >= state.detached_at_uptime_ms + in_ms(policy_.detached_ttl);
  out.claim_held = run.decided.spec->external
                     ? has_lease(run.decided.id(), now.mono)
                     : run.driven;
  return out;
}

void claim_table::on_expiry(run_entry& run, instant now) {
  auto what = case_of(run, now);
  // The deadline says so, to the millisecond.
  what.expired = what.detached;
  auto why = run.misses_viewers ? errc::cancelled : errc::expired;
  if (reap(what) == reap_verdict::expire && request_cancel(run, why, now))
    tally_.reaped("expired");
}

void claim_table::on_sweep(instant now) {
  tally_.swept(now.wall);
  std::erase_if(probing_, [&](const auto& x) {
    if (x.second > now.mono)
      return false;
    tally_.reaped("budget_exceeded");
    tell(notice{"a sweep asked whether the agent of run '"
                + printable(x.first.str()) + "' has ended and got no answer"});
    return true;
  });
  std::size_t looked_at = 0;
  // Round by round, behind the one that the last sweep ended with.
  auto i = runs_.upper_bound(swept_);
  for (auto n = runs_.size(); n > 0 && looked_at < reap_candidates_max; --n) {
    if (i == runs_.end())
      i = runs_.begin();
    auto& [id, run] = *i++;
    if (!run.durable || reap(case_of(run, now)) == reap_verdict::leave)
      continue;
    looked_at += 1;
    swept_ = id;
    look_at(run, now);
  }
}

void claim_table::look_at(run_entry& run, instant now) {
  switch (reap(case_of(run, now))) {
  case reap_verdict::leave:
  case reap_verdict::finalize: // Only a probe's answer says so.
    return;
  case reap_verdict::expire:
    return on_expiry(run, now);
  case reap_verdict::producing:
    return tally_.reaped("producing");
  case reap_verdict::unknown:
    return tally_.reaped("unknown");
  case reap_verdict::probe:
    return probe(run, now);
  }
}

void claim_table::probe(run_entry& run, instant now) {
  const auto& record = run.decided;
  auto node = record.spec->external || record.state.sandbox.id.empty()
                ? std::nullopt
                : nodes_.find(record.spec->sandbox.provider,
                              record.state.sandbox.host_label);
  if (!node)
    return tally_.reaped(record.spec->external ? "unknown" : "not_claimed");
  if (probing_.emplace(record.id(), now.mono + reap_budget).second)
    tell(node_order{*node, probe_sandbox{record}});
}

void claim_table::on_probed(const sandbox_probed& x, instant now) {
  auto i = runs_.find(x.run);
  if (probing_.erase(x.run) == 0 || i == runs_.end())
    return;
  auto& run = i->second;
  auto what = case_of(run, now);
  what.probe = x.verdict;
  switch (reap(what)) {
  case reap_verdict::finalize: {
    auto before = run.decided.state.epoch;
    place(run, "reaped", now);
    tally_.reaped(run.decided.state.epoch == before ? "not_claimed"
                                                    : "finalized");
    return;
  }
  case reap_verdict::expire:
    return on_expiry(run, now);
  case reap_verdict::producing:
    return tally_.reaped("producing");
  case reap_verdict::unknown:
    return tally_.reaped("unknown");
  case reap_verdict::leave:
  case reap_verdict::probe:
    return;
  }
}

std::size_t claim_table::retire(const std::vector<run_view>& stored,
                                instant now) {
  std::size_t out = 0;
  std::string names;
  for (const auto& [run, viewers, sandbox] : stored) {
    const auto& state = run.state;
    // By the end that is recorded, never by the times of files.
    if (policy_.retain.count() == 0 || !is_terminal(state.status)
        || !state.finished_at || now.wall - *state.finished_at < policy_.retain)
      continue;
    on(token{0}, remove_run{run.id()}, now);
    tally_.retired();
    out += 1;
    names += (names.empty() ? "'" : ", '") + printable(run.id().str()) + "'";
  }
  if (out > 0)
    tell(notice{"removed what had been kept long enough: " + names});
  return out;
}

} // namespace baton::coordinator
