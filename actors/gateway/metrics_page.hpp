// SPDX-License-Identifier: MIT
// Counters of the gateway, and the Prometheus text that shows them and the
// coordinator's.
// Threads: the gateway's I/O thread only; the texts are pure functions.
#pragma once

#include "actors/coordinator/counters.hpp"
#include "actors/run/lag_board.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace baton::http {

struct metrics {
  /// By route (`none` when there was none) and status code.
  std::map<std::pair<std::string, int>, std::uint64_t> requests;
  std::uint64_t streams_open = 0;
  std::uint64_t streams_total = 0;
  /// Streams ended because the reader took nothing for too long.
  std::uint64_t readers_dropped = 0;
  std::uint64_t connections_open = 0;
  std::uint64_t connections_refused = 0;
  std::uint64_t resident_bytes = 0;
  std::string version;
};

std::string metrics_page(const metrics& m);

/// The coordinator's part of the page: for gateway_options::more_metrics.
std::string metrics_text(const coordinator::counters& x);
/// The part of the runs that the node drives itself.
std::string metrics_text(const run::lag_board::reading& x);

} // namespace baton::http
