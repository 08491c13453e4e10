// SPDX-License-Identifier: MIT
#include "apps/demo_agent/script.hpp"

#include <algorithm>

namespace baton::demo {
namespace {

using std::chrono::milliseconds;

/// A model writes some 400 bytes of JSON a second; nobody waits for more than
/// two seconds of it.
milliseconds time_to_write(std::size_t bytes) {
  return std::min(milliseconds{40 + bytes * 5 / 2}, milliseconds{2'000});
}

} // namespace

script replay(std::string_view recording, milliseconds length_max) {
  script out;
  milliseconds total{0};
  while (!recording.empty()) {
    auto newline = recording.find('\n');
    auto length =
      newline == std::string_view::npos ? recording.size() : newline + 1;
    out.push_back(
      {time_to_write(length), std::string{recording.substr(0, length)}});
    total += out.back().pause_before;
    recording.remove_prefix(length);
  }
  if (total > length_max)
    for (auto& x : out)
      x.pause_before = x.pause_before * length_max.count() / total.count();
  return out;
}

} // namespace baton::demo
