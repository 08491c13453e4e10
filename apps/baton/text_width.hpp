// SPDX-License-Identifier: MIT
// Text as a terminal shows it.
// Threads: pure functions; wide characters need a UTF-8 LC_CTYPE.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace baton::cli {

/// Columns that `text` takes; bytes that are not UTF-8 take one each.
std::size_t display_width(std::string_view text);

/// The longest beginning that fits into `columns`, with `…` where something
/// was cut.
std::string fit(std::string_view text, std::size_t columns);

/// Without anything that a terminal would obey or hide: control characters
/// (C0, DEL, C1) and direction overrides become visible escapes, bytes that
/// are not UTF-8 become \xHH. Output of agents is shown only like this.
std::string without_controls(std::string_view text);

} // namespace baton::cli
