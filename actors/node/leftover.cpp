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

} // namespace baton::node
