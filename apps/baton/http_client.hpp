// SPDX-License-Identifier: MIT
// A blocking HTTP/1.1 client over Unix socket, TCP or TLS.
// Guarantees: body bytes reach the sink as they arrive, undecoded but for the
//   transfer encoding, each once and in order; a body that was cut short is
//   never taken for a whole one; a peer that is gone is noticed (closed socket
//   at once, silent TCP peer within 30 s).
// Threads: not thread-safe; one request at a time, one connection each.
// Failure: errc::unavailable when no connection came about (nothing was sent),
//   errc::outcome_unknown when it broke later.
#pragma once

#include "apps/baton/server_address.hpp"
#include "messages/result.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace baton::cli {

struct http_request {
  std::string method = "GET";
  /// Path and query, already encoded.
  std::string target;
  std::vector<std::pair<std::string, std::string>> headers;
  /// Sent as application/json when not empty.
  std::string body;
};

struct http_head {
  int code = 0;
  std::string content_type;
  std::string server;
  /// Seconds of Retry-After.
  std::optional<std::chrono::seconds> retry_after;
};

struct http_response {
  http_head head;
  std::string body;
};

/// How a streamed body ended.
enum class stream_end : std::uint8_t {
  /// The server finished it.
  complete,
  /// The connection broke, or nothing came for longer than the silence limit.
  broken,
  /// The sink wanted no more.
  stopped,
  /// wake_fd became readable.
  woken,
};

struct stream_result {
  http_head head;
  stream_end end = stream_end::complete;
  /// Of an answer other than 200, whose body the sink never sees.
  std::string error_body;
  /// What broke, for people.
  std::string why;
};

/// Takes body bytes; false stops the stream.
using byte_sink = std::function<bool(std::string_view)>;

struct client_options {
  server_address server;
  /// Empty: none is sent.
  std::string token;
  /// Trusted authorities; empty: the system's.
  std::string ca_file;
  std::chrono::milliseconds connect_timeout{5'000};
  /// From the request to the last byte of its answer.
  std::chrono::milliseconds answer_timeout{30'000};
  /// A descriptor that becomes readable to interrupt a wait; -1: none.
  int wake_fd = -1;
};

class http_client {
public:
  explicit http_client(client_options options) : options_(std::move(options)) {}

  const client_options& options() const noexcept { return options_; }

  /// Interrupted by wake_fd: errc::cancelled.
  result<http_response> send(const http_request& request) const;

  /// `silence_max` 0: a stream may be silent as long as its peer lives.
  result<stream_result> stream(const http_request& request,
                               std::chrono::milliseconds silence_max,
                               const byte_sink& sink) const;

private:
  client_options options_;
};

} // namespace baton::cli
