// SPDX-License-Identifier: MIT
// Long keys named by their beginnings.
// Threads: pure functions.
#pragma once

#include "messages/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace baton::cli {

/// How many characters tell all of `keys` apart; 8 at least, so that a name
/// noted down today is good tomorrow.
std::size_t prefix_length(const std::vector<std::string>& keys);

/// The one of `keys` that is, or begins with, `prefix`.
/// errc::unknown_sandbox: there is none; errc::malformed: there are several,
/// which the message names.
result<std::string> find_key(const std::vector<std::string>& keys,
                             std::string_view prefix);

} // namespace baton::cli
