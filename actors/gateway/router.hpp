// SPDX-License-Identifier: MIT
// From method and request target to a route: which resource, which id, which
// query parameters. Each path segment is cut out first and percent-decoded
// once, so an id with `/` or `..` in it stays an id (BR-049).
// Threads: pure functions over value types.
// Failure: a target that cannot be read is errc::malformed; never an exception.
#pragma once

#include "messages/result.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace baton::http {

enum class route_name : std::uint8_t {
  create_run,
  list_runs,
  get_run,
  remove_run,
  events,
  journal,
  claims,
  cancel,
  takeover,
  interrupt,
  resume,
  trim,
  claim,
  renew,
  release,
  append,
  finish,
  active_run,
  nodes,
  sandboxes,
  remove_sandbox,
  gc,
  livez,
  readyz,
  metrics,
};

/// For metrics: `get_run`. Bounded in number, unlike paths.
std::string_view to_string(route_name name) noexcept;

/// What a token must allow, each including the one before.
enum class scope : std::uint8_t { none, read, run, admin };

scope scope_of(route_name name) noexcept;

/// Decoded query parameters, in their order, names unique.
using query = std::vector<std::pair<std::string, std::string>>;

struct route {
  route_name name = route_name::livez;
  /// The run, thread or sandbox that the path names, decoded; else empty.
  std::string id;
  query params;
  /// HEAD: answer without a body.
  bool head = false;
};

/// The route, or how to refuse.
struct routed {
  std::optional<http::route> route;
  /// When there is no route: 204 (OPTIONS), 400, 404 or 405.
  int http_status = 200;
  status why;
  /// `GET, HEAD, OPTIONS`: set with 204 and 405.
  std::string allow;
};

routed find_route(std::string_view method, std::string_view target);

/// Percent-decodes; nullopt when a `%` is not followed by two hex digits.
/// `plus_is_space` for query parts.
std::optional<std::string> percent_decode(std::string_view text,
                                          bool plus_is_space);

/// Escapes all but unreserved characters (RFC 3986): for Location headers.
std::string percent_encode(std::string_view text);

/// errc::malformed naming the first parameter that is not in `known`.
status check_names(const query& params,
                   std::initializer_list<std::string_view> known);

/// The value, or nullptr.
const std::string* find_param(const query& params, std::string_view name);

/// Decimal digits only, at most 2^63-1. `what` names the place in messages.
result<std::uint64_t> parse_number(std::string_view what,
                                   std::string_view text);

} // namespace baton::http
