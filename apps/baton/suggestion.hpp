// SPDX-License-Identifier: MIT
// What somebody who mistyped a word may have meant.
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace baton::cli {

/// The one of `known` that is closest to `word`: a slip or two away, or what
/// `word` is the beginning of; empty when none is. Dashes in front do not
/// count.
std::string nearest(std::string_view word,
                    const std::vector<std::string>& known);

/// `(did you mean NEAREST? HELP)`, or `(HELP)`.
std::string with_suggestion(const std::string& help, std::string_view word,
                            const std::vector<std::string>& known);

} // namespace baton::cli
