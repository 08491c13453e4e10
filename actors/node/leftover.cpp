// SPDX-License-Identifier: MIT
#include "actors/node/leftover.hpp"

#include "messages/check.hpp"

namespace baton::node {
namespace {

bool end_is_proven(const run_state& state) {
  if (state.exit_code || state.status == run_status::aborted)
    return true;
  auto code = state.error ? state.error->code : errc::none;
  return code == errc::launch_failed || code == errc::workspace_failed
         || code == errc::setup_failed;
}

} // namespace

leftover_fate fate_of(const sandbox::found_sandbox& found,
                      const run_record* run) {
  // The guard of a run that was removed stops nobody: nobody knows its sandbox.
  if (run == nullptr)
    return found.is_guard ? leftover_fate::forget : leftover_fate::keep;
  BATON_CHECK(run->state.no == found.run, "the record is that of the sandbox");
  const auto& state = run->state;
  if (!is_terminal(state.status))
    return leftover_fate::keep;
  if (found.is_guard)
    return leftover_fate::forget;
  // What is left of a damaged record does not name its sandbox.
  if (state.error && state.error->code == errc::corrupt)
    return leftover_fate::keep;
  if (state.sandbox.id != found.where.id)
    return leftover_fate::remove;
  return end_is_proven(state) ? leftover_fate::kill_and_remove
                              : leftover_fate::keep;
}

} // namespace baton::node
