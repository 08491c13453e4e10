// SPDX-License-Identifier: MIT
// One line of an agent's output, short enough to watch it go by: what kind of
// line it is and the words in it that a person would look for.
// Guarantees: any bytes give a summary of printable UTF-8 without line ends.
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace baton::demo {

struct summary {
  /// `assistant`, `tool_use`, `item.completed`; `text` when it is not JSON.
  std::string kind;
  std::string words;
  /// The line tells of something that failed.
  bool failure = false;
};

/// Knows the line formats of common coding agents by the names they share, not
/// by product.
summary summarise(std::string_view line);

/// `text` cut to that many columns, with an ellipsis when something is missing.
std::string fit(std::string_view text, std::size_t columns);

} // namespace baton::demo
