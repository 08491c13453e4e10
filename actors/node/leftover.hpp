// SPDX-License-Identifier: MIT
// What becomes of the launch guards that a starting node finds. Sandboxes are
// the coordinator's to destroy; their guards outlive them, until no launch can
// come any more.
//
//   its run has ended          forget
//   its run goes on            keep: it is all that stops a second launch
//   there is no such run       forget: nobody knows its sandbox
//
// Threads: a pure function.
#pragma once

#include "actors/sandbox/provider.hpp"
#include "messages/record.hpp"

namespace baton::node {

/// `run` is the record with the guard's number, null when there is none.
bool may_forget(const sandbox::found_sandbox& guard, const run_record* run);

} // namespace baton::node
