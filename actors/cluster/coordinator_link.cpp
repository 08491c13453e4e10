// SPDX-License-Identifier: MIT
#include "actors/cluster/coordinator_link.hpp"

#include "actors/channel/channel.hpp"
#include "actors/clock.hpp"
#include "actors/cluster/channel_feed.hpp"
#include "actors/cluster/dial.hpp"
#include "actors/foreign_mail.hpp"
#include "messages/caf_types.hpp"

#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <map>

namespace baton::cluster {
namespace {

using namespace std::chrono_literals;

using dial_atom = caf::atom_constant<caf::atom("dial")>;
using tick_atom = caf::atom_constant<caf::atom("tick")>;
using unused_atom = caf::atom_constant<caf::atom("unused")>;

/// For all the dialer does: resolve, connect, handshake, greet.
constexpr auto dial_timeout = 20s;
constexpr auto dial_interval = 100ms;
constexpr auto dial_interval_max = 1s;
/// A coordinator that refused us is asked again: the cause may pass.
constexpr auto refused_interval = 1s;
/// Between hello and welcome.
constexpr auto welcome_timeout = 5s;
/// Of a forwarded request; less than the gateway waits.
constexpr auto answer_timeout = 20s;
/// Beats a lease; one lost beat must not cost the claim.
constexpr int beats_a_lease = 10;
constexpr auto beat_interval_max = 1s;
/// For which a channel waits for its first viewer.
constexpr auto unused_timeout = 30s;

class coordinator_link : public caf::event_based_actor {
public:
  coordinator_link(caf::actor_config& config, link_options options)
    : caf::event_based_actor(config), options_(std::move(options)) {
    // nop
  }

  const char* name() const override { return "coordinator_link"; }

  caf::behavior make_behavior() override {
    set_down_handler([this](caf::down_msg& x) { on_down(x); });
    set_exit_handler([this](caf::exit_msg& x) { on_end(x); });
    survive_foreign_mail(*this);
    send(this, dial_atom::value);
    tick_later();
    caf::message_handler from_people{
      [this](create_run& x) { ask<run_created>(x); },
      [this](cancel_run& x) { ask<run_view>(x); },
      [this](interrupt_run& x) { ask<run_view>(x); },
      [this](resume_run& x) { ask<run_view>(x); },
      [this](trim_run& x) { ask<run_view>(x); },
      [this](remove_run& x) { ask<run_removed>(x); },
      [this](list_sandboxes& x) { ask<sandbox_list>(x); },
      [this](remove_sandbox& x) { ask<sandbox_list>(x); },
      [this](collect_garbage& x) { ask<garbage_report>(x); },
      [this](claim_run& x) { ask<claim_granted>(x); },
      [this](renew_claim& x) { ask<claim_granted>(x); },
      [this](release_claim& x) { ask<claim_released>(x); },
      [this](takeover_run& x) { ask<run_moved>(x); },
      [this](get_run& x) { ask<run_view>(x); },
      [this](get_active_run& x) { ask<run_view>(x); },
      [this](list_runs& x) { ask<run_page>(x); },
      [this](get_claims& x) { ask<claim_history>(x); },
      [this](read_entries& x) { ask<entry_page>(x); },
      [this](list_nodes& x) { ask<node_list>(x); },
      [this](watch_run& x) { watch(x); },
    };
    caf::message_handler from_here{
      [this](append_lines& x) { drive<append_done>(x); },
      [this](record_launch& x) { drive<launch_recorded>(x); },
      [this](finish_run& x) { drive<run_finished>(x); },
      [this](cancel_delivered& x) { tell(x); },
      [this](sandbox_destroyed& x) { tell(x); },
      [this](sandbox_probed& x) { tell(x); },
      [this](local_sandboxes& x) { tell(x); },
      [this](node_hello& x) { on_hello(x); },
      [this](node_leaving& x) { on_leaving(x); },
      [this](const viewers_changed& x) { on_viewers(x); },
      [this](open_remote_atom, const run_id& x) {
        ask<channel_opened>(watch_run{x});
      },
      [this](dial_atom) { dial_now(); },
      [this](tick_atom, std::uint64_t number) { on_tick(number); },
      [this](unused_atom, const run_id& x) { drop_if_unused(x); },
    };
    caf::message_handler from_coordinator{
      [this](append_done& x) { answer(x.run, x); },
      [this](launch_recorded& x) { answer(x.record.id(), x); },
      [this](run_finished& x) { answer(x.view.record.id(), x); },
      [this](drive_refused& x) { on_refused(x); },
      [this](drive_run& x) { order(x); },
      [this](stop_drive& x) { order(x); },
      [this](cancel_drive& x) { order(x); },
      [this](destroy_sandbox& x) { order(x); },
      [this](probe_sandbox& x) { order(x); },
      [this](list_local_sandboxes& x) { order(x); },
      [this](node_welcome& x) { on_welcome(x); },
      [this](node_left& x) { order(x); },
      [this](node_beat_seen) { heard_ = clock().now(); },
      [this](hello_again& x) { order(x); },
    };
    return from_people.or_else(from_here).or_else(from_coordinator);
  }

