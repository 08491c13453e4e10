// SPDX-License-Identifier: MIT
// Bodies of requests: JSON objects whose every field is known and of the right
// type.
// Threads: pure functions.
// Failure: errc::malformed naming the field, what was expected and what was
// found; errc::unsupported for what this version cannot do.
#pragma once

#include "messages/record.hpp"
#include "messages/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace baton::http {

/// The sandboxes of this version.
inline const std::vector<std::string> own_providers{"local", "bwrap"};

/// `POST /v1/runs`. Without run_id or thread_id these stay empty. `providers`:
/// the sandboxes that can be asked for.
result<run_spec>
parse_create(std::string_view body,
             const std::vector<std::string>& providers = own_providers);

struct claim_body {
  std::string holder;
  /// 0: the coordinator's default.
  std::uint64_t ttl_ms = 0;
  bool steal = false;
};
/// `POST /v1/runs/{id}/claim`.
result<claim_body> parse_claim(std::string_view body);

/// `POST /v1/runs/{id}/takeover`: the node, empty for any.
result<node_id> parse_takeover(std::string_view body);

/// `POST /v1/runs/{id}/finish`.
result<run_outcome> parse_finish(std::string_view body);

/// `POST /v1/runs/{id}/trim`: the first entry to keep.
result<seq> parse_trim(std::string_view body);

/// `POST /v1/gc`: whether to remove what is found.
result<bool> parse_gc(std::string_view body);

/// Requests that take nothing: an empty body or `{}`.
status parse_nothing(std::string_view body);

} // namespace baton::http
