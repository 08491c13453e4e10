// SPDX-License-Identifier: MIT
#include "actors/sandbox/sandbox_host.hpp"

#include "messages/crash_point.hpp"
#include "messages/exit_marker.hpp"

#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <deque>
#include <exception>
#include <string>
#include <utility>

namespace baton::sandbox {
namespace {

constexpr auto retry_interval = std::chrono::seconds{1};

status destroy_once(const destroy_request& x) {
  try {
    // What only one run had goes by its own name, and leaves its guard.
    return x.what.run.empty()
             ? x.where->destroy_instance(x.what.id)
             : x.where->remove({{}, x.what.id, x.what.host_label, {}});
  } catch (const std::exception& why) {
    return make_status(errc::io_failed,
                       std::string{"the provider broke off: "} + why.what());
  }
}

void destroy(caf::event_based_actor* self, destroy_request x,
             const caf::actor& asker) {
  auto done = destroy_once(x);
  if (done.code == errc::in_use && x.tries_left > 0) {
    ignore_result(x.where->kill({{}, x.what.id, x.what.host_label, {}}),
                  "asked again with the next try");
    x.tries_left -= 1;
    self->delayed_send(self, retry_interval, std::move(x), asker);
    return;
  }
  self->send(asker, sandbox_destroyed{x.what.key, x.what.id, done.code,
                                      done.message});
}

/// Believes only the report of a launch that the record knows.
probe_verdict verdict_of(const probe_report& x, const run_record& run) {
  if (x.state == agent_state::alive)
    return probe_verdict::producing;
  auto known = [&](const std::string& hash) {
    return hash == hash_of_nonce(x.exit->nonce);
  };
  return x.state == agent_state::exited && x.exit
             && std::ranges::any_of(run.state.nonce_hashes, known)
           ? probe_verdict::finished
           : probe_verdict::unknown;
}

sandbox_probed probe(const probe_request& x) {
  try {
    auto got = x.where->probe(x.run.state.sandbox);
    if (got)
      return {x.run.id(), verdict_of(*got, x.run), {}};
    return {x.run.id(), probe_verdict::unknown, got.error().message};
  } catch (const std::exception& why) {
    return {x.run.id(), probe_verdict::unknown, why.what()};
  }
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
    [self](const destroy_request& x) {
      destroy(self, x, caf::actor_cast<caf::actor>(self->current_sender()));
    },
    [self](const destroy_request& x, const caf::actor& asker) {
      destroy(self, x, asker);
    },
    [](const probe_request& x) { return probe(x); },
    [](const list_request& x) { return list(x); },
  };
}

} // namespace baton::sandbox
