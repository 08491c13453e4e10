// SPDX-License-Identifier: MIT
// The network between the machines of a world. A handle() is what one place
// holds of an actor at another; what is sent to it, and the answers, are
// written to bytes, take time, and can be lost.
// Guarantees: order is kept from place to place, as TCP does. What is sent into
// a cut waits there, as TCP repeats it, until the cut is healed (it arrives
// late) or the connection ends (it is lost). disconnect() does to handles what
// BASP does when a connection ends.
// Threads: one.
#pragma once

#include "actors/sim/agenda.hpp"
#include "actors/sim/machine.hpp"
#include "actors/sim/seeded.hpp"

#include <caf/actor.hpp>
#include <caf/message.hpp>

#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace baton::sim {

class network {
public:
  using place = std::size_t;
  /// From, to.
  using route = std::pair<place, place>;

  struct delays {
    world_time min = std::chrono::microseconds{100};
    world_time max = std::chrono::milliseconds{1};
  };

  network(agenda& when, delays how_long, seeded random);
  ~network();

  network(const network&) = delete;
  network& operator=(const network&) = delete;

  /// The machine that is at that place from now on.
  void attach(place where, machine& what) { machines_[where] = &what; }

  /// The machine is dead; call before it is destroyed. What it sent last may
  /// still arrive, and the others learn of its end behind that.
  void detach(place where);

  caf::actor handle(place from, place to, const caf::actor& x);

  /// From now on nothing goes from `a` to `b`, and nobody is told.
  void cut(place a, place b) { cut_.insert({a, b}); }
  /// Both ways; what waited goes on its way.
  void heal(place a, place b);
  bool is_cut(place a, place b) const {
    return cut_.contains({a, b}) || cut_.contains({b, a});
  }

  /// The connection ends: both sides see the other's actors go down.
  void disconnect(place a, place b);

  /// Told of each message that leaves, arrives or is lost.
  std::function<void(route, const caf::message&)> on_sent;
  std::function<void(route, const caf::message&)> on_arrived;
  std::function<void(route, const caf::message&)> on_lost;

  std::size_t delivered = 0;
  std::size_t unreadable = 0;

private:
  class proxy;

  struct letter {
    caf::strong_actor_ptr from;
    caf::strong_actor_ptr to;
    caf::message_id id;
    caf::message content;
    /// Counts what was sent, so that a cut keeps the order of what it stops.
    std::uint64_t number = 0;
  };

  caf::strong_actor_ptr wrap(route way, const caf::strong_actor_ptr& x);
  void transmit(proxy& p, caf::mailbox_element& x);
  void deliver_later(route way, letter x);
  void deliver(route way, std::uint64_t connection, letter& x);
  void end_handles(route way);
  void lose(route way);
  void bury(place dead, place other, std::vector<caf::strong_actor_ptr> held);
  caf::message carried(route way, caf::message x);
  world_time arrival(route way);

  agenda& agenda_;
  delays delays_;
  seeded random_;
  std::map<place, machine*> machines_;
  std::set<route> cut_;
  std::uint64_t last_letter_ = 0;
  /// Sent into a cut.
  std::map<route, std::vector<letter>> waiting_;
  /// Counts the connections of each direction.
  std::map<route, std::uint64_t> connections_;
  std::map<route, world_time> last_arrival_;
  /// By way, life of the machine it leads to, actor there.
  std::map<std::tuple<route, std::uint64_t, caf::actor_id>,
           caf::strong_actor_ptr>
    proxies_;
};

} // namespace baton::sim
