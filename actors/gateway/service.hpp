// SPDX-License-Identifier: MIT
// What the handlers of all connections share.
// Threads: the I/O thread.
#pragma once

#include "actors/gateway/actor_bridge.hpp"
#include "actors/gateway/gateway.hpp"
#include "actors/gateway/metrics_page.hpp"

namespace baton::http {

struct service {
  service(asio::io_context& context, caf::actor_system& sys,
          gateway_options opts, caf::actor to_ask, caf::actor to_read,
          std::function<status()> is_ready, std::shared_ptr<reply_box> answers)
    : io(context),
      system(sys),
      options(std::move(opts)),
      coordinator(std::move(to_ask)),
      reader(std::move(to_read)),
      ready(std::move(is_ready)),
      box(std::move(answers)),
      asking(sys, box) {}

  caf::duration timeout() const {
    return caf::duration{options.request_timeout};
  }

  asio::io_context& io;
  caf::actor_system& system;
  gateway_options options;
  caf::actor coordinator;
  caf::actor reader;
  std::function<status()> ready;
  std::shared_ptr<reply_box> box;
  asker asking;
  metrics counters;
  /// The TCP port is reachable from this machine only.
  bool on_loopback = true;
};

} // namespace baton::http
