// SPDX-License-Identifier: MIT
// A network between places of one actor system. A handle() is what one place
// holds of an actor at another; what is sent to it, and the answers, are
// written to bytes, take time, and can be lost.
// Guarantees: order is kept from place to place, as TCP does; a cut loses what
// is under way; disconnect() does to handles what BASP does when a connection
// ends.
// Threads: one.
#pragma once

#include "messages/greeting.hpp"
#include "messages/view_messages.hpp"
#include "tests/actors/simulation.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/monitorable_actor.hpp>

#include <map>
#include <set>
#include <tuple>

namespace baton::test {

class network {
public:
  using place = int;
  using route = std::pair<place, place>;

  explicit network(simulation& s) : sim_(s) {}

  ~network() {
    for (auto& [k, p] : proxies_)
      static_cast<proxy*>(p->get())->net_ = nullptr;
  }

  network(const network&) = delete;
  network& operator=(const network&) = delete;

  caf::actor handle(place from, place to, const caf::actor& x) {
    return caf::actor_cast<caf::actor>(
      wrap({from, to}, caf::actor_cast<caf::strong_actor_ptr>(x)));
  }

  /// From now on nothing goes from `a` to `b`, and nobody is told.
  void cut(place a, place b) {
    cut_.insert({a, b});
    ++lives_[{a, b}];
  }
  void heal(place a, place b) {
    cut_.erase({a, b});
    cut_.erase({b, a});
  }
  bool is_cut(place a, place b) const {
    return cut_.contains({a, b}) || cut_.contains({b, a});
  }

  /// The connection ends: both sides see the other's actors go down.
  void disconnect(place a, place b) {
    for (auto r : {route{a, b}, route{b, a}}) {
      ++lives_[r];
      std::erase_if(proxies_, [&](auto& x) {
        if (std::get<0>(x.first) != r)
          return false;
        static_cast<proxy*>(x.second->get())->end();
        return true;
      });
    }
  }

  std::size_t delivered = 0;
  std::size_t unreadable = 0;

private:
  /// Looks like a remote actor to those who hold it.
  class proxy : public caf::monitorable_actor {
  public:
    proxy(caf::actor_config& config, network* net, route way,
          caf::strong_actor_ptr to)
      : caf::monitorable_actor(config),
        net_(net),
        way_(way),
        to_(std::move(to)) {
      // nop
    }

    void enqueue(caf::mailbox_element_ptr x, caf::execution_unit*) override {
      if (net_ != nullptr)
        net_->transmit(*this, *x);
    }

    void end() {
      net_ = nullptr;
      cleanup(caf::exit_reason::remote_link_unreachable, nullptr);
    }

    network* net_;
    route way_;
    caf::strong_actor_ptr to_;
  };

  /// Where a message arrives, if its connection still stands by then.
  class arrival : public caf::monitorable_actor {
  public:
    arrival(caf::actor_config& config, const proxy& way)
      : caf::monitorable_actor(config),
        proxy_(way.ctrl()),
        life_(way.net_->lives_[way.way_]) {
      // nop
    }

    void enqueue(caf::mailbox_element_ptr x,
                 caf::execution_unit* context) override {
      auto* p = static_cast<proxy*>(proxy_->get());
      if (p->net_ == nullptr || p->net_->lives_[p->way_] != life_)
        return;
      ++p->net_->delivered;
      p->to_->enqueue(std::move(x), context);
    }

  private:
    caf::strong_actor_ptr proxy_;
    std::uint64_t life_;
  };

  caf::strong_actor_ptr wrap(route way, const caf::strong_actor_ptr& x) {
    if (!x || way.first == way.second)
      return x;
    // Somebody's handle of our own actor is the actor itself.
    if (auto* p = dynamic_cast<proxy*>(x->get()))
      return p->way_.second == way.first
               ? p->to_
               : wrap({way.first, p->way_.second}, p->to_);
    auto& slot = proxies_[{way, x->id()}];
    if (!slot) {
      caf::actor_config config;
      slot = caf::make_actor<proxy, caf::strong_actor_ptr>(
        sim_.system.next_actor_id(), sim_.system.node(), &sim_.system, config,
        this, way, x);
    }
    return slot;
  }

  void transmit(proxy& p, caf::mailbox_element& x) {
    if (cut_.contains(p.way_))
      return;
    auto content = carried(p.way_, x.move_content_to_message());
    if (!content)
      return;
    // Less than a millisecond, and never before what left earlier.
    auto& clock = sim_.system.clock();
    auto at = clock.now() + std::chrono::microseconds{100}
              + std::chrono::microseconds{sim_.random.below(900)};
    auto& last = last_[p.way_];
    at = last = std::max(at, last + std::chrono::nanoseconds{1});
    caf::actor_config config;
    auto to = caf::make_actor<arrival, caf::strong_actor_ptr>(
      sim_.system.next_actor_id(), sim_.system.node(), &sim_.system, config, p);
    clock.schedule_message(
      at, to,
      caf::make_mailbox_element(wrap({p.way_.second, p.way_.first}, x.sender),
                                x.mid, {}, std::move(*content)));
  }

  /// As it arrives at the other side. Handles in it become the other side's.
  std::optional<caf::message> carried(route way, caf::message x) {
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
    caf::binary_serializer sink{sim_.system, bytes};
    if (sink(x)) {
      ++unreadable;
      return std::nullopt;
    }
    caf::binary_deserializer source{sim_.system, bytes};
    caf::message out;
    if (source(out)) {
      ++unreadable;
      return std::nullopt;
    }
    return out;
  }

  simulation& sim_;
  std::set<route> cut_;
  /// Counts the connections of each direction.
  std::map<route, std::uint64_t> lives_;
  std::map<route, caf::actor_clock::time_point> last_;
  std::map<std::pair<route, caf::actor_id>, caf::strong_actor_ptr> proxies_;
};

} // namespace baton::test
