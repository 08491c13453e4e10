// SPDX-License-Identifier: MIT
#include "actors/sandbox/secret_masking.hpp"

#include <algorithm>
#include <utility>

namespace baton::sandbox {
namespace {

/// A shorter line of a longer value tells little, and stands elsewhere too.
constexpr std::size_t line_bytes_min = 8;

/// Of a key or a file of credentials, each line is a secret.
void add_lines(std::string_view value, std::vector<std::string>& out) {
  if (value.find('\n') == value.npos)
    return;
  constexpr std::string_view blanks = " \t\r";
  while (!value.empty()) {
    auto line = value.substr(0, value.find('\n'));
    value.remove_prefix(std::min(line.size() + 1, value.size()));
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    line = line.substr(0, line.find_last_not_of(blanks) + 1);
    if (line.size() >= line_bytes_min)
      out.emplace_back(line);
  }
}

/// `at`, or the end of the values that it would cut.
std::size_t behind_values(const std::string& text,
                          const std::vector<std::string>& values,
                          std::size_t at) {
  for (bool moved = true; std::exchange(moved, false);)
    for (const auto& value : values) {
      auto from = at - std::min(at, value.size() - 1);
      auto found = text.find(value, from);
      if (found < at) {
        at = found + value.size();
        moved = true;
      }
    }
  return at;
}

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) >> 6) == 2;
}

} // namespace

std::vector<std::string>
values_of(const std::vector<std::string>& assignments) {
  std::vector<std::string> out;
  for (const auto& text : assignments)
    if (auto at = text.find('='); at != text.npos && at + 1 < text.size()) {
      out.push_back(text.substr(at + 1));
      add_lines(text.substr(at + 1), out);
    }
  std::ranges::stable_sort(
    out, [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return out;
}

std::string without_secrets(std::string text,
                            const std::vector<std::string>& values) {
  constexpr std::string_view shown = "***";
  for (const auto& value : values)
    for (auto at = text.find(value); at != text.npos;
         at = text.find(value, at + shown.size()))
      text.replace(at, value.size(), shown);
  return text;
}

bool mask_secrets(std::string& text, const std::vector<std::string>& values) {
  bool found = false;
  for (const auto& value : values)
    for (auto at = text.find(value); at != text.npos;
         at = text.find(value, at + value.size())) {
      text.replace(at, value.size(), value.size(), '*');
      found = true;
    }
  return found;
}

std::string safe_tail(const std::string& text,
                      const std::vector<std::string>& values,
                      std::size_t bytes_max) {
  // Cut before the masking, which would move what is left of a value at the
  // beginning of `text` into the tail: it makes text shorter.
  auto at = text.size() - std::min(text.size(), bytes_max);
  at = behind_values(text, values, at);
  while (at > 0 && at < text.size() && is_continuation(text[at]))
    ++at;
  auto out = without_secrets(text.substr(at), values);
  if (out.size() > bytes_max)
    out.erase(0, out.size() - bytes_max);
  constexpr std::string_view blanks = " \t\r\n";
  out.erase(0, out.find_first_not_of(blanks));
  out.erase(out.find_last_not_of(blanks) + 1);
  return out;
}

} // namespace baton::sandbox
