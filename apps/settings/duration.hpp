// SPDX-License-Identifier: MIT
// How durations and sizes are written in flags: `250ms`, `30m`, `1MiB`.
// Failure: errc::malformed, with a message that shows the accepted forms.
#pragma once

#include "messages/result.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace baton {

/// A whole number and one of ms, s, m, h, d.
result<std::chrono::milliseconds> parse_duration(std::string_view text);

/// The shortest form that parse_duration reads back: `90s`, `2m`, `1500ms`.
std::string to_text(std::chrono::milliseconds x);

/// A whole number of bytes, or one of KiB, MiB, GiB.
result<std::size_t> parse_byte_size(std::string_view text);

/// The shortest form that parse_byte_size reads back.
std::string byte_size_text(std::size_t bytes);

} // namespace baton
