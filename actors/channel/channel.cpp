// SPDX-License-Identifier: MIT
#include "actors/channel/channel.hpp"

#include "actors/channel/replay_ring.hpp"
#include "actors/foreign_mail.hpp"
#include "messages/caf_types.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <map>
#include <memory>

namespace baton::channel {
namespace {

using idle_atom = caf::atom_constant<caf::atom("idle")>;
using give_up_atom = caf::atom_constant<caf::atom("give_up")>;

/// For which an ended run's channel waits for its first viewer.
constexpr auto idle_timeout = std::chrono::seconds{60};

struct waiting_viewer {
  next_entries asked;
  std::uint64_t number = 0;
  caf::typed_response_promise<entry_page> promise;
};

/// With how many people a viewer stands for, and where.
struct weight {
  std::uint32_t people = 0;
  node_id node;

  bool operator==(const weight&) const = default;
};

struct channel_state {
  channel_state(caf::event_based_actor* the_self, caf::actor the_coordinator,
                caf::actor the_reader, const run_view& run)
    : self(the_self),
      coordinator(std::move(the_coordinator)),
      reader(std::move(the_reader)),
      view(run),
      ring(run.record.state.last_seq) {
    // nop
  }

  bool ended() const { return is_terminal(view.record.state.status); }

  caf::result<entry_page> next(const next_entries& x) {
    join(self->current_sender(), {x.viewers, x.node});
    if (!ring.covers(x.after)) {
      self->delegate(reader, read_entries{view.record.id(), x.after,
                                          x.entries_max, x.bytes_max});
      return caf::delegated<entry_page>{};
    }
    if (x.after < ring.last() || ended())
      return page(x);
    // Before the promise, which takes the sender out of the message.
    auto who = caf::actor_cast<caf::actor_addr>(self->current_sender());
    auto promise = self->make_response_promise<entry_page>();
    auto [open, is_new] = waiting.try_emplace(who);
    if (!is_new) // Its earlier request: whoever asks again has given it up.
      open->second.promise.deliver(page(open->second.asked));
    open->second = {x, ++last_number, promise};
    if (x.wait_ms > 0)
      self->delayed_send(self, std::chrono::milliseconds{x.wait_ms},
                         give_up_atom::value, who, last_number);
    return promise;
  }

  /// The viewer has waited as long as it wanted to.
  void give_up(const caf::actor_addr& who, std::uint64_t number) {
    auto i = waiting.find(who);
    if (i == waiting.end() || i->second.number != number)
      return;
    i->second.promise.deliver(page(i->second.asked));
    waiting.erase(i);
  }

  entry_page page(const next_entries& x) const {
    entry_page out;
    out.entries = ring.behind(x.after, x.entries_max, x.bytes_max);
    const auto& items = out.entries.items;
    auto reached = items.empty() ? x.after : items.back()->seq;
    out.ended = ended() && reached >= ring.last();
    if (out.ended || items.empty())
      out.view.push_back(view);
    return out;
  }

  void serve() {
    for (auto i = waiting.begin(); i != waiting.end();) {
      if (i->second.asked.after < ring.last() || ended()) {
        i->second.promise.deliver(page(i->second.asked));
        i = waiting.erase(i);
      } else {
        ++i;
      }
    }
  }

  void join(const caf::strong_actor_ptr& who, const weight& what) {
    if (!who)
      return;
    auto [at, is_new] =
      viewers.try_emplace(caf::actor_cast<caf::actor_addr>(who), what);
    if (is_new)
      self->monitor(caf::actor_cast<caf::actor>(who));
    else if (std::exchange(at->second, what) == what)
      return;
    tell_count();
  }

  void lose_node(const node_id& node) {
    auto before = count();
    for (auto& [who, what] : viewers)
      if (what.node == node)
        what.people = 0;
    if (count() != before)
      tell_count();
  }

  std::uint32_t count() const {
    std::uint32_t out = 0;
    for (const auto& [who, what] : viewers)
      out += what.people;
    return out;
  }

  void leave(const caf::actor_addr& who) {
    if (viewers.erase(who) == 0)
      return;
    waiting.erase(who);
    if (viewers.empty())
      ring.clear();
    tell_count();
    quit_if_idle();
  }

  /// Nobody keeps the channel of a run that has ended, and a handle on another
  /// node would keep it for ever.
  void quit_if_idle() {
    if (!ended() || !viewers.empty())
      return;
    self->demonitor(coordinator.address());
    self->quit();
  }

  /// Without its coordinator a live run's channel learns nothing more, and that
  /// of an ended one would keep the process from its end.
  void watch_coordinator() {
    self->monitor(coordinator);
    if (ended())
      self->delayed_send(self, idle_timeout, idle_atom::value);
  }

  void change(run_view next) {
    next.viewers = count();
    view = std::move(next);
    if (ended())
      self->delayed_send(self, idle_timeout, idle_atom::value);
    serve();
  }

  void on_down(const caf::down_msg& x) {
    if (x.source != coordinator)
      return leave(x.source);
    for (auto& [who, open] : waiting)
      open.promise.deliver(to_caf_error(
        make_status(errc::unavailable, "the coordinator is gone; try again")));
    self->quit(x.reason);
  }

  void tell_count() {
    view.viewers = count();
    if (!ended())
      self->send(coordinator, viewers_changed{view.record.id(), view.viewers});
  }

  caf::event_based_actor* self;
  caf::actor coordinator;
  caf::actor reader;
  run_view view;
  replay_ring ring;
  std::map<caf::actor_addr, weight> viewers;
  std::map<caf::actor_addr, waiting_viewer> waiting;
  std::uint64_t last_number = 0;
};

} // namespace

caf::behavior channel_actor(caf::event_based_actor* self,
                            caf::actor coordinator, caf::actor reader,
                            const run_view& run) {
  auto state = std::make_shared<channel_state>(self, std::move(coordinator),
                                               std::move(reader), run);
  self->set_down_handler([state](caf::down_msg& x) { state->on_down(x); });
  survive_foreign_mail(*self);
  state->watch_coordinator();
  return {
    [state](const next_entries& x) { return state->next(x); },
    [state](idle_atom) { state->quit_if_idle(); },
    [state](const count_viewers& x) {
      state->join(state->self->current_sender(), {x.viewers, x.node});
    },
    [state](node_lost_atom, const std::string& node) {
      state->lose_node(node_id{node});
    },
    [state](give_up_atom, const caf::actor_addr& who, std::uint64_t number) {
      state->give_up(who, number);
    },
    [state](leave_channel) {
      auto who =
        caf::actor_cast<caf::actor_addr>(state->self->current_sender());
      state->self->demonitor(who);
      state->leave(who);
    },
    [state](log_grew& x) {
      for (auto& e : x.entries.items)
        state->ring.push(std::move(e));
      if (state->viewers.empty())
        state->ring.clear();
      state->serve();
    },
    [state](record_changed& x) { state->change(std::move(x.view)); },
  };
}

} // namespace baton::channel
