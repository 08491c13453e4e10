// SPDX-License-Identifier: MIT
#include "actors/sim/people.hpp"

namespace baton::sim {
namespace {

using again_atom = caf::atom_constant<caf::atom("again")>;
using pull_atom = caf::atom_constant<caf::atom("pull")>;

constexpr auto retry_interval = std::chrono::milliseconds{300};
/// A viewer waits longer than a channel does; an answer can be lost.
constexpr auto page_timeout = std::chrono::seconds{8};

class viewer_state {
public:
  viewer_state(caf::event_based_actor* self, viewer_site where,
               std::shared_ptr<viewing> what)
    : self_(self), where_(std::move(where)), what_(std::move(what)) {
    // nop
  }

  void open() {
    self_
      ->request(where_.coordinator, caf::duration{page_timeout},
                watch_run{what_->run})
      .then(
        [this](channel_opened& x) {
          self_->send(self_, pull_atom::value, x.channel);
        },
        [this](const caf::error& why) {
          if (to_status(why).code == errc::unknown_run)
            what_->gone = true;
          retry();
        });
  }

  void pull(const caf::actor& channel) {
    next_entries ask;
    ask.after = what_->cursor;
    ask.entries_max = what_->page;
    self_->request(channel, caf::duration{page_timeout}, ask)
      .then([this, channel](entry_page& page) { take(channel, page); },
            [this](const caf::error&) { retry(); });
  }

private:
  void take(const caf::actor& channel, const entry_page& page) {
    if (!*where_.alive)
      return;
    where_.judge->on_page(what_->name, what_->run, what_->cursor, page);
    if (!page.entries.items.empty())
      what_->cursor = page.entries.items.back()->seq;
    if (page.ended) {
      what_->ended = true;
      self_->quit();
    } else {
      self_->send(self_, pull_atom::value, channel);
    }
  }

  void retry() {
    self_->delayed_send(self_, retry_interval, again_atom::value);
  }

  caf::event_based_actor* self_;
  viewer_site where_;
  std::shared_ptr<viewing> what_;
};

} // namespace

caf::behavior viewer(caf::event_based_actor* self, const viewer_site& where,
                     const std::shared_ptr<viewing>& what) {
  auto state = std::make_shared<viewer_state>(self, where, what);
  self->send(self, again_atom::value);
  return {
    [state](again_atom) { state->open(); },
    [state](pull_atom, const caf::actor& channel) { state->pull(channel); },
  };
}

} // namespace baton::sim
