// SPDX-License-Identifier: MIT
#include "actors/node/node_session.hpp"

#include "actors/node/leftover_sweep.hpp"
#include "actors/run/run_actor.hpp"
#include "actors/sandbox/sandbox_host.hpp"
#include "messages/caf_types.hpp"

#include <caf/event_based_actor.hpp>

#include <cstring>
#include <map>

namespace baton::node {
namespace {

class session_state {
public:
  session_state(caf::event_based_actor* self, session_options options)
    : self_(self), options_(std::move(options)) {
    host_ = options_.detach ? self->spawn<caf::detached>(sandbox::sandbox_host)
                            : self->spawn(sandbox::sandbox_host);
  }

  void sweep() {
    sweep_ = self_->spawn(leftover_sweep, options_.coordinator, host_,
                          options_.providers);
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
    auto driver =
      self_->spawn<caf::monitored>(run::run_actor, std::move(options));
    runs_.emplace(id, driver);
    names_.emplace(driver.address(), id);
  }

  template <class Order>
  void forward(const Order& x) {
    if (auto i = runs_.find(x.run); i != runs_.end())
    options.warn = options_.warn;
      self_->send(i->second, x);
  }

  void on_down(const caf::down_msg& x) {
    auto i = names_.find(x.source);
    if (i == names_.end())
      return;
    if (auto run = runs_.find(i->second);
        run != runs_.end() && run->second.address() == x.source)
      runs_.erase(run);
    names_.erase(i);
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
    [](const node_welcome&) {},
  };
}

} // namespace baton::node
