// SPDX-License-Identifier: MIT
#include "actors/run/run_actor.hpp"

#include "actors/foreign_mail.hpp"
#include "actors/journal/journal_follower.hpp"
#include "actors/run/run_machine.hpp"
#include "actors/sandbox/sandbox_host.hpp"
#include "messages/caf_types.hpp"
#include "messages/crash_point.hpp"
#include "messages/hex.hpp"
#include "messages/instance_identity.hpp"

#include <caf/event_based_actor.hpp>

#include <algorithm>

namespace baton::run {
namespace {

using tick_atom = caf::atom_constant<caf::atom("tick")>;

constexpr auto tick_interval = std::chrono::seconds{1};
constexpr std::size_t nonce_bytes = 32;

run_machine::proposal proposal_of(const run_options& x) {
  auto no = x.record.state.no;
  run_machine::proposal out;
  out.sandbox_id = x.provider->make_id(x.record.id(), no);
  if (auto key = shared_key(*x.record.spec); !key.empty())
    out.shared_id = x.provider->make_instance_id(key);
  return out;
}

class run_state {
public:
  run_state(caf::event_based_actor* self, run_options options)
    : self_(self),
      options_(std::move(options)),
      nonce_(to_hex(options_.env.random_bytes(nonce_bytes))),
      machine_(options_.record, nonce_, proposal_of(options_)) {
    // nop
  }

  ~run_state() {
    if (options_.lag)
      options_.lag->forget(options_.record.id());
  }

  run_state(const run_state&) = delete;
  run_state& operator=(const run_state&) = delete;

  mono_time now() const { return self_->clock().now(); }

  run_machine& machine() { return machine_; }

  void perform(effects xs) {
    for (auto& x : xs)
      std::visit([this](auto& what) { perform(what); }, x);
  }

  void over(const journal::journal_over& x) {
    std::string tail;
    if (x.exit.code != 0)
      if (auto got =
            options_.provider->stderr_tail(where(), stderr_quote_bytes))
        tail = *std::move(got);
    perform(machine_.on_over(x.exit, tail, now()));
  }

  void ask_lag() {
    if (options_.lag && follower_)
      self_->send(follower_, journal::read_size{});
  }

  void show_lag(position size) {
    auto done = machine_.acknowledged();
    options_.lag->put(options_.record.id(),
                      size.value - std::min(size, done).value);
  }

  void stop_at(epoch held) {
    if (held == machine_.record().state.epoch)
      self_->quit();
  }

  void cancel_at(epoch held) {
    if (held == machine_.record().state.epoch)
      perform(machine_.on_cancel(now()));
  }

private:
  const sandbox_binding& where() const {
    return machine_.record().state.sandbox;
  }

  void perform(const probe_agent&) {
    perform(machine_.on_probed(options_.provider->probe(where()), now()));
  }

  void perform(const launch_agent&) {
    const auto& spec = *machine_.record().spec;
    auto order = std::make_shared<sandbox::launch_order>();
    order->where = where();
    order->command = spec.command;
    order->cwd = spec.cwd;
    order->env = spec.env;
    order->stdin_bytes = spec.stdin_bytes;
    order->nonce = nonce_;
    order->keep_processes = spec.sandbox.keep_processes;
    // Shares the life of the spec, which never changes.
    order->workspace = std::shared_ptr<const workspace_spec>{
      machine_.record().spec, &spec.sandbox.workspace};
    order->network = spec.sandbox.network;
    self_->send(options_.host, sandbox::launch_request{
                                 options_.provider, std::move(order), alive_});
  }

  void perform(const follow_journal& x) {
    journal::follow_options follow;
    follow.provider = options_.provider;
    follow.where = where();
    follow.nonce_hashes = machine_.record().state.nonce_hashes;
    follow.start = {x.from, x.inside_line, options_.tail};
    follow.limits = options_.limits;
    follow.warn = [tell = options_.warn,
                   id = machine_.record().id()](const std::string& why) {
      tell("run '" + printable(id.str()) + "': " + why);
    };
    follower_ = self_->spawn(journal::journal_follower, caf::actor{self_},
                             std::move(follow));
  }

  void perform(const read_more&) {
    self_->send(follower_, journal::read_lines{});
  }

  void perform(const kill_agent&) {
    // Asked again at each tick.
    auto got = options_.provider->kill(where());
    if (!got.ok() && std::exchange(kill_failure_, got.message) != got.message)
      options_.warn("run '" + printable(machine_.record().id().str())
                    + "' cannot be killed yet: " + got.message);
  }

  void perform(const stop&) { self_->quit(); }

  void perform(append_lines& x) {
    pass(crash_point::mid_append);
    self_->send(options_.coordinator, std::move(x));
  }

  void perform(record_launch& x) {
    self_->send(options_.coordinator, std::move(x));
  }

  void perform(const cancel_delivered& x) {
    self_->send(options_.coordinator, x);
  }

  void perform(finish_run& x) {
    self_->send(options_.coordinator, std::move(x));
  }

  caf::event_based_actor* self_;
  run_options options_;
  std::string nonce_;
  run_machine machine_;
  caf::actor follower_;
  std::string kill_failure_;
  /// For as long as this driver is.
  std::shared_ptr<const void> alive_ = std::make_shared<char>();
};

} // namespace

caf::behavior run_actor(caf::event_based_actor* self,
                        const run_options& options) {
  auto state = std::make_shared<run_state>(self, options);
  survive_foreign_mail(*self);
  self->delayed_send(self, tick_interval, tick_atom::value);
  state->perform(state->machine().start(state->now()));
  auto& machine = state->machine();
  return {
    [=, &machine](launch_recorded& x) {
      state->perform(machine.on_recorded(x.record, state->now()));
    },
    [=, &machine](const sandbox::agent_launched& x) {
      state->perform(machine.on_launched(*x.outcome, state->now()));
    },
    [=, &machine](const journal::lines_read& x) {
      state->perform(
        machine.on_lines(x.begin, std::move(*x.lines), state->now()));
    },
    [=](const journal::journal_over& x) { state->over(x); },
    [=, &machine](const journal::journal_broken& x) {
      state->perform(machine.on_broken(x.why, state->now()));
    },
    [=, &machine](const append_done& x) {
      state->perform(machine.on_done(x, state->now()));
    },
    [=, &machine](const run_finished&) {
      state->perform(machine.on_finished());
    },
    [=, &machine](const drive_refused& x) {
      state->perform(machine.on_refused(x, state->now()));
    },
    [=, &machine](coordinator_back) {
      state->perform(machine.on_coordinator_back(state->now()));
    },
    [=](const stop_drive& x) { state->stop_at(x.epoch); },
    [=](const cancel_drive& x) { state->cancel_at(x.epoch); },
    [=](const journal::journal_size& x) { state->show_lag(x.bytes); },
    [=, &machine](tick_atom) {
      self->delayed_send(self, tick_interval, tick_atom::value);
      state->ask_lag();
      state->perform(machine.on_tick(state->now()));
    },
  };
}

} // namespace baton::run
