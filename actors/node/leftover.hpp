// SPDX-License-Identifier: MIT
// What becomes of a sandbox that a starting node finds: a daemon killed between
// the end of a run and its clean-up leaves one that nobody would come back for.
//
//   its run has not ended          keep: a driver needs it
//   its run ended, provably        remove, and kill what lives in there
//   its run ended, nobody saw how  keep: what is in it may be wanted (B12)
//   only a guard, its run ended     forget; while the run goes on, keep: the
//                                  guard is all that stops a second launch
//   its run names another one      remove, unless somebody lives in there
//   there is no such run           keep, and tell: the store may be an old copy
//                                  whose runs are somebody's work
//
// Threads: a pure function.
#pragma once

#include "actors/sandbox/provider.hpp"
#include "messages/record.hpp"

namespace baton::node {

enum class leftover_fate : std::uint8_t {
  keep,
  remove,
  kill_and_remove,
  /// Only its launch guard is left, and not needed.
  forget,
};

/// `run` is the record with the number of the found sandbox, null when there is
/// none.
leftover_fate fate_of(const sandbox::found_sandbox& found,
                      const run_record* run);

} // namespace baton::node
