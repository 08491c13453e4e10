// SPDX-License-Identifier: MIT
#include "actors/gateway/uuid7.hpp"

#include "messages/check.hpp"

#include <array>
#include <cstdint>

namespace baton::http {

std::string uuid7(wall_time now, std::string_view random) {
  BATON_CHECK(random.size() == 10, "6 of 16 bytes are the time");
  std::array<std::uint8_t, 16> bytes{};
  auto ms = static_cast<std::uint64_t>(now.time_since_epoch().count());
  for (std::size_t i = 0; i < 6; ++i)
    bytes[i] = static_cast<std::uint8_t>(ms >> (8 * (5 - i)));
  for (std::size_t i = 0; i < random.size(); ++i)
    bytes[6 + i] = static_cast<std::uint8_t>(random[i]);
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0F) | 0x70);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3F) | 0x80);
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10)
      out += '-';
    out += digits[bytes[i] >> 4];
    out += digits[bytes[i] & 0xF];
  }
  return out;
}

} // namespace baton::http
