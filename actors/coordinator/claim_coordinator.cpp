// SPDX-License-Identifier: MIT
#include "actors/coordinator/claim_coordinator.hpp"

#include "actors/channel/channel.hpp"
#include "actors/coordinator/garbage_round.hpp"
#include "actors/coordinator/live_runs.hpp"
#include "actors/coordinator/reader.hpp"
#include "actors/coordinator/sound_runs.hpp"
#include "actors/coordinator/steady_wall.hpp"
#include "actors/foreign_mail.hpp"
#include "messages/caf_types.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/sec.hpp>
#include <caf/typed_response_promise.hpp>

#include <set>
#include <unordered_map>

namespace baton::coordinator {
namespace {

using flush_atom = caf::atom_constant<caf::atom("flush")>;
using tick_atom = caf::atom_constant<caf::atom("tick")>;
using save_atom = caf::atom_constant<caf::atom("save")>;
using sweep_atom = caf::atom_constant<caf::atom("sweep")>;
using round_atom = caf::atom_constant<caf::atom("round")>;

/// How much detached time a `kill -9` may give back to a run.
constexpr auto uptime_save_interval = std::chrono::seconds{10};
/// For what nodes tell of their sandboxes, and for the end of those that go.
constexpr auto round_timeout = std::chrono::seconds{15};
/// Stored runs that one sweep looks at for their age.
constexpr std::uint32_t retire_looks_max = 1'000;

class claim_coordinator : public caf::event_based_actor {
public:
  claim_coordinator(caf::actor_config& config, coordinator_options options,
                    caf::actor committer, caf::actor reader,
                    std::vector<run_record> live,
                    std::vector<instance_record> instances,
                    std::uint64_t uptime_ms,
                    std::shared_ptr<counter_board> board)
    : caf::event_based_actor(config),
      options_(std::move(options)),
      table_(*options_.store, options_.rules),
      committer_(std::move(committer)),
      reader_(std::move(reader)),
      wall_(options_.rules.retain),
      board_(std::move(board)) {
    table_.restore(std::move(live), std::move(instances), uptime_ms, now());
  }

  const char* name() const override { return "claim_coordinator"; }

  caf::behavior make_behavior() override {
    survive_foreign_mail(*this);
    set_down_handler([this](caf::down_msg& x) { on_down(x); });
    link_to(committer_);
    link_to(reader_);
    delayed_send(this, uptime_save_interval, save_atom::value);
    delayed_send(this, options_.rules.sweep_interval, sweep_atom::value);
    settle();
    caf::message_handler asked{
      [this](create_run& x) { decide(std::move(x)); },
      [this](cancel_run& x) { decide(std::move(x)); },
      [this](interrupt_run& x) { decide(std::move(x)); },
      [this](resume_run& x) { decide(std::move(x)); },
      [this](trim_run& x) { decide(std::move(x)); },
      [this](remove_run& x) { decide(std::move(x)); },
      [this](list_sandboxes& x) { decide(std::move(x)); },
      [this](remove_sandbox& x) { decide(std::move(x)); },
      [this](const collect_garbage& x) { return collect(x); },
      [this](claim_run& x) { decide(std::move(x)); },
      [this](renew_claim& x) { decide(std::move(x)); },
      [this](release_claim& x) { decide(std::move(x)); },
      [this](takeover_run& x) { decide(std::move(x)); },
      [this](append_lines& x) { decide(std::move(x)); },
      [this](record_launch& x) { decide(std::move(x)); },
      [this](finish_run& x) { decide(std::move(x)); },
      [this](const get_run& x) { return view_of(x); },
      [this](const get_active_run& x) { return active_of(x); },
      [this](list_runs& x) { return page_of(std::move(x)); },
      [this](const get_claims& x) { return delegate(reader_, x); },
      [this](const read_entries& x) { return delegate(reader_, x); },
      [this](const watch_run& x) { return watch(x); },
      [this](const list_nodes&) {
        return table_.nodes().views(clock().now(), options_.rules.lease);
      },
    };
    caf::message_handler told{
      [this](node_hello& x) { on_hello(x); },
      [this](const node_beat& x) { on_beat(x); },
      [this](node_leaving& x) { decide(std::move(x)); },
      [this](const viewers_changed& x) {
        table_.on_viewers(x.run, x.viewers, now());
        settle();
      },
      [this](const cancel_delivered& x) {
        table_.on_cancel_delivered(x, now());
        settle();
      },
      [this](const sandbox_destroyed& x) { on_destroyed(x); },
      [this](const sandbox_probed& x) {
        table_.on_probed(x, now());
        settle();
      },
      [this](const local_sandboxes& x) { on_listed(x); },
      [this](flush_atom) { write_next(); },
      [this](batch_written& x) { on_written(x); },
      [this](tick_atom, std::int64_t armed) { on_tick(armed); },
      [this](save_atom) { on_save(); },
      [this](sweep_atom) { on_sweep(); },
      [this](round_atom, std::uint64_t number) { end_round(number); },
    };
    return asked.or_else(told);
  }

