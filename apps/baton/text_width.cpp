// SPDX-License-Identifier: MIT
#include "apps/baton/text_width.hpp"

#include "messages/utf8.hpp"

#include <array>
#include <cstdint>
#include <cwchar>

namespace baton::cli {

namespace {

struct character {
  std::size_t bytes = 1;
  /// Only when `is_valid`.
  char32_t code = 0;
  bool is_valid = false;
};

character first_of(std::string_view text) {
  auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80)
    return {1, lead, true};
  std::size_t n = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (n > text.size() || !is_utf8(text.substr(0, n)))
    return {};
  char32_t code = lead & (0xFFu >> (n + 1));
  for (std::size_t i = 1; i < n; ++i)
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  return {n, code, true};
}

std::size_t columns_of(const character& c) {
  if (!c.is_valid || c.code < 0x80)
    return 1;
  auto n = ::wcwidth(static_cast<wchar_t>(c.code));
  return n < 0 ? 1 : static_cast<std::size_t>(n);
}

bool is_obeyed(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || (c >= 0x200E && c <= 0x200F)
         || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

} // namespace

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    auto c = first_of(text);
    columns += columns_of(c);
    text.remove_prefix(c.bytes);
  }
  return columns;
}

std::string fit(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns)
    return std::string{text};
  std::string out;
  std::size_t used = 1;
  while (!text.empty()) {
    auto c = first_of(text);
    used += columns_of(c);
    if (used > columns)
      break;
    out += text.substr(0, c.bytes);
    text.remove_prefix(c.bytes);
  }
  return columns == 0 ? out : out + "…";
}

std::string without_controls(std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    auto c = first_of(text);
    if (c.is_valid && (c.code == '\t' || !is_obeyed(c.code))) {
      out += text.substr(0, c.bytes);
    } else if (c.is_valid && c.code > 0xFF) {
      out += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4)
        out += hex[(c.code >> shift) & 15];
    } else {
      auto byte = c.is_valid ? static_cast<unsigned>(c.code)
                             : static_cast<unsigned char>(text.front());
      out += "\\x";
      out += hex[byte >> 4];
      out += hex[byte & 15];
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

} // namespace baton::cli
