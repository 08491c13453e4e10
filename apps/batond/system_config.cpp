// SPDX-License-Identifier: MIT
#include "apps/batond/system_config.hpp"

#include "messages/caf_types.hpp"

#include <caf/io/middleman.hpp>
#include <caf/openssl/manager.hpp>

#include <algorithm>

namespace baton {

system_config::system_config(const settings& given) {
  register_messages(*this);
  if (given.cluster || !given.join.empty())
    load_network(given);
  // Idle workers of the default policy poll; measured 14 ms of CPU a second.
  set("scheduler.policy", caf::atom("sharing"));
  set("scheduler.max-threads", std::size_t{2});
  // An actor with much mail must not starve its worker's others.
  set("scheduler.max-throughput", std::size_t{100});
}

void system_config::load_network(const settings& given) {
  load<caf::io::middleman>();
  if (given.tls.is_on()) {
    load<caf::openssl::manager>();
    openssl_certificate = given.tls.cert;
    openssl_key = given.tls.key;
    openssl_cafile = given.tls.ca;
  }
  // A silent connection is cut no sooner than the lease of its node lapses:
  // the lease decides, this only clears up behind it. Beats must be as
  // frequent on all nodes, whatever their leases.
  constexpr auto beat_interval = std::chrono::milliseconds{500};
  set("middleman.heartbeat-interval", caf::timespan{beat_interval});
  set("middleman.connection-timeout",
      std::max<caf::timespan>(given.lease, 4 * beat_interval));
}

} // namespace baton
