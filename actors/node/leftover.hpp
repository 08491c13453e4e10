// SPDX-License-Identifier: MIT
// What becomes of launch guards. Sandboxes are the coordinator's to destroy;
// their guards outlive them, until no launch can come any more (I7).
//
// Of those that a starting node finds, whose earlier launches died with it:
//   its run has ended          forget
//   its run goes on            keep: it is all that stops a second launch
//   there is no such run       forget: nobody knows its sandbox
//
// Of one whose sandbox this life has just removed: forget if the run had one
// claim only, which was this node's, and ended as its driver saw its agent end.
// That driver's launches have all been answered, and there was no other driver
// whose launch could still be on its way. Else the next start decides.
//
// Threads: pure functions.
#pragma once

#include "actors/sandbox/provider.hpp"
#include "messages/record.hpp"

#include <string>
#include <vector>

namespace baton::node {

/// `run` is the record with the guard's number, null when there is none.
bool may_forget(const sandbox::found_sandbox& guard, const run_record* run);

/// The sandbox `id` is removed; `claims` are all that the run ever had.
bool may_forget_now(const node_id& self, const std::string& id,
                    const run_record& run,
                    const std::vector<claim_note>& claims);

} // namespace baton::node
