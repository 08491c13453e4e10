// SPDX-License-Identifier: MIT
#include "actors/node/node_session.hpp"

#include "actors/foreign_mail.hpp"
#include "actors/node/leftover.hpp"
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

/// For the coordinator's answer to a takeover.
constexpr auto again_timeout = std::chrono::seconds{10};

/// Sandboxes that one answer tells of: 1 MiB.
constexpr std::size_t listed_max = 8'192;

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
    auto life = options_.env.random_bytes(sizeof(life_.value));
    std::memcpy(&life_.value, life.data(), life.size());
  }

  void on_welcome() {
    // Only now is there somebody to ask; once is enough.
    if (std::exchange(swept_, true))
      return;
    sweep_ = self_->spawn(leftover_sweep, options_.node,
                          options_.env.now_wall(), options_.coordinator, host_,
                          options_.providers, options_.warn);
  }

  const caf::actor& coordinator() const { return options_.coordinator; }

  node_hello hello() const {
    node_hello out;
    out.node = options_.node;
    out.host_label = options_.host_label;
    for (const auto& x : options_.providers)
      out.providers.emplace_back(x->name());
    for (const auto& [id, x] : runs_)
      out.driving.push_back({id, x.held});
    out.incarnation = life_;
    out.role = options_.role;
    out.address = options_.address;
    return out;
  }

  caf::response_promise leave() {
    left_ = self_->make_response_promise();
    self_->send(options_.coordinator, node_leaving{options_.node, life_});
    return left_;
  }

  void on_left() {
    if (left_.pending())
      left_.deliver(node_left{});
  }

  void drive(drive_run& x) {
    auto id = x.record.id();
    drop(id);
    auto held = x.record.state.epoch;
    run::run_options options;
    options.provider = find_provider(x.record.spec->sandbox.provider);
    BATON_CHECK(options.provider != nullptr,
                "runs come only to nodes that offered their provider");
    options.record = std::move(x.record);
    options.tail = std::move(x.tail);
    options.coordinator = options_.coordinator;
    options.host = host_;
    options.env = options_.env;
    options.limits = options_.limits;
    options.lag = options_.lag;
    options.warn = options_.warn;
    auto driver =
      self_->spawn<caf::monitored>(run::run_actor, std::move(options));
    runs_.emplace(id, driven{driver, held});
    names_.emplace(driver.address(), id);
  }

  template <class Order>
  void forward(const Order& x) {
    if (auto i = runs_.find(x.run); i != runs_.end())
      self_->send(i->second.driver, x);
  }

  // -- sandboxes --------------------------------------------------------------

  void destroy(destroy_sandbox& x) {
    auto where = find_provider(x.what.provider);
    if (!where)
      return tell(sandbox_destroyed{x.what.key, x.what.id, errc::unsupported,
                                    "this node has no provider '"
                                      + printable(x.what.provider) + "'"});
    if (!x.what.run.empty())
      destroying_.insert_or_assign(x.what.id, doomed{where, x.what.run});
    self_->send(host_, sandbox::destroy_request{where, std::move(x.what)});
  }

  void on_destroyed(sandbox_destroyed& x) {
    auto i = destroying_.find(x.id);
    if (i != destroying_.end()) {
      auto what = std::move(i->second);
      destroying_.erase(i);
      if (x.code == errc::none)
        let_guard_go(x.id, what);
    }
    tell(std::move(x));
  }

  void probe(probe_sandbox& x) {
    const auto& name = x.run.spec->sandbox.provider;
    auto where = find_provider(name);
    if (!where)
      return tell(
        sandbox_probed{x.run.id(), probe_verdict::unknown,
                       "this node has no provider '" + printable(name) + "'"});
    self_->send(host_, sandbox::probe_request{where, std::move(x.run)});
  }

  void list() { self_->send(host_, sandbox::list_request{options_.providers}); }

  /// The oldest first, as they are listed.
  void on_listed(const sandbox::sandboxes_found& x) {
    local_sandboxes out;
    for (const auto& [where, what] : x.all) {
      if (what.is_guard || out.all.size() == listed_max)
        continue;
      local_sandbox y;
      y.provider = where->name();
      y.shared = what.is_instance;
      y.id = what.is_instance ? what.where.shared_id : what.where.id;
      y.run = what.run;
      if (what.changed_at) {
        auto age = options_.env.now_wall() - *what.changed_at;
        y.has_age = age.count() >= 0;
        y.age_ms = y.has_age ? static_cast<std::uint64_t>(age.count()) : 0;
      }
      out.all.push_back(std::move(y));
    }
    tell(std::move(out));
  }

  /// To the coordinator.
  template <class What>
  void tell(What x) {
    self_->send(options_.coordinator, std::move(x));
  }

  void on_down(const caf::down_msg& x) {
    auto i = names_.find(x.source);
    if (i == names_.end())
      return;
    auto id = std::move(i->second);
    names_.erase(i);
    auto run = runs_.find(id);
    if (run == runs_.end() || run->second.driver.address() != x.source)
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
    if (runs_.contains(id))
      return;
    self_
      ->request(options_.coordinator, caf::duration{again_timeout},
                takeover_run{id, options_.node})
      .then([](const run_moved&) {}, // The order follows.
            [this, id](const caf::error& why) {
              auto code = to_status(why).code;
              if (disposition_of(code) != disposition::give_up)
                self_->delayed_send(self_, again_timeout, again_atom::value,
                                    id.str());
            });
  }

  void on_exit(const caf::exit_msg& x) {
    for (auto& [id, run] : runs_)
      self_->send_exit(run.driver, x.reason);
    self_->send_exit(sweep_, x.reason);
    self_->send_exit(host_, x.reason);
    self_->quit(x.reason);
  }