  void on_exit() override {
    session_ = nullptr;
    remote_ = nullptr;
    drivers_.clear();
    channels_.clear();
    pending_.clear();
    options_ = {};
  }

private:
  struct watched {
    caf::actor channel;
    caf::actor feed;
    std::uint32_t viewers = 0;
  };

  // -- requests ---------------------------------------------------------------

  static status away() {
    return make_status(errc::unavailable,
                       "this node has no coordinator right now; try again");
  }

  template <class Reply, class Request>
  void ask(Request x) {
    auto number = ++last_number_;
    auto& promise = pending_[number];
    promise = make_response_promise();
    if (!up_)
      return fail(number, to_caf_error(away()));
    request(remote_, answer_timeout, std::move(x))
      .then([this, number](Reply& answer) { settle(number, answer); },
            [this, number](caf::error& why) { fail(number, std::move(why)); });
  }

  template <class Reply>
  void settle(std::uint64_t number, Reply& answer) {
    auto i = pending_.find(number);
    if (i == pending_.end())
      return;
    i->second.deliver(std::move(answer));
    pending_.erase(i);
  }

  void fail(std::uint64_t number, caf::error why) {
    auto i = pending_.find(number);
    if (i == pending_.end())
      return;
    i->second.deliver(std::move(why));
    pending_.erase(i);
  }

  // -- drivers ----------------------------------------------------------------

  /// The nodes' drivers send, and repeat; drivers from outside ask.
  template <class Reply, class Request>
  void drive(Request& x) {
    if (current_mailbox_element()->mid.is_request())
      return ask<Reply>(std::move(x));
    remember_driver(x.run);
    if (up_)
      send(remote_, std::move(x));
  }

  /// What the coordinator asks for again when it is lost.
  template <class What>
  void tell(What& x) {
    if (up_)
      send(remote_, std::move(x));
  }

  void remember_driver(const run_id& run) {
    auto driver = caf::actor_cast<caf::actor>(current_sender());
    if (!driver)
      return;
    auto& known = drivers_[run];
    if (known == driver)
      return;
    known = driver;
    monitor(driver);
    runs_of_.insert_or_assign(driver.address(), run);
  }

  template <class Answer>
  void answer(const run_id& run, Answer& x) {
    if (auto i = drivers_.find(run); i != drivers_.end())
      send(i->second, std::move(x));
  }

  void on_refused(drive_refused& x) {
    if (!x.run.empty())
      return answer(x.run, x);
    // Our hello: the coordinator will not have this node.
    options_.on_change(make_status(x.code, x.message));
    lose(refused_interval);
  }

  template <class Order>
  void order(Order& x) {
    heard_ = clock().now();
    if (session_)
      send(session_, std::move(x));
  }

  // -- joining ----------------------------------------------------------------

