// SPDX-License-Identifier: MIT
#include "actors/node/leftover.hpp"

#include "messages/check.hpp"

namespace baton::node {

bool may_forget(const sandbox::found_sandbox& guard, const run_record* run) {
  BATON_CHECK(guard.is_guard, "sandboxes are not forgotten but destroyed");
  if (run == nullptr)
    return true;
  BATON_CHECK(run->state.no == guard.run, "the record is that of the guard");
  return is_terminal(run->state.status);
}

bool may_forget_now(const node_id& self, const std::string& id,
                    const run_record& run,
                    const std::vector<claim_note>& claims) {
  const auto& state = run.state;
  return is_terminal(state.status) && state.exit_code.has_value()
         && state.sandbox.id == id && claims.size() == 1
         && claims.front().epoch == state.epoch
         && claims.front().holder == self.str();
}

} // namespace baton::node
