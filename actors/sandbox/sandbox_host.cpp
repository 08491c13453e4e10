// SPDX-License-Identifier: MIT
#include "actors/sandbox/sandbox_host.hpp"

#include "messages/crash_point.hpp"

#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>

#include <deque>
#include <exception>
#include <string>
#include <utility>

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

/// A run that heard nothing of its launch would wait for ever.
result<launch_outcome> attempt(const launch_request& x) {
  try {
    return x.where->launch(*x.order);
  } catch (const std::exception& why) {
    return {errc::outcome_unknown, std::string{"the launch broke off: "}
                                     + why.what()
                                     + "; launch again, the guard keeps it "
                                       "from running twice"};
  }
}

/// One launch; tells the run, and is over.
void launcher(caf::event_based_actor* self, const launch_request& x,
              const caf::actor& run) {
  pass(crash_point::before_launch);
  auto outcome = attempt(x);
  pass(crash_point::after_launch);
  self->send(run, agent_launched{std::make_shared<result<launch_outcome>>(
                    std::move(outcome))});
}

class launches {
public:
  launches(caf::event_based_actor* self, bool detach)
    : self_(self), detach_(detach) {}

  void add(const launch_request& x) {
    waiting_.emplace_back(x,
                          caf::actor_cast<caf::actor>(self_->current_sender()));
    start();
  }

  void on_down() {
    under_way_ -= 1;
    start();
  }

private:
  void start() {
    while (under_way_ < launches_max && !waiting_.empty()) {
      auto [what, run] = std::move(waiting_.front());
      waiting_.pop_front();
      under_way_ += 1;
      if (detach_)
        self_->spawn<caf::detached + caf::monitored>(launcher, what, run);
      else
        self_->spawn<caf::monitored>(launcher, what, run);
    }
  }

  caf::event_based_actor* self_;
  bool detach_;
  std::size_t under_way_ = 0;
  std::deque<std::pair<launch_request, caf::actor>> waiting_;
};

} // namespace

caf::behavior sandbox_host(caf::event_based_actor* self, bool detach) {
  auto all = std::make_shared<launches>(self, detach);
  self->set_down_handler([all](caf::down_msg&) { all->on_down(); });
  return {
    [all](const launch_request& x) { all->add(x); },
    [self](const remove_request& x) { remove(self, x); },
    [](const list_request& x) { return list(x); },
  };
}

} // namespace baton::sandbox
