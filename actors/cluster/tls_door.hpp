// SPDX-License-Identifier: MIT
// A cluster port behind mutual TLS at which strangers harm nobody. OpenSSL
// keeps one list of errors a thread, and CAF's own port leaves a failed
// handshake's there: the next healthy connection that has nothing to read
// takes them for its own and is closed.
// Guarantees: what one connection does wrong ends that connection alone; so
// does a certificate file of ours that cannot be used any more.
// Requires: io::middleman and openssl::manager loaded, in this order.
// Threads: call from any; the port lives on CAF's I/O thread.
// Failure: the bind error.
#pragma once

#include <caf/actor.hpp>
#include <caf/expected.hpp>
#include <caf/fwd.hpp>

#include <cstdint>
#include <string>

namespace baton::cluster {

/// Publishes `who` as openssl::publish() does. The port that was bound.
caf::expected<std::uint16_t> publish_tls(caf::actor_system& system,
                                         const caf::actor& who,
                                         const std::string& host,
                                         std::uint16_t port);

} // namespace baton::cluster