  void on_exit() override {
    // Channels and sessions hold this actor: let go of them.
    channels_.clear();
    nodes_.clear();
    lives_.clear();
    askers_.clear();
    promises_.clear();
    committer_ = nullptr;
    reader_ = nullptr;
  }

private:
  /// Whoever waits for an answer: a request, or a driver that only sent.
  struct asker {
    caf::response_promise promise;
    caf::actor sender;
  };

  instant now() { return {clock().now(), options_.env.now_wall()}; }

  // -- asking and telling -----------------------------------------------------

  token remember() {
    auto& mail = *current_mailbox_element();
    auto& slot = askers_[++last_token_];
    if (mail.mid.is_request())
      slot.promise = make_response_promise();
    else
      slot.sender = caf::actor_cast<caf::actor>(current_sender());
    return last_token_;
  }

  template <class Request>
  void decide(Request x) {
    // The nodes' drivers send, and retry; drivers from outside ask.
    auto who = current_mailbox_element()->mid.is_request() ? writer::outside
                                                           : writer::node;
    auto from = remember();
    if constexpr (requires { table_.on(from, std::move(x), now(), who); })
      table_.on(from, std::move(x), now(), who);
    else
      table_.on(from, std::move(x), now());
    settle();
  }

  void tell(reply& x) {
    auto i = askers_.find(x.to);
    if (i == askers_.end())
      return;
    auto to = std::move(i->second);
    askers_.erase(i);
    if (auto* no = std::get_if<refusal>(&x.what)) {
      if (to.promise.pending())
        to.promise.deliver(to_caf_error(no->why));
      else if (to.sender)
        send(to.sender,
             drive_refused{no->run, no->held, no->why.code, no->why.message});
      return;
    }
    std::visit(
      [&](auto& what) {
        using type = std::decay_t<decltype(what)>;
        if constexpr (!std::is_same_v<type, refusal>) {
          if (to.promise.pending())
            to.promise.deliver(std::move(what));
          else if (to.sender)
            send(to.sender, std::move(what));
        }
      },
      x.what);
  }

  void tell(node_order& x) {
    if (auto i = nodes_.find(x.node); i != nodes_.end())
      std::visit([&](auto& what) { send(i->second, std::move(what)); }, x.what);
  }

  void tell(log_growth& x) {
    if (auto i = channels_.find(x.run); i != channels_.end())
      send(i->second, log_grew{std::move(x.entries)});
  }

  void tell(record_change& x) {
    auto i = channels_.find(x.view.record.id());
    if (i == channels_.end())
      return;
    auto over = is_terminal(x.view.record.state.status);
    send(i->second, record_changed{std::move(x.view)});
    if (over)
      channels_.erase(i);
  }

  void tell(const notice& x) { options_.warn(x.text); }

