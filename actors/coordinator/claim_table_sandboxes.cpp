// SPDX-License-Identifier: MIT
// What claim_table decides about sandboxes: where a launch may make one, who is
// told to destroy one, and what that came to.
#include "actors/coordinator/claim_table.hpp"

#include "actors/coordinator/prune.hpp"
#include "messages/check.hpp"
#include "messages/instance_identity.hpp"

#include <algorithm>

namespace baton::coordinator {

// -- launching ----------------------------------------------------------------

std::optional<std::string>
claim_table::bound_label(const run_entry& run) const {
  if (!run.decided.state.sandbox.id.empty())
    return std::nullopt;
  return instances_.label_of_shared(*run.decided.spec);
}

bool claim_table::is_misplaced(const run_entry& run) const {
  auto label = bound_label(run);
  return run.driven && label
         && !nodes_.reaches(node_id{run.decided.state.holder},
                            run.decided.spec->sandbox.provider, *label);
}

void claim_table::on(token from, const record_launch& x, instant now) {
  auto* run = look_up(from, x.run, x.epoch);
  if (run == nullptr)
    return;
  const auto& state = run->decided.state;
  auto first = state.sandbox.id.empty();
  auto label = nodes_.host_label_of(node_id{state.holder});
  auto placing = first ? instances_.place(run->decided, x, label, now.wall)
                       : result<instance_table::placing>{
                         instance_table::placing{state.sandbox, {}}};
  auto where = placing ? placing->where : sandbox_binding{};
  auto change =
    storage::decide_launch(run->decided, x.epoch, x.nonce_hash, where);
  if (!change) {
    refuse(from, x.run, x.epoch, change.error());
  } else if (*change && is_misplaced(*run)) {
    // Another run of the thread was faster, on another host.
    tell(node_order{node_id{state.holder}, stop_drive{x.run, x.epoch}});
    let_go(*run);
    place(*run, "placement", now);
    refuse(from, x.run, x.epoch, storage::fenced(run->decided, x.epoch));
  } else if (*change && !placing) {
    refuse(from, x.run, x.epoch, placing.error());
  } else {
    if (*change) {
      (*change)->instances = placing->changes;
      if (first)
        instances_.take(run->decided, *placing);
      stage(*run, **std::move(change));
    }
    tell(reply{from, launch_recorded{run->decided}});
  }
  forget_if_ended(x.run);
}

void claim_table::on_cancel_delivered(const cancel_delivered& x, instant now) {
  auto i = runs_.find(x.run);
  if (i == runs_.end())
    return;
  if (auto change =
        storage::decide_cancel_delivered(i->second.decided, x.epoch, now.wall))
    stage(i->second, *std::move(change));
}

// -- requests -----------------------------------------------------------------

void claim_table::on(token from, const list_sandboxes&, instant) {
  tell(reply{from, sandbox_list{instances_.all()}});
}

void claim_table::on(token from, const remove_sandbox& x, instant now) {
  auto changes = instances_.doom(x.key);
  if (!changes) {
    if (changes.error().code == errc::unknown_sandbox)
      tally_.reclaimed(x.key.empty() ? "no_sandbox_key" : "not_found");
    return refuse(from, {}, {}, changes.error());
  }
  stage(*std::move(changes));
  tell(reply{from, sandbox_list{{*instances_.find(x.key)}}});
  order_debts(now);
}

// -- debts --------------------------------------------------------------------

void claim_table::order_debts(instant now) {
  for (const auto& x : instances_.unanswered(now.mono))
    on_destroyed({x.key, x.id, errc::timed_out,
                  "node '" + printable(x.node.str())
                    + "' was told to destroy it and did not answer"},
                 now);
  for (auto& what : instances_.due(now.mono)) {
    auto node = nodes_.find(what.provider, what.host_label);
    if (!node) {
      stage(instances_.nobody_can(
        what.key, "no live node has the provider '" + printable(what.provider)
                    + "' and reaches the host '" + printable(what.host_label)
                    + "'; start one there"));
      continue;
    }
    instances_.ordered(what.key, *node, now.mono);
    tell(node_order{*node, destroy_sandbox{std::move(what)}});
  }
}

void claim_table::on_destroyed(const sandbox_destroyed& x, instant now) {
  const auto* debt = instances_.find(x.key);
  if (debt == nullptr || debt->id != x.id)
    return; // It was told before.
  auto outcome = x.code == errc::none          ? "destroyed"
                 : x.code == errc::unsupported ? "provider_mismatch"
                                               : "destroy_failed";
  tally_.reclaimed(outcome);
  // Once: what it waits for is told by the list of sandboxes.
  if (x.code != errc::none && debt->attempts == 0) {
    tally_.reaped("reclaim_failed");
    tell(notice{"the sandbox " + printable(debt->id)
                + " could not be destroyed and stays on the list: "
                + x.message});
  }
  stage(instances_.answered(x, now));
}

// -- what no record names -----------------------------------------------------

std::optional<claim_table::judged>
claim_table::on_found(const node_id& node, const local_sandbox& x, bool remove,
                      instant now) {
  if (instances_.find(x.provider, x.id) != nullptr)
    return std::nullopt;
  std::optional<std::chrono::milliseconds> age;
  if (x.has_age)
    age = std::chrono::milliseconds{x.age_ms};
  run_entry* user = nullptr;
  // Never empty for what only one run had: its removal keeps the guard.
  run_id made_for{"number " + std::to_string(x.run.value)};
  prune_verdict verdict;
  if (x.shared) {
    for (auto& [id, run] : runs_)
      if (!is_terminal(run.decided.state.status)
          && run.decided.state.sandbox.shared_id == x.id)
        user = &run;
    verdict = prune_shared(user != nullptr, age);
  } else {
    prune_case what{x.run, x.id, look_up::unknown, {}, newest_, age};
    auto found = source_.list({{}, {}, run_no{x.run.value - 1}, 1});
    if (!found)
      what.run_is = look_up::failed;
    else if (!found->empty() && found->front().state.no == x.run) {
      what.run_is = look_up::found;
      what.run = found->front().state;
      made_for = found->front().id();
      if (auto i = runs_.find(found->front().id()); i != runs_.end()) {
        user = &i->second;
        what.run = user->decided.state;
      }
    }
    verdict = prune(what);
  }
  judged out{{node, x.provider, x.id, "kept", verdict.reason}, {}};
  if (verdict.fate == prune_fate::adopt && user != nullptr) {
    stage(instances_.adopt(user->decided, now.wall));
    out.what.fate = "adopted";
  } else if (verdict.fate == prune_fate::remove) {
    out.what.fate = "removable";
    if (!remove)
      return out;
    instance_record debt;
    if (!x.shared)
      debt.run = made_for;
    debt.key = key_of({{}, {}, x.id, x.provider, {}, {}});
    debt.provider = x.provider;
    debt.id = x.id;
    debt.host_label = nodes_.host_label_of(node);
    debt.created_at = now.wall;
    out.debt = debt.key;
    stage(instances_.owe(std::move(debt)));
    tally_.pruned();
    order_debts(now);
  }
  return out;
}

} // namespace baton::coordinator
