// SPDX-License-Identifier: MIT
// The HTTP face of a node: runs, viewing, claims for external drivers, health
// and metrics, on a TCP port and a Unix socket.
// Guarantees: requests reach actors only as messages; a reader that does not
// read holds at most one page of memory; nothing a client sends ends the
// process or hangs it.
// Threads: one I/O thread of its own; open, serve and stop from the owner's
// thread.
// Failure: open says which address, socket or certificate cannot be had.
#pragma once

#include "actors/clock.hpp"
#include "actors/gateway/auth.hpp"
#include "actors/gateway/request_json.hpp"
#include "messages/result.hpp"

#include <caf/fwd.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace baton {

struct gateway_options {
  /// Empty: no TCP port.
  std::string http_host = "127.0.0.1";
  /// 0: any free one.
  std::uint16_t http_port = 0;
  /// Empty: no Unix socket.
  std::string socket_path;
  /// Both or none; PEM.
  std::string tls_cert;
  std::string tls_key;
  /// Empty: nobody is asked for a token.
  std::vector<http::access_token> tokens;
  std::size_t line_bytes_max = std::size_t{1} << 20;
  /// The sandboxes that a run can ask for; any other is refused. One that no
  /// node offers now is waited for.
  std::vector<std::string> providers = http::own_providers;
  std::string version;
  environment env = system_environment();

  /// How long a coordinator may take to answer.
  std::chrono::milliseconds request_timeout{30'000};
  /// Between two signs of life on an idle event stream.
  std::chrono::milliseconds heartbeat{15'000};
  /// From the first byte of a request to the end of its headers.
  std::chrono::milliseconds header_timeout{10'000};
  /// For a body of up to 16 MiB.
  std::chrono::milliseconds body_timeout{300'000};
  /// Without a request.
  std::chrono::milliseconds idle_timeout{75'000};
  /// For a reader that takes nothing.
  std::chrono::milliseconds stuck_timeout{60'000};
  /// Of each of the two listeners; one more is told 503.
  std::size_t connections_max = 1024;
  /// Added to the metrics page: Prometheus text of other parts of the node.
  std::function<std::string()> more_metrics;
};

class gateway {
public:
  /// Takes the addresses and serves nobody yet: clients that connect wait. A
  /// node that cannot have them learns it before it has done anything.
  static result<std::unique_ptr<gateway>> open(gateway_options options);

  /// Serves from now on. Requires: called once.
  /// `coordinator` answers requests about runs and claims, `reader` reads logs
  /// (view_messages.hpp). `ready` tells whether the node takes requests; it is
  /// called on the I/O thread; so is `more_metrics`, which stands for that of
  /// the options when given.
  void serve(caf::actor_system& system, caf::actor coordinator,
             caf::actor reader, std::function<status()> ready,
             std::function<std::string()> more_metrics = {});

  /// Both in one.
  static result<std::unique_ptr<gateway>> start(caf::actor_system& system,
                                                gateway_options options,
                                                caf::actor coordinator,
                                                caf::actor reader,
                                                std::function<status()> ready);

  ~gateway();
  gateway(const gateway&) = delete;
  gateway& operator=(const gateway&) = delete;

  /// The TCP port that was bound; 0: none.
  std::uint16_t port() const noexcept;

  /// Closes everything; streams break off and can be resumed. Idempotent.
  void stop();

private:
  struct impl;
  explicit gateway(std::unique_ptr<impl> x);

  std::unique_ptr<impl> impl_;
};

} // namespace baton
