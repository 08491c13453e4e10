// SPDX-License-Identifier: MIT
#include "actors/sim/network.hpp"

#include "messages/caf_types.hpp"
#include "messages/greeting.hpp"
#include "messages/view_messages.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/monitorable_actor.hpp>

#include <algorithm>

namespace baton::sim {
namespace {

/// Until a connection's keepalive gives up a peer that sends nothing.
constexpr auto silence_noticed = std::chrono::seconds{4};

} // namespace

/// Looks like a remote actor to those who hold it.
class network::proxy : public caf::monitorable_actor {
public:
  proxy(caf::actor_config& config, network* net, route way,
        caf::strong_actor_ptr to)
    : caf::monitorable_actor(config), net_(net), way_(way), to_(std::move(to)) {
    // nop
  }

  void enqueue(caf::mailbox_element_ptr x, caf::execution_unit*) override {
    if (net_ != nullptr)
      net_->transmit(*this, *x);
  }

  /// Nothing goes through it any more; those who hold it learn that in end().
  void close() {
    net_ = nullptr;
    to_ = nullptr;
  }

  void end() {
    close();
    cleanup(caf::exit_reason::remote_link_unreachable, nullptr);
  }

  network* net_;
  route way_;
  caf::strong_actor_ptr to_;
};

network::network(agenda& when, delays how_long, seeded random)
  : agenda_(when), delays_(how_long), random_(std::move(random)) {
  // nop
}

network::~network() {
  for (auto& [key, x] : proxies_)
    static_cast<proxy*>(x->get())->close();
}

caf::actor network::handle(place from, place to, const caf::actor& x) {
  return caf::actor_cast<caf::actor>(
    wrap({from, to}, caf::actor_cast<caf::strong_actor_ptr>(x)));
}

caf::strong_actor_ptr network::wrap(route way, const caf::strong_actor_ptr& x) {
  if (!x || way.first == way.second)
    return x;
  // Somebody's handle of our own actor is the actor itself.
  if (auto* p = dynamic_cast<proxy*>(x->get()))
    return p->way_.second == way.first
             ? p->to_
             : wrap({way.first, p->way_.second}, p->to_);
  auto& slot = proxies_[{way, machines_.at(way.second)->life(), x->id()}];
  if (!slot) {
    auto& system = machines_.at(way.first)->system();
    caf::actor_config config;
    slot = caf::make_actor<proxy, caf::strong_actor_ptr>(
      system.next_actor_id(), system.node(), &system, config, this, way, x);
  }
  return slot;
}

// -- messages -----------------------------------------------------------------

void network::transmit(proxy& p, caf::mailbox_element& x) {
  auto way = p.way_;
  route back{way.second, way.first};
  auto content = x.move_content_to_message();
  if (on_sent)
    on_sent(way, content);
  letter out{wrap(back, x.sender), p.to_, x.mid,
             carried(way, std::move(content)), ++last_letter_};
  if (cut_.contains(way))
    waiting_[way].push_back(std::move(out));
  else
    deliver_later(way, std::move(out));
}

world_time network::arrival(route way) {
  auto span = static_cast<std::uint64_t>((delays_.max - delays_.min).count());
  auto at = agenda_.now() + delays_.min
            + world_time{static_cast<std::int64_t>(random_.below(span + 1))};
  auto& last = last_arrival_[way];
  return last = std::max(at, last + world_time{1});
}

void network::deliver_later(route way, letter x) {
  auto at = arrival(way);
  auto life = machines_.at(way.second)->life();
  agenda_.at(at, life,
             [this, way, connection = connections_[way],
              x = std::make_shared<letter>(std::move(x))] {
               deliver(way, connection, *x);
             });
}

void network::deliver(route way, std::uint64_t connection, letter& x) {
  if (connections_[way] != connection) {
    if (on_lost)
      on_lost(way, x.content);
    return;
  }
  // A cut stops what is under way, too, before what was sent later.
  if (cut_.contains(way)) {
    auto& waiting = waiting_[way];
    waiting.insert(
      std::ranges::upper_bound(waiting, x.number, {}, &letter::number),
      std::move(x));
    return;
  }
  ++delivered;
  if (on_arrived)
    on_arrived(way, x.content);
  x.to->enqueue(caf::make_mailbox_element(std::move(x.from), x.id, {},
                                          std::move(x.content)),
                nullptr);
}

/// As it arrives at the other side. Handles in it become the other side's.
caf::message network::carried(route way, caf::message x) {
  route back{way.second, way.first};
  if (x.match_elements<channel_opened>()) {
    auto copy = x.get_as<channel_opened>(0);
    copy.channel = handle(back.first, back.second, copy.channel);
    return caf::make_message(std::move(copy));
  }
  if (x.match_elements<greeted>()) {
    auto copy = x.get_as<greeted>(0);
    copy.coordinator = handle(back.first, back.second, copy.coordinator);
    return caf::make_message(std::move(copy));
  }
  std::vector<char> bytes;
  caf::binary_serializer sink{machines_.at(way.first)->system(), bytes};
  caf::message out;
  if (sink(x)) {
    ++unreadable;
    return out;
  }
  caf::binary_deserializer source{machines_.at(way.second)->system(), bytes};
  if (source(out))
    ++unreadable;
  return out;
}

// -- connections --------------------------------------------------------------

void network::heal(place a, place b) {
  for (auto way : {route{a, b}, route{b, a}}) {
    cut_.erase(way);
    for (auto& x : std::exchange(waiting_[way], {}))
      deliver_later(way, std::move(x));
  }
}

void network::lose(route way) {
  ++connections_[way];
  for (auto& x : std::exchange(waiting_[way], {}))
    if (on_lost)
      on_lost(way, x.content);
}

void network::end_handles(route way) {
  std::vector<caf::strong_actor_ptr> ended;
  std::erase_if(proxies_, [&](auto& x) {
    if (std::get<0>(x.first) != way)
      return false;
    ended.push_back(x.second);
    return true;
  });
  for (auto& x : ended)
    static_cast<proxy*>(x->get())->end();
}

void network::disconnect(place a, place b) {
  for (auto way : {route{a, b}, route{b, a}}) {
    lose(way);
    end_handles(way);
  }
}

void network::detach(place where) {
  auto life = machines_.at(where)->life();
  std::map<place, std::vector<caf::strong_actor_ptr>> held;
  for (auto& [key, x] : proxies_) {
    auto [from, to] = std::get<0>(key);
    if (from != where && to != where)
      continue;
    static_cast<proxy*>(x->get())->close();
    if (to == where)
      held[from].push_back(x);
  }
  std::erase_if(proxies_, [&](auto& x) {
    auto [from, to] = std::get<0>(x.first);
    return from == where || to == where;
  });
  machines_.erase(where);
  agenda_.forget(life);
  for (auto& [other, what] : machines_)
    bury(where, other, std::move(held[other]));
}

void network::bury(place dead, place other,
                   std::vector<caf::strong_actor_ptr> held) {
  route last{dead, other};
  lose({other, dead});
  auto told = agenda_.now();
  if (cut_.contains(last))
    told += silence_noticed;
  else if (random_.one_in(2))
    told = arrival(last); // Behind what is under way.
  else
    ++connections_[last];
  waiting_[last].clear();
  agenda_.at(told, machines_.at(other)->life(), [held = std::move(held)] {
    for (const auto& x : held)
      static_cast<proxy*>(x->get())->end();
  });
}

} // namespace baton::sim
