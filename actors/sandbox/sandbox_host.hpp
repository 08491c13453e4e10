// SPDX-License-Identifier: MIT
// Makes the provider calls that start processes or remove files, so that no
// run waits in the scheduler for another's fork. Launches and destructions have
// threads of their own: a shim that hangs, or a tree that takes minutes to
// remove, keeps nobody waiting.
// Threads: an actor; spawn it detached in production.
#pragma once

#include "actors/sandbox/provider.hpp"
#include "messages/sandbox_messages.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/event_based_actor.hpp>

#include <memory>
#include <vector>

namespace baton::sandbox {

/// -> agent_launched, unless `asker` is gone before its turn comes: a launch
/// that waited must not come behind its driver's end.
struct launch_request {
  std::shared_ptr<provider> where;
  std::shared_ptr<launch_order> order;
  std::weak_ptr<const void> asker;
};
struct agent_launched {
  std::shared_ptr<result<launch_outcome>> outcome;
};

/// -> sandbox_destroyed. Whoever lives in there is killed first.
struct destroy_request {
  std::shared_ptr<provider> where;
  instance_record what;
  /// Tries that follow when somebody lives, a second apart; the kill needs two.
  std::size_t tries_left = 10;
};

/// -> sandbox_probed.
struct probe_request {
  std::shared_ptr<provider> where;
  run_record run;
};

/// -> sandboxes_found, with nothing from a provider that cannot say.
struct list_request {
  std::vector<std::shared_ptr<provider>> where;
};
struct provider_sandbox {
  std::shared_ptr<provider> where;
  found_sandbox what;
};
struct sandboxes_found {
  std::vector<provider_sandbox> all;
};

/// Launches under way at a time; more wait for their turn.
constexpr std::size_t launches_max = 16;
/// The same for destructions.
constexpr std::size_t destructions_max = 4;

/// `detach`: launches and destructions get threads.
caf::behavior sandbox_host(caf::event_based_actor* self, bool detach);

} // namespace baton::sandbox

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(baton::sandbox::launch_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(baton::sandbox::agent_launched)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(baton::sandbox::destroy_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(baton::sandbox::probe_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(baton::sandbox::list_request)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(baton::sandbox::sandboxes_found)
