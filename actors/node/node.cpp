// SPDX-License-Identifier: MIT
#include "actors/node/node.hpp"

#include "actors/cluster/coordinator_link.hpp"
#include "actors/node/node_session.hpp"

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

namespace baton::node {

result<node_handles> spawn_node(caf::actor_system& system,
                                node_options options) {
  auto started = coordinator::spawn_coordinator(
    system, {options.store, options.env, options.rules, options.on_fatal,
             options.warn, options.detach});
  if (!started)
    return started.error();
  session_options session;
  session.coordinator = started->coordinator;
  session.node = options.node;
  session.address = options.address;
  session.host_label = options.host_label;
  session.providers = std::move(options.providers);
  session.env = options.env;
  session.limits = options.limits;
  session.warn = options.warn;
  session.detach = options.detach;
  session.lag = std::make_shared<run::lag_board>();
  auto lag = session.lag;
  return node_handles{started->coordinator, started->reader,
                      system.spawn(node_session, std::move(session)),
                      started->counters, lag};
}

node_handles spawn_worker(caf::actor_system& system, worker_options options) {
  auto link = cluster::spawn_coordinator_link(
    system, {std::move(options.dialer), std::move(options.on_change)});
  session_options session;
  session.coordinator = link;
  session.node = options.node;
  session.role = "worker";
  session.address = options.address;
  session.host_label = options.host_label;
  session.providers = std::move(options.providers);
  session.env = options.env;
  session.limits = options.limits;
  session.warn = std::move(options.warn);
  session.detach = options.detach;
  session.lag = std::make_shared<run::lag_board>();
  auto lag = session.lag;
  return node_handles{
    link, link, system.spawn(node_session, std::move(session)), nullptr, lag};
}

void stop_node(const node_handles& node) {
  // The coordinator's end takes everything it is linked to with it.
  caf::anon_send_exit(node.session, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(node.coordinator, caf::exit_reason::user_shutdown);
}

} // namespace baton::node
