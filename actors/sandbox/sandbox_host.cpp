// SPDX-License-Identifier: MIT
#include "actors/sandbox/sandbox_host.hpp"

#include "actors/foreign_mail.hpp"
#include "messages/crash_point.hpp"
#include "messages/exit_marker.hpp"

#include <caf/actor_addr.hpp>
#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <deque>
#include <exception>
#include <functional>
#include <map>
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

/// One try; another is `host`'s to make.
void destroy(caf::event_based_actor* self, const caf::actor& host,
             destroy_request x, const caf::actor& asker) {
  auto done = destroy_once(x);
  if (done.code == errc::in_use && x.tries_left > 0) {
    ignore_result(x.where->kill({{}, x.what.id, x.what.host_label, {}}),
                  "asked again with the next try");
    x.tries_left -= 1;
    self->delayed_send(host, retry_interval, std::move(x), asker);
    return;
  }
  self->send(asker,
             sandbox_destroyed{x.what.key, x.what.id, done.code, done.message});
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
  if (x.asker.expired())
    return;
  pass(crash_point::before_launch);
  auto outcome = attempt(x);
  pass(crash_point::after_launch);
  self->send(run, agent_launched{std::make_shared<result<launch_outcome>>(
                    std::move(outcome))});
}

/// So many actors at a time; more wait for their turn.
class crew {
public:
  explicit crew(std::size_t max) : max_(max) {}

  void add(const std::string& task, std::function<caf::actor()> spawn) {
    waiting_.emplace_back(task, std::move(spawn));
    start();
  }

  bool has(const std::string& task) const {
    auto same = [&](const auto& x) { return x.second == task; };
    auto waits = [&](const auto& x) { return x.first == task; };
    return std::ranges::any_of(at_work_, same)
           || std::ranges::any_of(waiting_, waits);
  }

  void on_down(const caf::actor_addr& who) {
    if (at_work_.erase(who) > 0)
      start();
  }

private:
  void start() {
    while (at_work_.size() < max_ && !waiting_.empty()) {
      auto [task, spawn] = std::move(waiting_.front());
      waiting_.pop_front();
      at_work_.emplace(spawn().address(), std::move(task));
    }
  }

  std::size_t max_;
  std::map<caf::actor_addr, std::string> at_work_;
  std::deque<std::pair<std::string, std::function<caf::actor()>>> waiting_;
};

class host_state {
public:
  host_state(caf::event_based_actor* self, bool detach)
    : self_(self), detach_(detach) {}

  void launch(const launch_request& x) {
    auto run = caf::actor_cast<caf::actor>(self_->current_sender());
    launches_.add({}, [self = self_, detach = detach_, x, run]() -> caf::actor {
      if (detach)
        return self->spawn<caf::detached + caf::monitored>(launcher, x, run);
      return self->spawn<caf::monitored>(launcher, x, run);
    });
  }

  void destroy(const destroy_request& x, const caf::actor& asker) {
    auto host = caf::actor_cast<caf::actor>(self_);
    if (!detach_)
      return sandbox::destroy(self_, host, x, asker);
    // What an agent has left can take minutes to remove, and be ordered again
    // meanwhile: one answer is enough.
    if (destructions_.has(x.what.id))
      return;
    destructions_.add(x.what.id,
                      [self = self_, host, x, asker]() -> caf::actor {
                        return self->spawn<caf::detached + caf::monitored>(
                          sandbox::destroy, host, x, asker);
                      });
  }

  void on_down(const caf::actor_addr& who) {
    launches_.on_down(who);
    destructions_.on_down(who);
  }

private:
  caf::event_based_actor* self_;
  bool detach_;
  crew launches_{launches_max};
  crew destructions_{destructions_max};
};

} // namespace

caf::behavior sandbox_host(caf::event_based_actor* self, bool detach) {
  auto state = std::make_shared<host_state>(self, detach);
  self->set_down_handler(
    [state](caf::down_msg& x) { state->on_down(x.source); });
  survive_foreign_mail(*self);
  return {
    [state](const launch_request& x) { state->launch(x); },
    [self, state](const destroy_request& x) {
      state->destroy(x, caf::actor_cast<caf::actor>(self->current_sender()));
    },
    [state](const destroy_request& x, const caf::actor& asker) {
      state->destroy(x, asker);
    },
    [](const probe_request& x) { return probe(x); },
    [](const list_request& x) { return list(x); },
  };
}

} // namespace baton::sandbox
