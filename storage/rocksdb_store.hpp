// SPDX-License-Identifier: MIT
// Runs in RocksDB: one synced write batch for each commit_all().
//
// Guarantees: as store.hpp. A run whose spec, state or index entry is damaged
// answers errc::corrupt and hurts no other run; entries are checked against
// their key and their neighbour whenever they are read (I2, I3).
// Threads: as store.hpp; writers are serialized by a lock of its own.
// See README.md for the keys.
#pragma once

#include "storage/commit_check.hpp"
#include "storage/rocksdb_database.hpp"
#include "storage/rocksdb_keys.hpp"
#include "storage/store.hpp"

#include <rocksdb/write_batch.h>

#include <functional>
#include <mutex>
#include <unordered_map>

namespace baton::storage {

class rocksdb_store : public store {
public:
  ~rocksdb_store() override;

  static result<std::unique_ptr<store>>
  open(std::shared_ptr<rocksdb_database> db);
  /// A database of its own.
  static result<std::unique_ptr<store>> open(const rocksdb_options& options);

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

private:
  using snapshot = const rocksdb::Snapshot*;

  /// What the commit path knows of a run without asking the disk.
  struct slot {
    run_no no;
    run_tip tip;
    bool live = false;
    /// The last commit of the current call; its state is the one written.
    const commit* staged = nullptr;
  };
  using slots = std::unordered_map<run_id, slot>;

  explicit rocksdb_store(std::shared_ptr<rocksdb_database> db);
  status load_meta();

  // -- committing (rocksdb_store.cpp); all under write_lock_ ------------------

  commit_outcome stage(const commit& c, status& failure);
  /// The run's slot, cached from now on; null when there is no such run.
  result<slots::value_type*> slot_of(const run_id& id);
  void stage_creation(const commit& c, slot& made);
  void stage_state(const run_id& id, slot& s);
  void put(std::string_view key, std::string_view value);
  void put_sealed(std::string_view key, std::string_view payload);
  void drop(std::string_view key);
  void drop_range(std::string_view first, std::string_view end);
  void stage_instances(std::span<const instance_change> changes);
  /// Into the batch, if it was not written since it was saved.
  void stage_uptime();
  status write_uptime();

  // -- reading (rocksdb_store_read.cpp) ---------------------------------------

  result<std::optional<run_no>> number_of(const run_id& id, snapshot at) const;
  result<run_spec> spec_of(run_no no, snapshot at) const;
  result<run_state> state_of(run_no no, snapshot at) const;
  result<run_record> record_of(run_no no, snapshot at) const;
  /// record_of(), and its id leads back to it.
  result<run_record> checked_record_of(run_no no, snapshot at) const;
  /// Visits the numbers behind `after` whose keys begin with `prefix`, in
  /// order, damaged index blocks notwithstanding.
  status
  for_each_number(std::string_view prefix, run_no after, snapshot at,
                  const std::function<status(run_no, bool&)>& visit) const;
  /// The id of a damaged run, from whatever still holds it.
  std::optional<run_id> id_of(run_no no, snapshot at) const;
  std::optional<run_no> find_number(const run_id& id, snapshot at) const;
  std::optional<thread_id> find_thread(run_no no, snapshot at) const;

  /// Calls visit(key, record or why there is none) for each instance.
  status for_each_instance(
    const std::function<void(std::string_view, result<instance_record>)>& visit)
    const;

  // -- quarantine (rocksdb_store_quarantine.cpp) ------------------------------

  struct findings;
  findings examine(const run_id& id, run_no no, snapshot at) const;
  void keep_damaged(run_no no, std::string_view key);

  std::shared_ptr<rocksdb_database> db_;
  std::atomic<std::uint64_t> last_no_{0};
  std::atomic<std::uint64_t> uptime_ms_{0};
  std::atomic<std::uint64_t> epoch_floor_{0};

  std::mutex write_lock_;
  /// Guarded by write_lock_, as everything below: live runs that were
  /// committed to since the start.
  slots slots_;
  bool uptime_waits_ = false;
  /// Of the current call: slots to look at again at its end.
  std::vector<slots::value_type*> used_;
  rocksdb::WriteBatch batch_;
  std::string scratch_;
};

} // namespace baton::storage
