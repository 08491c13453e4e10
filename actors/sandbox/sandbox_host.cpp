// SPDX-License-Identifier: MIT
#include "actors/sandbox/sandbox_host.hpp"

#include "messages/crash_point.hpp"

#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>

namespace baton::sandbox {
namespace {

constexpr auto retry_interval = std::chrono::seconds{1};

void remove(caf::event_based_actor* self, remove_request x) {
  auto done = x.where->remove(x.binding);
  if (done.code != errc::in_use || !x.kill_living || x.tries_left == 0)
    return;
  ignore_result(x.where->kill(x.binding), "asked again with the next try");
  x.tries_left -= 1;
  self->delayed_send(self, retry_interval, std::move(x));
}

sandboxes_found list(const list_request& x) {
  sandboxes_found out;
  for (const auto& where : x.where)
    if (auto found = where->list())
      for (auto& what : *found)
        out.all.push_back({where, std::move(what)});
  return out;
}

} // namespace

caf::behavior sandbox_host(caf::event_based_actor* self) {
  return {
    [](const launch_request& x) {
      pass(crash_point::before_launch);
      auto outcome = x.where->launch(*x.order);
      pass(crash_point::after_launch);
      return agent_launched{
        std::make_shared<result<launch_outcome>>(std::move(outcome))};
    },
    [self](const remove_request& x) { remove(self, x); },
    [](const list_request& x) { return list(x); },
  };
}

} // namespace baton::sandbox