  void tell(const node_lost& x) {
    for (const auto& [run, channel] : channels_)
      send(channel, channel::node_lost_atom::value, x.node.str());
  }

  /// After every decision: release what may be told, start the next batch.
  void settle() {
    // First, so that who was answered finds the answer counted.
    show_counters();
    for (auto& what : table_.take_effects())
      std::visit([this](auto& x) { tell(x); }, what);
    if (!writing_ && !flush_sent_ && table_.has_batch()) {
      // Behind the mail that is already here, so that it shares the sync.
      flush_sent_ = true;
      send(this, flush_atom::value);
    }
    arm_timer();
  }

  void show_counters() {
    const auto& counted = table_.counted();
    if (std::exchange(shown_, counted.version()) != counted.version())
      board_->put(counted.sum());
  }

  // -- writing ----------------------------------------------------------------

  void write_next() {
    flush_sent_ = false;
    if (writing_ || !table_.has_batch())
      return;
    writing_ = true;
    auto batch = std::make_shared<write_batch>(table_.take_batch());
    send(committer_,
         write_order{std::move(batch), table_.uptime_ms(clock().now())});
  }

  void on_written(batch_written& x) {
    writing_ = false;
    table_.committed(std::move(*x.batch), *x.outcomes, now());
    // What waited goes out at once; the answers are told meanwhile.
    write_next();
    settle();
  }

  // -- time -------------------------------------------------------------------

  /// Timers cannot be taken back, so each is remembered until it fires.
  void arm_timer() {
    auto next = table_.next_deadline();
    if (!next || (!armed_.empty() && *armed_.begin() <= *next))
      return;
    armed_.insert(*next);
    delayed_send(
      this, std::max<caf::timespan>(*next - clock().now(), caf::timespan{0}),
      tick_atom::value, next->time_since_epoch().count());
  }

  void on_tick(std::int64_t armed) {
    armed_.erase(mono_time{mono_time::duration{armed}});
    table_.on_tick(now());
    settle();
  }

  void on_save() {
    delayed_send(this, uptime_save_interval, save_atom::value);
    if (!writing_ && !flush_sent_) {
      writing_ = true;
      auto batch = std::make_shared<write_batch>(table_.take_batch());
      send(committer_,
           write_order{std::move(batch), table_.uptime_ms(clock().now())});
    }
  }

  // -- sweeps -----------------------------------------------------------------

  void on_sweep() {
    delayed_send(this, options_.rules.sweep_interval, sweep_atom::value);
    table_.on_sweep(now());
    begin_round(garbage_round{true});
    if (options_.rules.retain.count() > 0 && may_retire())
      retire_some();
    settle();
  }

  bool may_retire() {
    auto got = wall_.look(now());
    if (got == steady_wall::verdict::jumped)
      options_.warn("the wall clock jumped by "
                    + std::to_string(wall_.jump().count() / 1000)
                    + " s, or the machine slept: --retain removes nothing for "
                    + std::to_string(wall_.probation().count() / 1000)
                    + " s; put the clock right if it is wrong");
    return got == steady_wall::verdict::believed;
  }

  /// Further along the stored runs with each sweep.
  void retire_some() {
    list_runs ask;
    ask.after = retired_to_;
    ask.limit = retire_looks_max;
    request(reader_, caf::infinite, ask)
      .then(
        [this](const run_page& page) {
          retired_to_ = page.next;
          table_.retire(page.runs, now());
          settle();
        },
        [](const caf::error&) {
          // The next sweep asks again.
        });
  }

  caf::result<garbage_report> collect(const collect_garbage& x) {
    auto promise = make_response_promise<garbage_report>();
    auto number = begin_round(garbage_round{x.remove});
    promises_.emplace(number, promise);
    end_done_rounds();
    return promise;
  }

