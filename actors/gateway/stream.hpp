// SPDX-License-Identifier: MIT
// Logs being read: events and journals, what is stored or live.
// Guarantees: from a cursor a reader gets exactly what follows it, in order,
// once (I8); an unknown run is 404 before anything else happens (BR-054); a
// stream that cannot go on breaks off without its end mark.
// Threads: the I/O thread.
#pragma once

#include "actors/gateway/connection.hpp"
#include "actors/gateway/request_reader.hpp"
#include "actors/gateway/router.hpp"
#include "actors/gateway/service.hpp"

namespace baton::http {

struct stream_end {
  int http_status = 200;
  /// The connection can carry another request.
  bool keep_alive = false;
};

/// Requires: `from` is the route of events or journal.
asio::awaitable<stream_end> serve_stream(service& s,
                                         std::shared_ptr<connection> to,
                                         const route& from,
                                         const request_reader& request);

} // namespace baton::http
