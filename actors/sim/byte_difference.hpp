// SPDX-License-Identifier: MIT
// Two pieces of a log that should be the same, in a few words.
// Threads: a pure function.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace baton::sim {

/// What an entry had to be, the line of `whole` at that byte or what is left of
/// it, and what it is: `expected "line 74", found "line 73"`, escaped, from
/// about where they differ, and at most 40 bytes of each.
std::string byte_difference(std::string_view whole, std::size_t at,
                            std::string_view found);

} // namespace baton::sim
