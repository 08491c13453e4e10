// SPDX-License-Identifier: MIT
// Finds what JSON parsers pass over: an object that gives one key twice, so
// that nobody can tell which value was meant.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace baton::http {

/// A key that one of the objects in `text` gives more than once, with the keys
/// that lead to it: `env.PATH`. Requires: `text` is JSON.
std::optional<std::string> find_repeated_key(std::string_view text);

} // namespace baton::http
