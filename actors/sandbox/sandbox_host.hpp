// SPDX-License-Identifier: MIT
// Makes the provider calls that start processes or remove files, one at a
// time, on a thread of its own, so that no run waits in the scheduler for
// another's fork.
// Threads: an actor; spawn it detached in production.
#pragma once

#include "actors/sandbox/provider.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/event_based_actor.hpp>

#include <memory>

namespace baton::sandbox {

/// -> agent_launched.
struct launch_request {
  std::shared_ptr<provider> where;
  std::shared_ptr<launch_order> order;
};
struct agent_launched {
  std::shared_ptr<result<launch_outcome>> outcome;
};

/// Nobody waits for the outcome: what could not be removed stays for pruning.
struct remove_request {
  std::shared_ptr<provider> where;
  sandbox_binding binding;
};

caf::behavior sandbox_host(caf::event_based_actor* self);

} // namespace baton::sandbox

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(baton::sandbox::launch_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(baton::sandbox::agent_launched)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(baton::sandbox::remove_request)
