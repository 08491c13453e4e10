// SPDX-License-Identifier: MIT
// The raw limit: RocksDB itself, written to with sync and nothing above it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace baton::bench {

/// Entries a second of `threads` writers, each with synced batches of
/// `batch_entries` entries of 200 bytes.
double raw_entries_per_second(const std::string& directory, int threads,
                              int batch_entries, std::chrono::seconds duration);

/// Microseconds of single synced writes of 200 bytes.
std::vector<double> raw_write_latencies(const std::string& directory,
                                        std::chrono::seconds duration);

} // namespace baton::bench
