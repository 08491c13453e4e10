// SPDX-License-Identifier: MIT
// Calendar time for people to read. No decision of baton depends on it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace baton {

using wall_time = std::chrono::sys_time<std::chrono::milliseconds>;

/// RFC 3339, UTC, milliseconds: `2026-11-29T15:18:33.042Z`.
std::string to_rfc3339(wall_time t);

/// The inverse; takes only the form that to_rfc3339 writes.
std::optional<wall_time> wall_time_from_rfc3339(std::string_view text);

} // namespace baton
