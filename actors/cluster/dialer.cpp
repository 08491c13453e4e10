// SPDX-License-Identifier: MIT
#include "actors/cluster/dialer.hpp"

#include "actors/cluster/dial.hpp"
#include "actors/cluster/guarded_door.hpp"
#include "actors/cluster/port_probe.hpp"
#include "actors/cluster/tls_door.hpp"
#include "actors/foreign_mail.hpp"
#include "messages/caf_types.hpp"

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/io/middleman.hpp>
#include <caf/openssl/manager.hpp>

#include <set>

namespace baton::cluster {
namespace {

using probe_atom = caf::atom_constant<caf::atom("probe")>;

constexpr auto probe_timeout = std::chrono::seconds{1};
/// Name resolution included.
constexpr auto probe_answer_timeout = std::chrono::seconds{6};
constexpr auto connect_timeout = std::chrono::seconds{5};
constexpr auto greeting_timeout = std::chrono::seconds{3};

std::string to_text(const endpoint& x) {
  return x.host + ":" + std::to_string(x.port);
}

caf::behavior prober(caf::event_based_actor*) {
  return {[](probe_atom, const std::string& host,
             std::uint16_t port) -> caf::result<bool> {
    auto found = probe_port(host, port, probe_timeout);
    if (!found.ok())
      return to_caf_error(found);
    return true;
  }};
}

class dialer : public caf::event_based_actor {
public:
  dialer(caf::actor_config& config, dialer_options options)
    : caf::event_based_actor(config), options_(std::move(options)) {
    prober_ = spawn<caf::detached>(prober);
  }

  const char* name() const override { return "dialer"; }

  caf::behavior make_behavior() override {
    survive_foreign_mail(*this);
    set_down_handler([this](caf::down_msg& x) {
      if (door_ && x.source == door_)
        next(unreachable("its connection broke"));
    });
    return {[this](const dial&) {
      // Whoever asks again has given the earlier answer up.
      promise_ = make_response_promise();
      ++attempt_;
      at_ = 0;
      last_ = make_status(errc::unavailable, "no address to join");
      probe();
    }};
  }

  void on_exit() override {
    send_exit(prober_, caf::exit_reason::user_shutdown);
    prober_ = nullptr;
    door_ = nullptr;
    promise_ = {};
  }

private:
  template <class F, class Arg>
  auto guard(F f, void (F::*)(Arg) const) {
    return [this, f, attempt = attempt_](Arg x) {
      if (attempt == attempt_)
        f(x);
    };
  }

  /// Answers to what was given up meanwhile are dropped.
  template <class F>
  auto mine(F f) {
    return guard(std::move(f), &F::operator());
  }

  const endpoint& to() const { return options_.to[at_]; }

  status unreachable(const std::string& why) const {
    return make_status(errc::unavailable, to_text(to()) + ": " + why);
  }

  void probe() {
    if (at_ == options_.to.size()) {
      promise_.deliver(to_caf_error(last_));
      return;
    }
    request(prober_, probe_answer_timeout, probe_atom::value, to().host,
            to().port)
      .then(mine([this](bool) { connect(); }),
            mine([this](const caf::error& why) { next(to_status(why)); }));
  }

  void connect() {
    auto how = options_.tls ? system().openssl_manager().actor_handle()
                            : system().middleman().actor_handle();
    request(how, connect_timeout, caf::connect_atom::value, to().host,
            to().port)
      .then(
        [this, attempt = attempt_](const caf::node_id&,
                                   caf::strong_actor_ptr& door,
                                   const std::set<std::string>&) {
          if (attempt != attempt_)
            return;
          if (!door)
            return next(refusal("no baton answers there"));
          greet(caf::actor_cast<caf::actor>(door));
        },
        // What CAF tells beside it differs from try to try, and says nothing
        // to an operator: one cause gives one line.
        mine([this](const caf::error&) {
          next(unreachable("no handshake (is it a baton cluster port, and do "
                           "the --tls-* files fit, those here and there?)"));
        }));
  }

  void greet(caf::actor door) {
    door_ = std::move(door);
    monitor(door_);
    request(door_, greeting_timeout, greeting{})
      .then(mine([this](greeted& x) { on_greeted(x); }),
            mine([this](const caf::error& why) {
              next(unreachable(to_status(why).message));
            }));
  }

  void on_greeted(greeted& x) {
    if (x.protocol != cluster_protocol)
      return next(refusal("speaks cluster protocol "
                          + std::to_string(x.protocol) + ", this baton speaks "
                          + std::to_string(cluster_protocol)
                          + "; run the same version on all nodes"));
    if (x.role == "coordinator" && !x.coordinator)
      return next(unreachable("the coordinator is starting"));
    if (x.role != "coordinator")
      return next(refusal("node '" + printable(x.node.str()) + "' is a "
                          + printable(x.role)
                          + "; --join its coordinator instead"));
    if (auto no = options_.accept(x); !no.ok())
      return next(std::move(no));
    leave_door();
    promise_.deliver(std::move(x));
  }

  status refusal(const std::string& why) const {
    return make_status(errc::unsupported, to_text(to()) + ": " + why);
  }

  void next(status why) {
    leave_door();
    last_ = std::move(why);
    ++at_;
    probe();
  }

  void leave_door() {
    if (door_)
      demonitor(door_.address());
    door_ = nullptr;
    ++attempt_;
  }

  dialer_options options_;
  caf::actor prober_;
  caf::actor door_;
  caf::response_promise promise_;
  std::uint64_t attempt_ = 0;
  std::size_t at_ = 0;
  status last_;
};

caf::behavior door_keeper(caf::event_based_actor* self, const greeted& first) {
  survive_foreign_mail(*self);
  auto answer = std::make_shared<greeted>(first);
  return {
    [answer](const greeting& x) {
      auto out = *answer;
      if (x.protocol != cluster_protocol)
        out.coordinator = nullptr;
      return out;
    },
    [answer](greeted& x) { *answer = std::move(x); },
  };
}

} // namespace

caf::actor spawn_dialer(caf::actor_system& system, dialer_options options) {
  return system.spawn<dialer>(std::move(options));
}

result<door> open_door(caf::actor_system& system, const endpoint& where,
                       bool tls, std::size_t frame_bytes_max, greeted answer) {
  auto keeper = system.spawn(door_keeper, std::move(answer));
  auto port = tls ? publish_tls(system, keeper, where.host, where.port)
                  : publish_guarded(system, keeper, where.host, where.port,
                                    frame_bytes_max);
  if (!port) {
    caf::anon_send_exit(keeper, caf::exit_reason::user_shutdown);
    return {errc::in_use,
            "--cluster " + to_text(where)
              + " cannot be bound: another process has the port, or the "
                "address is not this machine's (give a free one; port 0 picks "
                "one)"};
  }
  return door{*port, keeper};
}

} // namespace baton::cluster
