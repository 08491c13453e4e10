// SPDX-License-Identifier: MIT
#include "messages/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace baton {

bool is_utf8(std::string_view bytes) noexcept {
  auto* p = reinterpret_cast<const unsigned char*>(bytes.data());
  auto* end = p + bytes.size();
  auto tail = [](unsigned char c) { return (c & 0xC0) == 0x80; };
  while (p < end) {
    // Agent output is mostly ASCII: eight bytes at a time.
    while (end - p >= 8) {
      std::uint64_t word;
      std::memcpy(&word, p, 8);
      if ((word & 0x8080'8080'8080'8080) != 0)
        break;
      p += 8;
    }
    if (p == end)
      break;
    auto c = *p;
    if (c < 0x80) {
      ++p;
    } else if (c >= 0xC2 && c < 0xE0) {
      if (end - p < 2 || !tail(p[1]))
        return false;
      p += 2;
    } else if (c >= 0xE0 && c < 0xF0) {
      if (end - p < 3 || !tail(p[1]) || !tail(p[2])
          || (c == 0xE0 && p[1] < 0xA0) || (c == 0xED && p[1] > 0x9F))
        return false;
      p += 3;
    } else if (c >= 0xF0 && c < 0xF5) {
      if (end - p < 4 || !tail(p[1]) || !tail(p[2]) || !tail(p[3])
          || (c == 0xF0 && p[1] < 0x90) || (c == 0xF4 && p[1] > 0x8F))
        return false;
      p += 4;
    } else {
      return false;
    }
  }
  return true;
}

} // namespace baton
