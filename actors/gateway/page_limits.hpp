// SPDX-License-Identifier: MIT
// How much of a log a stream holds at a time.
#pragma once

#include <cstdint>

namespace baton::http {

constexpr std::uint32_t page_entries_max = 1024;
/// An entry may be larger and then comes alone. 1,000 readers that do not read
/// hold some 150 MiB.
constexpr std::uint32_t page_bytes_max = 128 * 1024;

} // namespace baton::http
