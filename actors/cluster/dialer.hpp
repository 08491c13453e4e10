// SPDX-License-Identifier: MIT
// The way to the coordinator over the network, and the door at its other end.
// Guarantees: no call blocks longer than its own time-out: CAF's connect()
// would block every connection of the process while a peer drops packets, so
// the port is tried first, on a thread of its own. Who knocks learns of a
// coordinator only if both speak the same protocol.
// Requires: io::middleman loaded; with TLS openssl::manager too.
// Threads: actors; spawn_dialer takes one thread.
// Failure: every dial is answered, with greeted or with the reason.
#pragma once

#include "messages/greeting.hpp"
#include "messages/result.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace baton::cluster {

struct endpoint {
  std::string host;
  std::uint16_t port = 0;
};

struct dialer_options {
  /// Tried in this order.
  std::vector<endpoint> to;
  bool tls = false;
  /// Whether that cluster is the one this node belongs to.
  std::function<status(const greeted&)> accept = [](const greeted&) {
    return status{};
  };
};

/// Answers dial (dial.hpp).
caf::actor spawn_dialer(caf::actor_system& system, dialer_options options);

struct door {
  std::uint16_t port = 0;
  /// Takes another greeted, to be given from then on.
  caf::actor keeper;
};

/// Opens a cluster port at which `answer` is given to everyone who greets; its
/// coordinator only to those who speak our protocol. Without TLS, whoever sends
/// a frame of more than `frame_bytes_max` is cut off (guarded_door.hpp).
/// errc::in_use when the port cannot be had.
result<door> open_door(caf::actor_system& system, const endpoint& where,
                       bool tls, std::size_t frame_bytes_max, greeted answer);

} // namespace baton::cluster