  std::uint64_t begin_round(garbage_round round) {
    auto number = ++last_round_;
    for (const auto& [id, x] : table_.nodes().all())
      if (auto node = nodes_.find(id); x.live && node != nodes_.end()) {
        round.asked(id);
        send(node->second, list_local_sandboxes{});
      }
    rounds_.emplace(number, std::move(round));
    delayed_send(this, round_timeout, round_atom::value, number);
    return number;
  }

  void on_listed(const local_sandboxes& x) {
    auto life = lives_.find(caf::actor_cast<caf::actor_addr>(current_sender()));
    if (life == lives_.end())
      return;
    auto node = life->second.first;
    for (auto& [number, round] : rounds_) {
      if (!round.waits_for(node))
        continue;
      std::vector<claim_table::judged> found;
      for (const auto& one : x.all)
        if (auto what =
              table_.on_found(node, one, round.may_remove(found), now()))
          found.push_back(*std::move(what));
      round.answered(node, std::move(found));
    }
    settle();
    end_done_rounds();
  }

  void on_destroyed(const sandbox_destroyed& x) {
    table_.on_destroyed(x, now());
    for (auto& [number, round] : rounds_)
      round.destroyed(x);
    settle();
    end_done_rounds();
  }

  void end_done_rounds() {
    std::vector<std::uint64_t> over;
    for (const auto& [number, round] : rounds_)
      if (round.is_done())
        over.push_back(number);
    for (auto number : over)
      end_round(number);
  }

  /// With what is known by now.
  void end_round(std::uint64_t number) {
    auto i = rounds_.find(number);
    if (i == rounds_.end())
      return;
    auto report = std::move(i->second).report();
    rounds_.erase(i);
    auto waiting = promises_.find(number);
    if (waiting == promises_.end())
      return;
    auto promise = std::move(waiting->second);
    promises_.erase(waiting);
    promise.deliver(std::move(report));
  }

  // -- nodes ------------------------------------------------------------------

  void on_hello(const node_hello& x) {
    auto node = caf::actor_cast<caf::actor>(current_sender());
    auto from = remember();
    auto why = table_.on(from, x, now());
    // What the node is to do is told only in settle(), so it is known by then.
    if (why.ok() && node) {
      monitor(node);
      lives_[node.address()] = {x.node, x.incarnation};
      nodes_[x.node] = node;
    }
    // It tries again every second: once is enough.
    if (why.ok())
      refused_.erase(x.node);
    else if (refused_.insert(x.node).second)
      options_.warn("node '" + printable(x.node.str())
                    + "' was not let in: " + why.message);
    if (why.code == errc::stale_store) {
      // Whatever it granted from here on, somebody else may hold already.
      options_.on_fatal(why);
      quit(caf::sec::runtime_error);
      return;
    }
    settle();
  }

  void on_beat(const node_beat& x) {
    auto node = caf::actor_cast<caf::actor>(current_sender());
    if (!node)
      return;
    if (table_.on_beat(x, now()))
      send(node, node_beat_seen{});
    else
      send(node, hello_again{});
  }

  void on_down(const caf::down_msg& x) {
    auto i = lives_.find(x.source);
    if (i == lives_.end())
      return;
    auto [id, life] = i->second;
    lives_.erase(i);
    table_.on_node_down(id, life, now());
    settle();
  }

  // -- reading ----------------------------------------------------------------

  caf::result<run_view> view_of(const get_run& x) {
    if (auto found = table_.find(x.run))
      return *std::move(found);
    auto promise = make_response_promise<run_view>();
    request(reader_, caf::infinite, x)
      .then(
        [this, promise](run_view& view) mutable {
          view.sandbox = table_.instances().stage_of(view.record);
          promise.deliver(std::move(view));
        },
        [promise](caf::error& why) mutable { promise.deliver(why); });
    return promise;
  }

  caf::result<run_view> active_of(const get_active_run& x) {
    auto best = active_run(table_.live(), x.thread);
    if (!best)
      return to_caf_error(
        make_status(errc::unknown_thread, "thread '" + printable(x.thread.str())
                                            + "' has no active run"));
    return *std::move(best);
  }