  void dial_now() {
    if (remote_ || dialling_)
      return;
    dialling_ = true;
    request(options_.dialer, dial_timeout, dial{})
      .then(
        [this](greeted& x) {
          dialling_ = false;
          on_found(std::move(x.coordinator));
        },
        [this](const caf::error& why) {
          dialling_ = false;
          auto what = to_status(why);
          auto passes =
            what.code == errc::unavailable || what.code == errc::timed_out;
          options_.on_change(
            passes ? make_status(errc::unavailable, what.message) : what);
          dial_later(passes ? pause_ : caf::timespan{refused_interval});
          pause_ = std::min<caf::timespan>(2 * pause_,
                                           caf::timespan{dial_interval_max});
        });
  }

  void dial_later(caf::timespan pause) {
    delayed_send(this, pause, dial_atom::value);
  }

  void on_found(caf::actor coordinator) {
    remote_ = std::move(coordinator);
    monitor(remote_);
    greeted_at_ = clock().now();
    if (session_)
      send(session_, hello_again{});
  }

  void on_hello(node_hello& x) {
    session_ = caf::actor_cast<caf::actor>(current_sender());
    node_ = x.node;
    life_ = x.incarnation;
    if (!remote_ || leaving_)
      return;
    greeted_at_ = clock().now();
    x.beats = true;
    send(remote_, std::move(x));
  }

  void on_welcome(node_welcome& x) {
    if (!remote_)
      return;
    lease_ = std::chrono::milliseconds{x.lease_ms};
    up_ = true;
    pause_ = dial_interval;
    order(x);
    for (const auto& [run, handle] : drivers_)
      send(handle, coordinator_back{});
    options_.on_change({});
    // The tick that is due knows nothing of this lease yet.
    tick_later();
  }

  void on_leaving(node_leaving& x) {
    // No more beats: the coordinator would ask us to come back.
    leaving_ = true;
    if (up_)
      send(remote_, std::move(x));
    else if (session_)
      send(session_, node_left{});
  }

  void tick_later() {
    auto interval = std::clamp<caf::timespan>(
      caf::timespan{lease_} / beats_a_lease, 10ms, beat_interval_max);
    delayed_send(this, interval, tick_atom::value, ++last_tick_);
  }

  void on_tick(std::uint64_t number) {
    if (number != last_tick_)
      return;
    tick_later();
    if (!remote_ || leaving_)
      return;
    auto now = clock().now();
    if (up_ && now - heard_ > lease_)
      return lose(dial_interval);
    if (!up_ && now - greeted_at_ > welcome_timeout)
      return lose(dial_interval);
    if (up_)
      send(remote_, node_beat{node_, life_});
  }

  void lose(caf::timespan pause) {
    if (!remote_)
      return;
    demonitor(remote_.address());
    remote_ = nullptr;
    if (std::exchange(up_, false))
      options_.on_change(away());
    auto lost = std::exchange(pending_, {});
    for (auto& [number, promise] : lost)
      promise.deliver(to_caf_error(make_status(
        errc::outcome_unknown, "the coordinator was lost with this request; "
                               "repeat the identical request")));
    dial_later(pause);
  }

  void on_down(const caf::down_msg& x) {
    if (remote_ && x.source == remote_)
      return lose(dial_interval);
    // The run has ended: its channel lives on for those who still read.
    if (auto fed = feeds_.find(x.source); fed != feeds_.end()) {
      if (auto at = channels_.find(fed->second);
          at != channels_.end() && at->second.feed.address() == x.source)
        channels_.erase(at);
      feeds_.erase(fed);
      return;
    }
    auto i = runs_of_.find(x.source);
    if (i == runs_of_.end())
      return;
    auto known = drivers_.find(i->second);
    if (known != drivers_.end() && known->second.address() == x.source)
      drivers_.erase(known);
    runs_of_.erase(i);
  }

