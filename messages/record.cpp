// SPDX-License-Identifier: MIT
#include "messages/record.hpp"

#include "messages/entry.hpp"
#include "messages/utf8.hpp"

#include <array>
#include <cstdio>

namespace baton {
namespace {

constexpr std::size_t id_bytes_max = 512;
constexpr std::size_t printable_bytes_max = 80;

constexpr std::array<std::string_view, 6> status_names{
  "", "running", "interrupted", "completed", "failed", "aborted"};

} // namespace

std::string_view to_string(run_status s) noexcept {
  auto i = static_cast<std::size_t>(s);
  return i < status_names.size() ? status_names[i] : "";
}

std::optional<run_status> run_status_from_string(std::string_view s) noexcept {
  for (std::size_t i = 1; i < status_names.size(); ++i)
    if (status_names[i] == s)
      return static_cast<run_status>(i);
  return std::nullopt;
}

bool same_request(const run_spec& a, const run_spec& b) {
  return a.command == b.command && a.cwd == b.cwd && a.env == b.env
         && a.stdin_bytes == b.stdin_bytes && a.sandbox == b.sandbox
         && a.external == b.external;
}

bool is_well_formed(const line_batch& x) noexcept {
  std::size_t sum = 0;
  for (auto n : x.lengths) {
    auto length = n & ~line_batch::fragment_bit;
    if (length == 0)
      return false;
    sum += length;
  }
  return sum == x.bytes.size();
}

bool is_valid_id(std::string_view text) {
  if (text.empty() || text.size() > id_bytes_max || text == "." || text == ".."
      || !is_utf8(text))
    return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 || c == 0x7F)
      return false;
    // C1 controls are C2 80 to C2 9F in UTF-8.
    if (c == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0)
      return false;
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string out;
  for (unsigned char c : text) {
    if (out.size() >= printable_bytes_max)
      return out + "...";
    if (c >= 0x20 && c < 0x7F) {
      out += static_cast<char>(c);
    } else {
      char hex[8];
      std::snprintf(hex, sizeof(hex), "\\x%02x", c);
      out += hex;
    }
  }
  return out;
}

} // namespace baton
