// SPDX-License-Identifier: MIT
// SHA-256 as text: for nonces, names, keys and fingerprints.
#pragma once

#include <string>
#include <string_view>

namespace baton {

/// 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

} // namespace baton
