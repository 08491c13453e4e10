// SPDX-License-Identifier: MIT
// What becomes of launch guards. Sandboxes are the coordinator's to destroy;
// their guards outlive them, until no launch can come any more (I7).
//
// Of those that a starting node finds, whose earlier launches died with it:
//   its run goes on            keep: it is all that stops a second launch
//   its run has ended          forget, once no other node can launch it
//   there is no such run       forget after a day: who had claims is not known
// Any node of the host that had a claim may have been told to launch, and may
// wake up with that order after the run's end. It has none any more when it saw
// the end, or has joined since it lost the claim.
//
// Of one whose sandbox has just been removed: forget if the run had one claim
// only, and ended as that claim's driver saw its agent, or set-up, end. That
// driver's launches have all been answered, and there was no other driver whose
// launch could still be on its way. Else the next start decides.
//
// Threads: pure functions.
#pragma once

#include "actors/sandbox/provider.hpp"
#include "messages/claim_messages.hpp"
#include "messages/record.hpp"

#include <string>
#include <vector>

namespace baton::node {

/// No node sleeps longer than that with an order to launch unread.
constexpr std::chrono::hours lone_guard_age_min{24};

/// `self` has just started, at `now`.
bool may_forget_lone(const sandbox::found_sandbox& guard, wall_time now);

/// `run` is the record with the guard's number; `claims` are all that it ever
/// had, `nodes` all that the coordinator knows.
bool may_forget(const node_id& self, const sandbox::found_sandbox& guard,
                const run_record& run, const std::vector<claim_note>& claims,
                const std::vector<node_view>& nodes);

/// The sandbox `id` is removed; `claims` are all that the run ever had.
bool may_forget_now(const std::string& id, const run_record& run,
                    const std::vector<claim_note>& claims);

} // namespace baton::node
