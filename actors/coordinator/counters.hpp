// SPDX-License-Identifier: MIT
// How much the coordinator has done since it started, for the metrics page.
// Guarantees: counts what is durable, never what is only decided.
// Threads: tally belongs to the claim table; a counter_board is safe for all.
#pragma once

#include "storage/store.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
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
    {"reaped", 0},   {"restart", 0},      {"steal", 0},
    {"takeover", 0}};
  /// Writes that were refused because of their epoch.
  std::uint64_t fenced_writes = 0;
  /// What sweeps made of the runs that nobody watched (D3).
  std::map<std::string, std::uint64_t> reaped{
    {"budget_exceeded", 0}, {"expired", 0},   {"failed", 0},
    {"finalized", 0},       {"not_claimed", 0}, {"producing", 0},
    {"reclaim_failed", 0},  {"unknown", 0}};
  /// What came of destroying sandboxes (D6).
  std::map<std::string, std::uint64_t> reclaimed{{"destroy_failed", 0},
                                                 {"destroyed", 0},
                                                 {"no_sandbox_key", 0},
                                                 {"not_found", 0},
                                                 {"provider_mismatch", 0}};
  /// Sandboxes that no record named and that were condemned (D7).
  std::uint64_t pruned = 0;
  /// Runs whose time in the store was over.
  std::uint64_t retired = 0;
  /// When the last sweep began; not set before the first.
  std::optional<wall_time> last_sweep;
};

class tally {
public:
  /// A run that was there at the start.
  void restored(const run_record& run);
  /// `done` is durable; `before` is what stood before it, null: nothing.
  void committed(const run_record* before, const storage::commit& done);
  void fenced();
  void reaped(const std::string& outcome);
  void reclaimed(const std::string& outcome);
  void pruned();
  void retired();
  void swept(wall_time now);

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
