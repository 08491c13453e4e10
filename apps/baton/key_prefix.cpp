// SPDX-License-Identifier: MIT
#include "apps/baton/key_prefix.hpp"

#include "messages/record.hpp"

#include <algorithm>

namespace baton::cli {

namespace {

constexpr std::size_t length_min = 8;
/// Enough to choose from; more is a page and no message.
constexpr std::size_t named_max = 8;

std::size_t shared_length(std::string_view a, std::string_view b) {
  auto [end, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(end - a.begin());
}

} // namespace

std::size_t prefix_length(const std::vector<std::string>& keys) {
  auto sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  auto out = length_min;
  for (std::size_t i = 1; i < sorted.size(); ++i)
    out = std::max(out, shared_length(sorted[i - 1], sorted[i]) + 1);
  return out;
}

result<std::string> find_key(const std::vector<std::string>& keys,
                             std::string_view prefix) {
  std::vector<std::string> found;
  for (const auto& key : keys) {
    if (key == prefix)
      return key;
    if (!prefix.empty() && key.starts_with(prefix))
      found.push_back(key);
  }
  if (found.size() == 1)
    return found.front();
  auto name = "'" + printable(prefix) + "'";
  if (found.empty())
    return {errc::unknown_sandbox, "no sandbox has a key that begins with "
                                     + name + " (baton sandboxes lists them)"};
  auto length = prefix_length(found);
  std::string names;
  for (std::size_t i = 0; i < std::min(found.size(), named_max); ++i)
    names += (i == 0 ? "" : ", ") + found[i].substr(0, length);
  if (found.size() > named_max)
    names += " and " + std::to_string(found.size() - named_max) + " more";
  return {errc::malformed,
          name + " begins several keys: " + names + " (give more of one)"};
}

} // namespace baton::cli
