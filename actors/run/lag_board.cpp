// SPDX-License-Identifier: MIT
#include "actors/run/lag_board.hpp"

#include <algorithm>

namespace baton::run {

void lag_board::put(const run_id& run, std::uint64_t bytes) {
  std::lock_guard guard{lock_};
  bytes_[run] = bytes;
}

void lag_board::forget(const run_id& run) {
  std::lock_guard guard{lock_};
  bytes_.erase(run);
}

lag_board::reading lag_board::read() const {
  std::lock_guard guard{lock_};
  reading out;
  out.runs = bytes_.size();
  for (const auto& [run, bytes] : bytes_) {
    out.bytes += bytes;
    out.bytes_max = std::max(out.bytes_max, bytes);
  }
  return out;
}

} // namespace baton::run
