// SPDX-License-Identifier: MIT
// Names of git repositories as users write them.
// Threads: pure functions. Needs nothing but the standard library: the shim
// uses it.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace baton {

/// The URL as it may be shown: what stands before the host (a user, and with it
/// perhaps a password or token) becomes `***`.
inline std::string redacted_url(std::string_view url) {
  auto scheme = url.find("://");
  auto begin = scheme == url.npos ? 0 : scheme + 3;
  auto authority_end = std::min(url.find_first_of("/?#", begin), url.size());
  auto at = url.substr(0, authority_end).rfind('@');
  if (at == url.npos || at < begin)
    return std::string{url};
  return std::string{url.substr(0, begin)} + "***"
         + std::string{url.substr(at)};
}

/// True for a whole object name, SHA-1 or SHA-256, which git can fetch but not
/// clone as a branch.
inline bool is_git_commit(std::string_view ref) {
  return (ref.size() == 40 || ref.size() == 64)
         && std::ranges::all_of(ref, [](char c) {
              return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
            });
}

} // namespace baton
