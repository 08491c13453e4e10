// SPDX-License-Identifier: MIT
// Run ids for callers that name none: UUIDv7 (RFC 9562), which sort by time.
// Threads: pure.
#pragma once

#include "messages/wall_time.hpp"

#include <string>
#include <string_view>

namespace baton::http {

/// Requires: 10 random bytes.
std::string uuid7(wall_time now, std::string_view random);

} // namespace baton::http