  void on_end(const caf::exit_msg& x) {
    for (auto& [run, what] : channels_) {
      send_exit(what.feed, x.reason);
      send_exit(what.channel, x.reason);
    }
    send_exit(options_.dialer, x.reason);
    quit(x.reason);
  }

  // -- viewers ----------------------------------------------------------------

  void watch(const watch_run& x) {
    auto number = ++last_number_;
    pending_[number] = make_response_promise();
    if (!up_)
      return fail(number, to_caf_error(away()));
    request(remote_, answer_timeout, get_run{x.run})
      .then(
        [this, number](run_view& view) {
          if (is_terminal(view.record.state.status))
            open_ended(number, std::move(view));
          else
            open_live(number, view.record.id());
        },
        [this, number](caf::error& why) { fail(number, std::move(why)); });
  }

  /// Nothing more comes: everything is read from the store.
  void open_ended(std::uint64_t number, run_view view) {
    auto channel =
      spawn(channel::channel_actor, caf::actor{this}, caf::actor{this}, view);
    channel_opened opened{channel, std::move(view)};
    settle(number, opened);
  }

  void open_live(std::uint64_t number, const run_id& run) {
    if (!up_)
      return fail(number, to_caf_error(away()));
    request(remote_, answer_timeout, watch_run{run})
      .then([this, number](channel_opened& x) { on_opened(number, x); },
            [this, number](caf::error& why) { fail(number, std::move(why)); });
  }

  void on_opened(std::uint64_t number, channel_opened& x) {
    if (is_terminal(x.view.record.state.status))
      return open_ended(number, std::move(x.view));
    auto run = x.view.record.id();
    auto [at, is_new] = channels_.try_emplace(run);
    if (is_new) {
      auto here = spawn(channel::channel_actor, caf::actor{this},
                        caf::actor{this}, x.view);
      auto feed = spawn(channel_feed, caf::actor{this}, x.channel, here,
                        feed_options{node_, run, x.view.record.state.last_seq});
      monitor(feed);
      feeds_.emplace(feed.address(), run);
      at->second = {here, feed, 0};
      delayed_send(this, unused_timeout, unused_atom::value, run);
    }
    channel_opened opened{at->second.channel, std::move(x.view)};
    settle(number, opened);
  }

  void on_viewers(const viewers_changed& x) {
    auto i = channels_.find(x.run);
    if (i == channels_.end()
        || caf::actor_cast<caf::actor>(current_sender()) != i->second.channel)
      return;
    i->second.viewers = x.viewers;
    if (x.viewers == 0)
      drop(i);
    else
      send(i->second.feed, count_viewers{x.viewers, {}});
  }

  void drop_if_unused(const run_id& run) {
    auto i = channels_.find(run);
    if (i != channels_.end() && i->second.viewers == 0)
      drop(i);
  }

  void drop(std::map<run_id, watched>::iterator i) {
    send_exit(i->second.feed, caf::exit_reason::user_shutdown);
    send_exit(i->second.channel, caf::exit_reason::user_shutdown);
    channels_.erase(i);
  }

  link_options options_;
  caf::actor session_;
  node_id node_;
  incarnation life_;

  caf::actor remote_;
  bool dialling_ = false;
  bool up_ = false;
  bool leaving_ = false;
  caf::timespan pause_ = dial_interval;
  std::chrono::milliseconds lease_{10'000};
  mono_time greeted_at_{};
  mono_time heard_{};
  std::uint64_t last_tick_ = 0;

  /// In order: what is lost with the coordinator is told in that order.
  std::map<std::uint64_t, caf::response_promise> pending_;
  std::uint64_t last_number_ = 0;

  std::map<run_id, caf::actor> drivers_;
  std::map<caf::actor_addr, run_id> runs_of_;
  std::map<run_id, watched> channels_;
  std::map<caf::actor_addr, run_id> feeds_;
};

} // namespace

caf::actor spawn_coordinator_link(caf::actor_system& system,
                                  link_options options) {
  return system.spawn<coordinator_link>(std::move(options));
}

} // namespace baton::cluster
