// SPDX-License-Identifier: MIT
// Bytes as lower-case hexadecimal digits, two a byte.
// Threads: a pure function.
#pragma once

#include <string>
#include <string_view>

namespace baton {

inline std::string to_hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (unsigned char c : bytes) {
    out += digits[c >> 4];
    out += digits[c & 0xF];
  }
  return out;
}

} // namespace baton
