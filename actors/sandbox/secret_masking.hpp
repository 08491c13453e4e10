// SPDX-License-Identifier: MIT
// Keeping the values of secrets out of what is shown.
// Threads: pure functions. Needs nothing but the standard library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace baton::sandbox {

/// The values of `NAME=value` each, and the lines of those that have several,
/// longest first, without the empty ones: one value may be part of another.
std::vector<std::string> values_of(const std::vector<std::string>& assignments);

/// With `***` in place of each value. Requires: the order of values_of().
std::string without_secrets(std::string text,
                            const std::vector<std::string>& values);

/// With as many `*` in place of each value as it has bytes. True when there was
/// any.
bool mask_secrets(std::string& text, const std::vector<std::string>& values);

/// What without_secrets() makes of the last `bytes_max` bytes of `text`, less a
/// value that they begin within; on a whole UTF-8 sequence and without blanks
/// around. Requires: before those bytes `text` holds as many more as the
/// longest value has, or it is all there is.
std::string safe_tail(const std::string& text,
                      const std::vector<std::string>& values,
                      std::size_t bytes_max);

} // namespace baton::sandbox
