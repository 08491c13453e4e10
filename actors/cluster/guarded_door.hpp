// SPDX-License-Identifier: MIT
// A cluster port that bounds what a stranger can make us hold. CAF's protocol
// trusts the length in a frame's header: 32 bytes from anybody would take
// gigabytes.
// Guarantees: a connection that announces a longer frame is closed before
// memory for it is taken; the others go on.
// Requires: io::middleman loaded. For ports without TLS: with it, strangers do
// not get as far as a frame.
// Threads: call from any; the port lives on CAF's I/O thread.
// Failure: the bind error.
#pragma once

#include <caf/actor.hpp>
#include <caf/expected.hpp>
#include <caf/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace baton::cluster {

/// Publishes `who` as middleman::publish() does. The port that was bound.
caf::expected<std::uint16_t> publish_guarded(caf::actor_system& system,
                                             const caf::actor& who,
                                             const std::string& host,
                                             std::uint16_t port,
                                             std::size_t frame_bytes_max);

} // namespace baton::cluster
