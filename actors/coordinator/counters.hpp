// SPDX-License-Identifier: MIT
// How much the coordinator has done since it started, for the metrics page.
// Guarantees: counts what is durable, never what is only decided.
// Threads: tally belongs to the claim table; a counter_board is safe for all.
#pragma once

#include "storage/store.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace baton::coordinator {

struct counters {
  /// Runs that have not ended.
  std::map<run_status, std::uint64_t> live{{run_status::running, 0},
                                           {run_status::interrupted, 0}};
  /// Runs that ended since the start.
  std::map<run_status, std::uint64_t> ended{{run_status::completed, 0},
                                            {run_status::failed, 0},
                                            {run_status::aborted, 0}};
  std::uint64_t claims = 0;
  /// Claims of runs that another driver, or another life of it, still held; by
  /// the cause in the claim's note.
  std::map<std::string, std::uint64_t> takeovers{
    {"handover", 0}, {"lease_lapsed", 0}, {"node_lost", 0},
    {"restart", 0},  {"steal", 0},        {"takeover", 0}};
  /// Writes that were refused because of their epoch.
  std::uint64_t fenced_writes = 0;
};

class tally {
public:
  /// A run that was there at the start.
  void restored(const run_record& run);
  /// `done` is durable; `before` is what stood before it, null: nothing.
  void committed(const run_record* before, const storage::commit& done);
  void fenced();

  const counters& sum() const { return sum_; }
  /// Another one, another sum.
  std::uint64_t version() const { return version_; }

private:
  counters sum_;
  std::uint64_t version_ = 1;
};

/// Where the coordinator puts its counters for other threads to read.
class counter_board {
public:
  void put(const counters& x);
  counters read() const;

private:
  mutable std::mutex lock_;
  /// Guarded by lock_.
  counters shown_;
};

} // namespace baton::coordinator
