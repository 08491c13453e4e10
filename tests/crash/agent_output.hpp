// SPDX-License-Identifier: MIT
// What the agent of the crash tests prints, known to it and to the test: line
// number i of a seed is the same bytes on both sides.
#pragma once

#include "tests/messages/seeded.hpp"

#include <cstdint>
#include <string>

namespace baton::crash_test {

/// With its newline.
inline std::string agent_line(std::uint64_t seed, std::uint64_t i) {
  test::seeded random{seed * 1'000'003 + i};
  auto n = std::to_string(i);
  switch (random.below(8)) {
  case 0:
    return "plain words, line " + n + "\r\n";
  case 1:
    return "\n";
  case 2:
    return random.from("\xff\xfe\xc3\x80\t\r\x7f", 1 + random.below(40)) + "\n";
  case 3:
    return std::string{"a\0b ", 4} + n + "\n";
  case 4:
    return "{\"long\":\"" + std::string(random.below(9'000), 'x') + "\"}\n";
  default:
    return "{\"type\":\"text\",\"n\":" + n + ",\"text\":\""
           + random.from("abcdefgh \xc3\xa4", random.below(120)) + "\"}\n";
  }
}

/// `bare`: the last line lacks its newline.
inline std::string agent_output(std::uint64_t seed, std::uint64_t lines,
                                bool bare) {
  std::string out;
  for (std::uint64_t i = 0; i < lines; ++i)
    out += agent_line(seed, i);
  if (bare)
    out += "the last words";
  return out;
}

} // namespace baton::crash_test
