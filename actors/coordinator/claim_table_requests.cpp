// SPDX-License-Identifier: MIT
// The handlers of claim_table that decide what somebody asked for.
#include "actors/coordinator/claim_table.hpp"

#include "messages/request_difference.hpp"
#include "storage/commit_check.hpp"

#include <algorithm>

namespace baton::coordinator {
namespace {

constexpr std::uint64_t ttl_ms_min = 100;
constexpr std::uint64_t ttl_ms_max = 600'000;

/// Where the last line of an append of which all is stored ends; nothing when
/// its entries were trimmed and neither the append nor the log says.
std::optional<position> end_of_repeated(const run_state& run,
                                        const storage::append_order& order,
                                        const std::vector<entry>& stored) {
  if (!stored.empty())
    return stored.back().end;
  if (order.first_seq.value + order.lines.size() - 1 == run.last_seq.value)
    return run.end;
  if (order.begin)
    return position{order.begin->value + order.lines.bytes.size()};
  return std::nullopt;
}

status reused(const run_spec& there, const run_spec& wanted) {
  std::string fields;
  for (const auto& field : differing_fields(there, wanted))
    fields += (fields.empty() ? "" : ", ") + field;
  return make_status(errc::run_id_reused, "run '" + printable(there.id.str())
                                            + "' exists with another " + fields
                                            + "; pick another id")
    .with("differs", fields);
}

} // namespace

// -- requests about runs ------------------------------------------------------

void claim_table::on(token from, const create_run& x, instant now) {
  const auto& id = x.spec.id;
  if (!is_valid_id(id.str()))
    return refuse(from, id, {},
                  make_status(errc::malformed,
                              "run ids are 1 to 512 bytes of UTF-8 without "
                              "control characters, found '"
                                + printable(id.str()) + "'"));
  if (!x.spec.thread.empty() && !is_valid_id(x.spec.thread.str()))
    return refuse(from, id, {},
                  make_status(errc::malformed,
                              "thread ids follow the rules of run ids, found '"
                                + printable(x.spec.thread.str()) + "'"));
  auto found = runs_.find(id);
  if (found == runs_.end()) {
    auto stored = source_.load(id);
    if (stored) {
      found = runs_.emplace(id, run_entry{}).first;
      found->second.decided = *stored;
      found->second.durable = *std::move(stored);
    } else if (stored.error().code != errc::unknown_run) {
      return refuse(from, id, {}, stored.error());
    }
  }
  if (found != runs_.end()) {
    auto& run = found->second;
    if (run.removing)
      refuse(
        from, id, {},
        make_status(errc::unavailable, "run '" + printable(id.str())
                                         + "' is being removed; try again"));
    else if (same_request(*run.decided.spec, x.spec))
      tell(reply{from, run_created{view_of(run), true}});
    else
      refuse(from, id, {}, reused(*run.decided.spec, x.spec));
    return forget_if_ended(id);
  }
  auto floor = source_.epoch_floor();
  if (!floor)
    return refuse(from, id, {}, floor.error());
  auto spec = x.spec;
  if (spec.thread.empty())
    spec.thread = thread_id{id.str()};
  spec.started_at = now.wall;
  auto& run = runs_[id];
  run.decided.spec = std::make_shared<const run_spec>(std::move(spec));
  auto next = run.decided.state;
  next.epoch = *floor;
  next.detached_since = now.wall;
  next.detached_at_uptime_ms = uptime_ms(now.mono);
  stage(run, storage::commit_of(run.decided, std::move(next)));
  arm_detached(run, now);
  if (!run.decided.spec->external)
    place(run, "placement", now);
  tell(reply{from, run_created{view_of(run), false}});
}

void claim_table::on(token from, const cancel_run& x, instant now) {
  auto* run = look_up(from, x.run);
  if (run == nullptr)
    return;
  auto change = storage::decide_cancel(run->decided, errc::cancelled, now.wall);
  if (!change) {
    refuse(from, x.run, {}, change.error());
  } else {
    if (*change) {
      stage(*run, **std::move(change));
      push_cancel(*run, now);
    }
    tell(reply{from, view_of(*run)});
  }
  forget_if_ended(x.run);
}

void claim_table::on(token from, const interrupt_run& x, instant) {
  auto* run = look_up(from, x.run);
  if (run == nullptr)
    return;
  auto change = storage::decide_interrupt(run->decided);
  if (!change) {
    refuse(from, x.run, {}, change.error());
  } else {
    if (*change)
      stage(*run, **std::move(change));
    deadlines_.clear(x.run, deadline_kind::detached);
    tell(reply{from, view_of(*run)});
  }
  forget_if_ended(x.run);
}

void claim_table::on(token from, const resume_run& x, instant now) {
  auto* run = look_up(from, x.run);
  if (run == nullptr)
    return;
  auto change =
    storage::decide_resume(run->decided, uptime_ms(now.mono), now.wall);
  if (!change) {
    refuse(from, x.run, {}, change.error());
  } else {
    if (*change)
      stage(*run, **std::move(change));
    arm_detached(*run, now);
    tell(reply{from, view_of(*run)});
  }
  forget_if_ended(x.run);
}

void claim_table::on(token from, const trim_run& x, instant) {
  auto* run = look_up(from, x.run);
  if (run == nullptr)
    return;
  auto change = storage::decide_trim(run->decided, x.before);
  if (!change) {
    refuse(from, x.run, {}, change.error());
  } else {
    if (*change)
      stage(*run, **std::move(change));
    tell(reply{from, view_of(*run)});
  }
  forget_if_ended(x.run);
}

void claim_table::on(token from, const remove_run& x, instant) {
  auto* run = look_up(from, x.run);
  if (run == nullptr)
    return;
  const auto& state = run->decided.state;
  if (!is_terminal(state.status)) {
    return refuse(from, x.run, {},
                  make_status(errc::not_terminal,
                              "run '" + printable(x.run.str()) + "' is "
                                + std::string{to_string(state.status)}
                                + "; cancel it and wait for its end first"));
  }
  if (!is_durable(*run) || run->removing) {
    return refuse(
      from, x.run, {},
      make_status(errc::unavailable, "run '" + printable(x.run.str())
                                       + "' is being changed; try again"));
  }
  run->removing = true;
  stage(instances_.forget_run(x.run));
  open_batch().removals.push_back({x.run, state.version});
  tell(reply{from, run_removed{x.run}});
}

// -- claims of external drivers -----------------------------------------------

void claim_table::on(token from, const claim_run& x, instant now) {
  auto* run = look_up_external(from, x.run);
  if (run == nullptr)
    return;
  auto ttl = x.ttl_ms == 0 ? in_ms(policy_.lease) : x.ttl_ms;
  auto lease = deadlines_.find(x.run, deadline_kind::lease);
  auto live = has_lease(x.run, now.mono);
  auto cause = live                                ? "steal"
               : run->decided.state.holder.empty() ? "external"
                                                   : "lease_lapsed";
  if (ttl < ttl_ms_min || ttl > ttl_ms_max) {
    refuse(from, x.run, {},
           make_status(errc::malformed, "ttl_ms is 100 to 600000, found "
                                          + std::to_string(ttl)));
  } else if (!is_terminal(run->decided.state.status) && !x.steal && live) {
    auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(*lease - now.mono);
    refuse(from, x.run, {},
           make_status(errc::held, "run '" + printable(x.run.str())
                                     + "' is claimed by '"
                                     + printable(run->decided.state.holder)
                                     + "'; wait, or claim with steal: true")
             .with("holder", run->decided.state.holder)
             .with("epoch", run->decided.state.epoch.value)
             .with("expires_in_ms", in_ms(left)));
  } else if (auto change =
               storage::decide_claim(run->decided, {x.holder, cause, now.wall});
             !change) {
    refuse(from, x.run, {}, change.error());
  } else {
    stage(*run, *std::move(change));
    ttl_ms_[x.run] = ttl;
    renew(*run, ttl, now);
    tell(reply{from, grant_of(*run, ttl)});
  }
  forget_if_ended(x.run);
}

void claim_table::on(token from, const renew_claim& x, instant now) {
  auto* run = look_up_external(from, x.run, x.epoch);
  if (run == nullptr)
    return;
  const auto& state = run->decided.state;
  if (!storage::is_current(state, x.epoch) || is_terminal(state.status)) {
    refuse(from, x.run, x.epoch, storage::fenced(run->decided, x.epoch));
  } else {
    auto ttl = ttl_ms_.contains(x.run) ? ttl_ms_[x.run] : in_ms(policy_.lease);
    renew(*run, ttl, now);
    tell(reply{from, grant_of(*run, ttl)});
  }
  forget_if_ended(x.run);
}

void claim_table::on(token from, const release_claim& x, instant now) {
  auto* run = look_up_external(from, x.run, x.epoch);
  if (run == nullptr)
    return;
  if (auto change = storage::decide_release(run->decided, x.epoch); !change) {
    refuse(from, x.run, x.epoch, change.error());
  } else {
    stage(*run, *std::move(change));
    deadlines_.clear(x.run, deadline_kind::lease);
    if (run->decided.state.cancel_requested_at)
      end_without_driver(*run, now);
    tell(reply{from, claim_released{x.run}});
  }
  forget_if_ended(x.run);
}

void claim_table::on(token from, const takeover_run& x, instant now) {
  auto* run = look_up(from, x.run);
  if (run == nullptr)
    return;
  const auto& state = run->decided.state;
  auto old_node = node_id{state.holder};
  if (is_terminal(state.status) || run->decided.spec->external) {
    refuse(from, x.run, {},
           is_terminal(state.status)
             ? make_status(errc::terminal,
                           "run '" + printable(x.run.str()) + "' has ended")
             : make_status(errc::unsupported,
                           "run '" + printable(x.run.str())
                             + "' is driven from outside; claim it with "
                               "steal: true instead"));
    return forget_if_ended(x.run);
  }
  // Who asks while a claim is being made joins it: of many who see the same
  // node die, one takes the run over.
  auto being_claimed =
    run->driven
    && (!run->durable || run->durable->state.version < run->claimed_version);
  if (being_claimed && (x.node.empty() || x.node == old_node))
    return tell(reply{from, run_moved{state.epoch, old_node}});
  auto label = bound_label(*run);
  auto target = x.node.empty()
                  ? nodes_.choose(run->decided, old_node, now.mono, label)
                  : std::optional{x.node};
  if (!target || !nodes_.is_eligible(*target, run->decided, label)) {
    return refuse(
      from, x.run, {},
      make_status(errc::no_eligible_node,
                  "no live node "
                    + (x.node.empty() ? std::string{}
                                      : "'" + printable(x.node.str()) + "' ")
                    + "can drive run '" + printable(x.run.str())
                    + "'; start one that reaches its sandbox"));
  }
  if (run->driven)
    tell(node_order{old_node, stop_drive{x.run, state.epoch}});
  drive_on(*run, *target, "takeover", now);
  tell(reply{from, run_moved{run->decided.state.epoch, *target}});
}

// -- writes -------------------------------------------------------------------

void claim_table::on(token from, append_lines x, instant now, writer who) {
  auto* run = who == writer::outside ? look_up_external(from, x.run, x.epoch)
                                     : look_up(from, x.run, x.epoch);
  if (run == nullptr)
    return;
  storage::append_order order{
    x.epoch, x.first_seq, x.has_begin ? std::optional{x.begin} : std::nullopt,
    x.lines, now.wall};
  auto plan = storage::decide_append(run->decided, order);
  if (!plan) {
    refuse(from, x.run, x.epoch, plan.error());
    return forget_if_ended(x.run);
  }
  // Where the append's last line ends, when all of it was there before.
  std::optional<position> end;
  if (plan->stored > 0) {
    auto last = x.first_seq.value + plan->stored - 1;
    if (!run->durable || last > run->durable->state.last_seq.value) {
      // What it repeats is decided but not yet written: compare later.
      parked_.push_back({from, std::move(x)});
      return;
    }
    auto stored = stored_for(*run, x, plan->stored);
    auto verdict =
      stored ? storage::compare_stored(*stored, order) : stored.error();
    if (verdict.ok() && plan->refusal)
      verdict = *plan->refusal;
    if (!verdict.ok()) {
      refuse(from, x.run, x.epoch, std::move(verdict));
      return forget_if_ended(x.run);
    }
    end = end_of_repeated(run->decided.state, order, *stored);
    if (!plan->change && !end) {
      refuse(from, x.run, x.epoch,
             storage::trimmed(x.run, run->decided.state.trimmed));
      return forget_if_ended(x.run);
    }
  } else if (plan->refusal) {
    refuse(from, x.run, x.epoch, *std::move(plan->refusal));
    return forget_if_ended(x.run);
  }
  auto duplicate = !plan->change;
  if (plan->change)
    stage(*run, *std::move(plan->change));
  renew_by_append(*run, now);
  auto done = done_of(*run, x, duplicate);
  if (duplicate)
    done.end = *end;
  tell(reply{from, std::move(done)});
  forget_if_ended(x.run);
}

result<std::vector<entry>> claim_table::stored_for(const run_entry& run,
                                                   const append_lines& x,
                                                   std::size_t count) const {
  // What was trimmed cannot be compared: the rest decides.
  auto from = std::max(x.first_seq.value - 1, run.decided.state.trimmed.value);
  auto behind = x.first_seq.value - 1 + count;
  if (from >= behind)
    return std::vector<entry>{};
  count = behind - from;
  auto stored = source_.read(*run.durable, {seq{from}, count, SIZE_MAX});
  if (stored && stored->size() < count)
    return {errc::corrupt,
            "entry " + std::to_string(from + 1 + stored->size()) + " of run '"
              + printable(x.run.str())
              + "' cannot be read back, so that nobody can tell whether the "
                "append repeats it"};
  return stored;
}

void claim_table::renew_by_append(const run_entry& run, instant now) {
  if (!run.decided.spec->external || is_terminal(run.decided.state.status))
    return;
  auto asked = ttl_ms_.find(run.decided.id());
  renew(run, asked == ttl_ms_.end() ? in_ms(policy_.lease) : asked->second,
        now);
}

void claim_table::on(token from, const finish_run& x, instant now, writer who) {
  auto* run = who == writer::outside ? look_up_external(from, x.run, x.epoch)
                                     : look_up(from, x.run, x.epoch);
  if (run == nullptr)
    return;
  auto change = storage::decide_finish(
    run->decided,
    {x.epoch, x.last_seq.value == 0 ? std::nullopt : std::optional{x.last_seq},
     x.outcome, now.wall});
  if (!change) {
    refuse(from, x.run, x.epoch, change.error());
  } else {
    if (*change) {
      const auto& why = x.outcome.error;
      if (why && why->code == errc::launch_failed)
        nodes_.note_failed_launch(node_id{run->decided.state.holder}, now.mono);
      stage(*run, **std::move(change));
    }
    settle(*run);
    tell(reply{from, run_finished{view_of(*run)}});
  }
  forget_if_ended(x.run);
}

} // namespace baton::coordinator
