// SPDX-License-Identifier: MIT
// The raw limit: RocksDB itself, written to with sync and nothing above it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace baton::bench {

struct throughput {
  double entries_per_second = 0;
  double cpu_us_per_entry = 0;
};

/// What `threads` writers reach, each with synced batches of `batch_entries`
/// entries of 200 bytes.
throughput raw_throughput(const std::string& directory, int threads,
                          int batch_entries, std::chrono::seconds duration);

/// Microseconds of single synced writes of 200 bytes.
std::vector<double> raw_write_latencies(const std::string& directory,
                                        std::chrono::seconds duration);

} // namespace baton::bench
