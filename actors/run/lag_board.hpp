// SPDX-License-Identifier: MIT
// How far the logs of the runs driven on this node trail their journals: for
// the metrics page. What lags is safe: the journal is the buffer.
// Threads: safe for all.
#pragma once

#include "messages/ids.hpp"

#include <cstdint>
#include <map>
#include <mutex>

namespace baton::run {

class lag_board {
public:
  struct reading {
    std::uint64_t runs = 0;
    /// Journal bytes behind the last acknowledged entry, over all runs.
    std::uint64_t bytes = 0;
    /// Of the run that trails furthest.
    std::uint64_t bytes_max = 0;
  };

  void put(const run_id& run, std::uint64_t bytes);
  void forget(const run_id& run);
  reading read() const;

private:
  mutable std::mutex lock_;
  /// Guarded by lock_.
  std::map<run_id, std::uint64_t> bytes_;
};

} // namespace baton::run
