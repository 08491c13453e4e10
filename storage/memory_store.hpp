// SPDX-License-Identifier: MIT
// The reference engine: the store's contract in the plainest code that keeps
// it. Tests compare other engines with it; the simulator runs on it.
//
// Guarantees: as store.hpp; the object plays the disk, so what it took is there
// until it is destroyed.
// Threads: as store.hpp, by one lock.
#pragma once

#include "storage/commit_check.hpp"
#include "storage/store.hpp"

#include <map>
#include <mutex>
#include <unordered_map>

namespace baton::storage {

class memory_store : public store {
public:
  result<std::vector<commit_outcome>>
  commit_all(std::span<const commit> batch) override;
  status remove(const run_id& id, std::uint64_t expected_version) override;
  result<run_record> load(const run_id& id) const override;
  result<std::vector<run_record>> list(const list_query& query) const override;
  result<std::vector<run_record>> live() const override;
  result<std::vector<run_id>> corrupt() const override;
  status quarantine(const run_id& id, const std::string& why,
                    wall_time now) override;
  result<std::vector<entry>> read(const run_record& run,
                                  const read_query& query) const override;
  result<std::vector<claim_note>> claims(const run_record& run) const override;
  status change_instances(std::span<const instance_change> changes) override;
  result<std::vector<instance_record>> instances() const override;
  result<std::vector<instance_key>> corrupt_instances() const override;
  result<epoch> epoch_floor() const override;
  result<std::uint64_t> uptime_ms() const override;
  status save_uptime_ms(std::uint64_t ms) override;

  // -- for tests and the simulator --------------------------------------------

  /// Power loss: what no commit has carried to the disk is gone.
  void crash();

  /// Makes the run's state unreadable, as a flipped byte on disk would.
  void damage(const run_id& id);

  // For engines that are wrong on purpose (tests/conformance).
protected:
  struct stored_run {
    run_record record;
    /// What is left of the log.
    std::vector<entry> entries;
    std::vector<claim_note> claims;
    bool damaged = false;
  };

  commit_outcome take(const commit& c);
  void apply(std::span<const instance_change> changes);
  const stored_run* find(run_no no) const;

  mutable std::mutex lock_;
  /// Guarded by lock_, as everything below; in creation order.
  std::map<run_no, stored_run> runs_;
  std::unordered_map<run_id, run_no> numbers_;
  std::map<instance_key, instance_record> instances_;
  run_no last_no_;
  epoch floor_;
  std::uint64_t uptime_ms_ = 0;
  std::uint64_t uptime_ms_synced_ = 0;
};

} // namespace baton::storage
