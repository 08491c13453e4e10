// SPDX-License-Identifier: MIT
#include "actors/cluster/channel_feed.hpp"

#include "actors/foreign_mail.hpp"
#include "messages/caf_types.hpp"

#include <caf/event_based_actor.hpp>

#include <memory>

namespace baton::cluster {
namespace {

using pull_atom = caf::atom_constant<caf::atom("pull")>;

constexpr auto wait_at_coordinator = std::chrono::seconds{10};
/// An answer that takes longer than this behind its wait is lost.
constexpr auto answer_timeout = wait_at_coordinator + std::chrono::seconds{5};
constexpr auto open_timeout = std::chrono::seconds{5};
constexpr auto retry_interval = std::chrono::milliseconds{200};

class feed_state {
public:
  feed_state(caf::event_based_actor* self, caf::actor link, caf::actor from,
             caf::actor to, const feed_options& what)
    : self_(self),
      link_(std::move(link)),
      to_(std::move(to)),
      node_(what.node),
      run_(what.run),
      after_(what.after) {
    follow(std::move(from));
  }

  void count(count_viewers x) {
    viewers_ = x.viewers;
    x.node = node_;
    if (from_)
      self_->send(from_, std::move(x));
  }

  void on_down(const caf::down_msg& x) {
    if (from_ && x.source == from_)
      lose();
  }

  void reopen() {
    if (from_ || opening_)
      return;
    opening_ = true;
    self_->request(link_, open_timeout, open_remote_atom::value, run_)
      .then(
        [this](channel_opened& x) {
          opening_ = false;
          follow(std::move(x.channel));
        },
        [this](const caf::error& why) {
          opening_ = false;
          if (disposition_of(to_status(why).code) == disposition::give_up)
            end();
          else
            retry();
        });
  }

  void stop(const caf::error& why) {
    if (from_)
      self_->send(from_, leave_channel{});
    self_->quit(why);
  }

private:
  void follow(caf::actor from) {
    from_ = std::move(from);
    life_ += 1;
    self_->monitor(from_);
    pull();
  }

  void pull() {
    next_entries ask;
    ask.after = after_;
    ask.wait_ms = static_cast<std::uint32_t>(
      std::chrono::milliseconds{wait_at_coordinator}.count());
    ask.viewers = viewers_;
    ask.node = node_;
    self_->request(from_, answer_timeout, ask)
      .then(
        [this, life = life_](entry_page& page) {
          if (life == life_)
            take(page);
        },
        [this, life = life_](const caf::error&) {
          if (life == life_)
            lose();
        });
  }

  void take(entry_page& page) {
    auto& items = page.entries.items;
    if (!items.empty()) {
      after_ = items.back()->seq;
      self_->send(to_, log_grew{std::move(page.entries)});
    }
    if (page.ended && !page.view.empty()) {
      self_->send(to_, record_changed{std::move(page.view.front())});
      return stop(caf::error{});
    }
    pull();
  }

  void lose() {
    if (!from_)
      return;
    self_->demonitor(from_.address());
    from_ = nullptr;
    life_ += 1;
    retry();
  }

  void retry() { self_->delayed_send(self_, retry_interval, pull_atom::value); }

  void end() {
    self_->send_exit(to_, caf::exit_reason::user_shutdown);
    self_->quit();
  }

  caf::event_based_actor* self_;
  caf::actor link_;
  caf::actor from_;
  caf::actor to_;
  node_id node_;
  run_id run_;
  seq after_;
  std::uint32_t viewers_ = 0;
  bool opening_ = false;
  /// Counts what was followed: answers of an earlier channel are no news.
  std::uint64_t life_ = 0;
};

} // namespace

caf::behavior channel_feed(caf::event_based_actor* self, caf::actor link,
                           caf::actor from, caf::actor to,
                           const feed_options& what) {
  auto state = std::make_shared<feed_state>(
    self, std::move(link), std::move(from), std::move(to), what);
  self->set_down_handler([state](caf::down_msg& x) { state->on_down(x); });
  self->set_exit_handler([state](caf::exit_msg& x) { state->stop(x.reason); });
  survive_foreign_mail(*self);
  return {
    [state](const count_viewers& x) { state->count(x); },
    [state](pull_atom) { state->reopen(); },
  };
}

} // namespace baton::cluster
