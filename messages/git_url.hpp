// SPDX-License-Identifier: MIT
// Names of git repositories as users write them.
// Threads: pure functions. Needs nothing but the standard library: the shim
// uses it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace baton {

/// What stands before the host: a user, and with it perhaps a password or
/// token; empty: nothing.
inline std::string_view userinfo_of(std::string_view url) {
  auto scheme = url.find("://");
  auto begin = scheme == url.npos ? 0 : scheme + 3;
  auto authority = url.substr(begin, url.find_first_of("/?#", begin) - begin);
  auto at = authority.rfind('@');
  return at == authority.npos ? std::string_view{} : authority.substr(0, at);
}

/// The URL as it may be shown: with `***` for what stands before the host.
inline std::string redacted_url(std::string_view url) {
  std::string out{url};
  if (auto info = userinfo_of(url); !info.empty())
    out.replace(static_cast<std::size_t>(info.data() - url.data()), info.size(),
                "***");
  return out;
}

/// What of it must not be shown, were it to be met elsewhere: a password or
/// token, but not the user name of ssh.
inline std::string_view secret_of_url(std::string_view url) {
  auto info = userinfo_of(url);
  if (auto colon = info.find(':'); colon != info.npos)
    return info.substr(colon + 1);
  return url.starts_with("https://") ? info : std::string_view{};
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
