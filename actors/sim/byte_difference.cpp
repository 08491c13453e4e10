// SPDX-License-Identifier: MIT
#include "actors/sim/byte_difference.hpp"

#include <algorithm>

namespace baton::sim {
namespace {

/// In quotes, escaped, at most 40 bytes of it, those from `from` on.
std::string quoted(std::string_view x, std::size_t from) {
  constexpr std::size_t bytes_max = 40;
  x = x.substr(std::min(from, x.size()));
  std::string out = from == 0 ? "\"" : "\"...";
  for (auto c : x.substr(0, bytes_max)) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += std::string{'\\'} + c;
    else if (c == '\n')
      out += "\\n";
    else if (byte >= 0x20 && byte < 0x7F)
      out += c;
    else {
      constexpr std::string_view digits = "0123456789abcdef";
      out += "\\x";
      out += digits[byte / 16];
      out += digits[byte % 16];
    }
  }
  return out + (x.size() > bytes_max ? "...\"" : "\"");
}

} // namespace

std::string byte_difference(std::string_view whole, std::size_t at,
                            std::string_view found) {
  constexpr std::size_t same_bytes_max = 30;
  constexpr std::size_t shown_before = 10;
  auto rest = whole.substr(std::min(at, whole.size()));
  auto line_end = rest.find('\n');
  auto wanted =
    rest.substr(0, line_end == rest.npos ? rest.npos : line_end + 1);
  if (wanted.ends_with('\n') && found.ends_with('\n')) {
    wanted.remove_suffix(1);
    found.remove_suffix(1);
  }
  auto differs = static_cast<std::size_t>(
    std::ranges::mismatch(wanted, found).in1 - wanted.begin());
  auto from = differs > same_bytes_max ? differs - shown_before : 0;
  return "expected " + (rest.empty() ? "nothing more" : quoted(wanted, from))
         + ", found " + quoted(found, from);
}

} // namespace baton::sim
