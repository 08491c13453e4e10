// SPDX-License-Identifier: MIT
#include "actors/node/leftover.hpp"

#include "messages/check.hpp"

#include <algorithm>

namespace baton::node {

namespace {

/// As only a driver with an answer to its launch can tell it.
bool was_seen_to_end(const run_state& state) {
  return state.exit_code.has_value()
         || (state.error
             && (state.error->code == errc::setup_failed
                 || state.error->code == errc::workspace_failed));
}

bool has_joined_since(const std::vector<node_view>& nodes,
                      const std::string& holder, wall_time when) {
  return std::ranges::any_of(nodes, [&](const node_view& x) {
    return x.node.str() == holder && x.state == "live"
           && x.since_ms > when.time_since_epoch().count();
  });
}

bool had_one_driver_that_saw_its_end(const run_state& state,
                                     const std::vector<claim_note>& claims) {
  return claims.size() == 1 && claims.front().epoch == state.epoch
         && was_seen_to_end(state);
}

} // namespace

bool may_forget_lone(const sandbox::found_sandbox& guard, wall_time now) {
  return guard.changed_at && now - *guard.changed_at >= lone_guard_age_min;
}

bool may_forget(const node_id& self, const sandbox::found_sandbox& guard,
                const run_record& run, const std::vector<claim_note>& claims,
                const std::vector<node_view>& nodes) {
  BATON_CHECK(guard.is_guard, "sandboxes are not forgotten but destroyed");
  const auto& state = run.state;
  BATON_CHECK(state.no == guard.run, "the record is that of the guard");
  if (!is_terminal(state.status) || !state.finished_at)
    return false;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const auto& holder = claims[i].holder;
    bool is_last = i + 1 == claims.size();
    auto lost_at = is_last ? *state.finished_at : claims[i + 1].at;
    if (holder != self.str() && !(is_last && was_seen_to_end(state))
        && !has_joined_since(nodes, holder, lost_at))
      return false;
  }
  return true;
}

bool may_forget_now(const std::string& id, const run_record& run,
                    const std::vector<claim_note>& claims) {
  const auto& state = run.state;
  return is_terminal(state.status) && state.sandbox.id == id
         && had_one_driver_that_saw_its_end(state, claims);
}

} // namespace baton::node
