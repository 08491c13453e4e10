// SPDX-License-Identifier: MIT
#include "actors/sandbox/sandbox_host.hpp"

#include "messages/crash_point.hpp"

#include <caf/behavior.hpp>

namespace baton::sandbox {

caf::behavior sandbox_host(caf::event_based_actor*) {
  return {
    [](const launch_request& x) {
      pass(crash_point::before_launch);
      auto outcome = x.where->launch(*x.order);
      pass(crash_point::after_launch);
      return agent_launched{
        std::make_shared<result<launch_outcome>>(std::move(outcome))};
    },
    [](const remove_request& x) {
      ignore_result(x.where->remove(x.binding), "pruning finds it later");
    },
  };
}

} // namespace baton::sandbox
