// SPDX-License-Identifier: MIT
#include "actors/sim/people.hpp"

namespace baton::sim {
namespace {

using again_atom = caf::atom_constant<caf::atom("again")>;
using pull_atom = caf::atom_constant<caf::atom("pull")>;

constexpr auto retry_interval = std::chrono::milliseconds{300};
/// An answer can be lost.
constexpr auto open_timeout = std::chrono::seconds{8};

class viewer_state {
public:
  viewer_state(caf::event_based_actor* self, viewer_site where,
               std::shared_ptr<viewing> what)
    : self_(self), where_(std::move(where)), what_(std::move(what)) {
    // nop
  }

  void open() {
    self_
      ->request(where_.coordinator, caf::duration{open_timeout},
                watch_run{what_->run})
      .then([this](channel_opened& x) { follow(std::move(x.channel)); },
            [this](const caf::error& why) {
              if (to_status(why).code == errc::unknown_run)
                what_->gone = true;
              retry();
            });
  }

  void pull(std::uint64_t number) {
    if (number != asked_)
      return;
    next_entries ask;
    ask.after = what_->cursor;
    ask.entries_max = what_->page;
    // As long as it takes, as the gateway does: a channel that learns nothing
    // more is found by those who rely on it.
    self_->request(channel_, caf::infinite, ask)
      .then(
        [this, number](entry_page& page) {
          if (number == asked_)
            take(page);
        },
        [this, number](const caf::error&) {
          if (number == asked_)
            retry();
        });
  }

  void on_down(const caf::down_msg& x) {
    if (channel_ && x.source == channel_)
      retry();
  }

private:
  void follow(caf::actor channel) {
    channel_ = std::move(channel);
    self_->monitor(channel_);
    pull_soon();
  }

  void take(const entry_page& page) {
    if (!*where_.alive)
      return;
    where_.judge->on_page(what_->name, what_->run, what_->cursor, page);
    if (!page.entries.items.empty())
      what_->cursor = page.entries.items.back()->seq;
    if (page.ended) {
      what_->ended = true;
      self_->quit();
    } else {
      pull_soon();
    }
  }

  void pull_soon() { self_->send(self_, pull_atom::value, ++asked_); }

  void retry() {
    ++asked_;
    if (channel_)
      self_->demonitor(channel_.address());
    channel_ = nullptr;
    self_->delayed_send(self_, retry_interval, again_atom::value);
  }

  caf::event_based_actor* self_;
  viewer_site where_;
  std::shared_ptr<viewing> what_;
  caf::actor channel_;
  /// Pages asked for: what an earlier channel still answers is no news.
  std::uint64_t asked_ = 0;
};

} // namespace

caf::behavior viewer(caf::event_based_actor* self, const viewer_site& where,
                     const std::shared_ptr<viewing>& what) {
  auto state = std::make_shared<viewer_state>(self, where, what);
  self->set_down_handler([state](caf::down_msg& x) { state->on_down(x); });
  self->send(self, again_atom::value);
  return {
    [state](again_atom) { state->open(); },
    [state](pull_atom, std::uint64_t number) { state->pull(number); },
  };
}

} // namespace baton::sim
