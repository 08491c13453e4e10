// SPDX-License-Identifier: MIT
// Publishes an actor at a port whose connections are of our own making.
// Requires: io::middleman loaded.
// Threads: call from any; the port lives on CAF's I/O thread.
// Failure: the bind error.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/io/basp_broker.hpp>
#include <caf/io/middleman.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/send.hpp>

#include <cstdint>
#include <set>
#include <string>

namespace baton::cluster {

/// `Doorman` is made from the multiplexer, the bound socket and `args`. The
/// port that was bound.
template <class Doorman, class... Args>
caf::expected<std::uint16_t>
publish_at(caf::actor_system& system, const caf::actor& who,
           const std::string& host, std::uint16_t port, Args... args) {
  namespace net = caf::io::network;
  auto& io =
    dynamic_cast<net::default_multiplexer&>(system.middleman().backend());
  // Without reuse a restart finds its port in TIME_WAIT.
  constexpr auto reuse = true;
  auto fd = net::new_tcp_acceptor_impl(port, host.c_str(), reuse);
  if (!fd)
    return fd.error();
  caf::io::doorman_ptr door = caf::make_counted<Doorman>(io, *fd, args...);
  auto bound = door->port();
  auto basp =
    system.middleman().named_broker<caf::io::basp_broker>(caf::atom("BASP"));
  caf::anon_send(basp, caf::publish_atom::value, std::move(door), bound,
                 caf::actor_cast<caf::strong_actor_ptr>(who),
                 std::set<std::string>{});
  return bound;
}

} // namespace baton::cluster