  caf::result<run_page> page_of(list_runs x) {
    if (x.live_only)
      return live_page(table_.live(), x);
    auto promise = make_response_promise<run_page>();
    request(reader_, caf::infinite, std::move(x))
      .then(
        [this, promise](run_page& page) mutable {
          // What the table shows of a run that has not ended says more.
          for (auto& view : page.runs) {
            view.sandbox = table_.instances().stage_of(view.record);
            if (auto known = table_.find(view.record.id());
                known && known->record.state.status == view.record.state.status)
              view = *std::move(known);
          }
          promise.deliver(std::move(page));
        },
        [promise](caf::error& why) mutable { promise.deliver(why); });
    return promise;
  }

  caf::result<channel_opened> watch(const watch_run& x) {
    if (auto i = channels_.find(x.run); i != channels_.end()) {
      auto view = table_.find(x.run);
      BATON_CHECK(view.has_value(), "a run with a channel is in memory");
      return channel_opened{i->second, *std::move(view)};
    }
    auto view = table_.find(x.run);
    // The store may be ahead of what the table has been told.
    if (table_.is_being_created(x.run))
      return to_caf_error(
        make_status(errc::unavailable, "run '" + printable(x.run.str())
                                         + "' is being created; try again"));
    if (!view) {
      auto stored = options_.store->load(x.run);
      if (!stored)
        return to_caf_error(stored.error());
      view = run_view{*stored, 0, table_.instances().stage_of(*stored)};
    }
    auto opened =
      spawn(channel::channel_actor, caf::actor{this}, reader_, *view);
    if (!is_terminal(view->record.state.status)) {
      channels_.emplace(x.run, opened);
      table_.on_watch(x.run);
    }
    return channel_opened{opened, *std::move(view)};
  }

  coordinator_options options_;
  claim_table table_;
  caf::actor committer_;
  caf::actor reader_;

  std::unordered_map<token, asker> askers_;
  token last_token_ = 0;

  std::map<node_id, caf::actor> nodes_;
  std::map<caf::actor_addr, std::pair<node_id, incarnation>> lives_;
  std::map<run_id, caf::actor> channels_;
  /// Nodes whose refusal was told.
  std::set<node_id> refused_;

  /// Who looks for sandboxes that no record names, and who waits for that.
  std::map<std::uint64_t, garbage_round> rounds_;
  std::map<std::uint64_t, caf::typed_response_promise<garbage_report>>
    promises_;
  std::uint64_t last_round_ = 0;
  /// Where the next sweep goes on looking for runs to retire.
  run_no retired_to_;
  steady_wall wall_;

  std::shared_ptr<counter_board> board_;
  /// The version of the counters on the board.
  std::uint64_t shown_ = 0;

  bool writing_ = false;
  bool flush_sent_ = false;
  std::set<mono_time> armed_;
};

} // namespace

result<coordinator_handles> spawn_coordinator(caf::actor_system& system,
                                              coordinator_options options) {
  auto live = sound_runs(*options.store, options.env.now_wall());
  if (!live)
    return live.error();
  auto uptime = options.store->uptime_ms();
  if (!uptime)
    return uptime.error();
  auto instances = options.store->instances();
  if (!instances)
    return instances.error();
  std::shared_ptr<const storage::store> source = options.store;
  caf::actor writes, reads;
  if (options.detach) {
    writes =
      system.spawn<caf::detached>(committer, options.store, options.on_fatal);
    reads = system.spawn<caf::detached>(reader, source);
  } else {
    writes = system.spawn(committer, options.store, options.on_fatal);
    reads = system.spawn(reader, source);
  }
  auto board = std::make_shared<counter_board>();
  auto main = system.spawn<claim_coordinator>(
    std::move(options), writes, reads, *std::move(live), *std::move(instances),
    *uptime, board);
  return coordinator_handles{main, reads, board};
}

} // namespace baton::coordinator
