// SPDX-License-Identifier: MIT
#include "apps/batond/descriptors.hpp"

#include <algorithm>

namespace baton {
namespace {

/// 64 table files, the store's logs and locks, inotify, epoll, the launches
/// under way: under 160 in all.
constexpr std::size_t reserved = 192;
constexpr std::size_t listeners = 2;
/// A node with next to nothing still answers its operator.
constexpr std::size_t least = 8;
constexpr std::size_t most = 1024;

} // namespace

std::size_t connections_for(std::size_t limit) {
  // Half of the rest for the journals of runs.
  auto rest = limit - std::min(limit, reserved);
  return std::clamp(rest / 2 / listeners, least, most);
}

} // namespace baton