private:
  struct driven {
    caf::actor driver;
    epoch held;
  };

  struct doomed {
    std::shared_ptr<sandbox::provider> where;
    run_id run;
  };

  /// What is not known now is met by the next start.
  void let_guard_go(const std::string& id, const doomed& what) {
    auto unknown = [](const caf::error&) {};
    auto judge = [id, what](const claim_history& claims, const run_view& run) {
      if (may_forget_now(id, run.record, claims.claims))
        ignore_result(what.where->forget({{}, id, {}, {}}),
                      "the next start meets it again");
    };
    caf::duration timeout{again_timeout};
    self_->request(options_.coordinator, timeout, get_claims{what.run})
      .then(
        [this, judge, unknown, timeout, what](const claim_history& claims) {
          self_->request(options_.coordinator, timeout, get_run{what.run})
            .then([judge, claims](const run_view& run) { judge(claims, run); },
                  unknown);
        },
        unknown);
  }

  void drop(const run_id& id) {
    auto i = runs_.find(id);
    if (i == runs_.end())
      return;
    self_->send_exit(i->second.driver, caf::exit_reason::user_shutdown);
    runs_.erase(i);
  }

  std::shared_ptr<sandbox::provider> find_provider(const std::string& name) {
    for (auto& x : options_.providers)
      if (x->name() == name)
        return x;
    return nullptr;
  }

  caf::event_based_actor* self_;
  session_options options_;
  caf::actor host_;
  caf::actor sweep_;
  incarnation life_;
  bool swept_ = false;
  caf::response_promise left_;
  std::map<run_id, driven> runs_;
  std::map<caf::actor_addr, run_id> names_;
  /// Runs' own sandboxes that the host is removing, by id.
  std::map<std::string, doomed> destroying_;
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
  survive_foreign_mail(*self);
  self->send(options.coordinator, state->hello());
  return {
    [state](drive_run& x) { state->drive(x); },
    [state](const stop_drive& x) { state->forward(x); },
    [state](const cancel_drive& x) { state->forward(x); },
    [state](destroy_sandbox& x) { state->destroy(x); },
    [state](probe_sandbox& x) { state->probe(x); },
    [state](const list_local_sandboxes&) { state->list(); },
    [state](sandbox_destroyed& x) { state->on_destroyed(x); },
    [state](sandbox_probed& x) { state->tell(std::move(x)); },
    [state](const sandbox::sandboxes_found& x) { state->on_listed(x); },
    [state](const node_welcome&) { state->on_welcome(); },
    [state, self](const hello_again&) {
      self->send(state->coordinator(), state->hello());
    },
    [state](leave_atom) { return state->leave(); },
    [state](const node_left&) { state->on_left(); },
    [state](again_atom, const std::string& run) {
      state->drive_again(run_id{run});
    },
  };
}

} // namespace baton::node
