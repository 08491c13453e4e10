// SPDX-License-Identifier: MIT
#include "actors/sandbox/secret_masking.hpp"

#include <algorithm>

namespace baton::sandbox {

std::vector<std::string>
values_of(const std::vector<std::string>& assignments) {
  std::vector<std::string> out;
  for (const auto& text : assignments)
    if (auto at = text.find('='); at != text.npos && at + 1 < text.size())
      out.push_back(text.substr(at + 1));
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
  auto out = without_secrets(text, values);
  if (out.size() > bytes_max) {
    auto at = out.size() - bytes_max;
    while (at < out.size() && (static_cast<unsigned char>(out[at]) >> 6) == 2)
      ++at;
    out.erase(0, at);
  }
  constexpr std::string_view blanks = " \t\r\n";
  out.erase(0, out.find_first_not_of(blanks));
  out.erase(out.find_last_not_of(blanks) + 1);
  return out;
}

} // namespace baton::sandbox
