// SPDX-License-Identifier: MIT
// A whole answer, and the head of one whose body is streamed.
// Threads: value types, pure functions.
#pragma once

#include "messages/result.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace baton::http {

struct response {
  int http_status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

/// The error object, with the status of its code unless another is given, and
/// Retry-After or WWW-Authenticate where they belong.
response error_response(const status& why, int http_status = 0);

struct framing {
  bool keep_alive = true;
  /// HEAD: the head of the answer only.
  bool head = false;
};

/// Everything that goes down the wire.
std::string render(const response& r, framing how);

/// Status line and headers of a 200 whose body follows in chunks (HTTP/1.1) or
/// up to the end of the connection.
std::string render_stream_head(std::string_view content_type, bool chunked,
                               bool keep_alive);

} // namespace baton::http
