// SPDX-License-Identifier: MIT
#include "actors/node/node_session.hpp"

#include "actors/node/leftover_sweep.hpp"
#include "actors/run/run_actor.hpp"
#include "actors/sandbox/sandbox_host.hpp"
#include "messages/caf_types.hpp"

#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <cstring>
#include <map>

namespace baton::node {
namespace {

using again_atom = caf::atom_constant<caf::atom("again")>;

/// What broke a driver may break the next: 1 s, doubled up to 32 s.
std::chrono::seconds pause_before(int crashes) {
  return std::chrono::seconds{1 << std::min(crashes, 5)};
}

class session_state {
public:
  session_state(caf::event_based_actor* self, session_options options)
    : self_(self), options_(std::move(options)) {
    host_ = options_.detach
              ? self->spawn<caf::detached>(sandbox::sandbox_host, true)
              : self->spawn(sandbox::sandbox_host, false);
  }

  void sweep() {
    sweep_ = self_->spawn(leftover_sweep, options_.coordinator, host_,
                          options_.providers, options_.warn);
  }

  node_hello hello() const {
    node_hello out;
    out.node = options_.node;
    out.host_label = options_.host_label;
    for (const auto& x : options_.providers)
      out.providers.emplace_back(x->name());
    auto life = options_.env.random_bytes(sizeof(out.incarnation.value));
    std::memcpy(&out.incarnation.value, life.data(), life.size());
    return out;
  }

  void drive(drive_run& x) {
    auto id = x.record.id();
    drop(id);
    run::run_options options;
    options.provider = provider_named(x.record.spec->sandbox.provider);
    options.record = std::move(x.record);
    options.tail = std::move(x.tail);
    options.coordinator = options_.coordinator;
    options.host = host_;
    options.env = options_.env;
    options.limits = options_.limits;
    options.warn = options_.warn;
    auto driver =
      self_->spawn<caf::monitored>(run::run_actor, std::move(options));
    runs_.emplace(id, driver);
    names_.emplace(driver.address(), id);
  }

  template <class Order>
  void forward(const Order& x) {
    if (auto i = runs_.find(x.run); i != runs_.end())
      self_->send(i->second, x);
  }

  void on_down(const caf::down_msg& x) {
    auto i = names_.find(x.source);
    if (i == names_.end())
      return;
    auto id = std::move(i->second);
    names_.erase(i);
    auto run = runs_.find(id);
    if (run == runs_.end() || run->second.address() != x.source)
      return;
    runs_.erase(run);
    if (!x.reason) {
      crashes_.erase(id);
      return;
    }
    // Its claim stands, and nobody acts on it: without a new one the run would
    // never end.
    auto n = crashes_[id]++;
    options_.warn("run '" + printable(id.str())
                  + "': its driver broke; it gets another one");
    self_->delayed_send(self_, pause_before(n), again_atom::value, id.str());
  }

  /// The claim at the next epoch, by the rules for everybody; a run that ended
  /// or moved meanwhile has a driver or needs none.
  void drive_again(const run_id& id) {
    if (!runs_.contains(id))
      self_->send(options_.coordinator, takeover_run{id, options_.node});
  }

  void on_exit(const caf::exit_msg& x) {
    for (auto& [id, driver] : runs_)
      self_->send_exit(driver, x.reason);
    self_->send_exit(sweep_, x.reason);
    self_->send_exit(host_, x.reason);
    self_->quit(x.reason);
  }

private:
  void drop(const run_id& id) {
    auto i = runs_.find(id);
    if (i == runs_.end())
      return;
    self_->send_exit(i->second, caf::exit_reason::user_shutdown);
    runs_.erase(i);
  }

  std::shared_ptr<sandbox::provider> provider_named(const std::string& name) {
    for (auto& x : options_.providers)
      if (x->name() == name)
        return x;
    BATON_CHECK(false, "runs come only to nodes that offered their provider");
  }

  caf::event_based_actor* self_;
  session_options options_;
  caf::actor host_;
  caf::actor sweep_;
  std::map<run_id, caf::actor> runs_;
  std::map<caf::actor_addr, run_id> names_;
  /// How often the drivers of a run broke.
  std::map<run_id, int> crashes_;
};

} // namespace

caf::behavior node_session(caf::event_based_actor* self,
                           const session_options& options) {
  auto state = std::make_shared<session_state>(self, options);
  self->link_to(options.coordinator);
  self->set_down_handler([state](caf::down_msg& x) { state->on_down(x); });
  self->set_exit_handler([state](caf::exit_msg& x) { state->on_exit(x); });
  self->send(options.coordinator, state->hello());
  state->sweep();
  return {
    [state](drive_run& x) { state->drive(x); },
    [state](const stop_drive& x) { state->forward(x); },
    [state](const cancel_drive& x) { state->forward(x); },
    [state](again_atom, const std::string& run) {
      state->drive_again(run_id{run});
    },
    // Answers to what the session asked: what follows is an order.
    [](const node_welcome&) {},
    [](const run_moved&) {},
    [](const drive_refused&) {},
  };
}

} // namespace baton::node
