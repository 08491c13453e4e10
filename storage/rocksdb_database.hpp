// SPDX-License-Identifier: MIT
// One open RocksDB, shared by the run store and the instance store: its
// options, and its errors in our words.
//
// Guarantees: a write that returned ok survives power loss (I4). After a crash
// at any instant open() succeeds by itself; a torn end of the write-ahead log
// is dropped whole writes at a time, damage before its end is refused.
// Threads: every call from any thread.
// Failure: errc::corrupt: these bytes cannot be read, others can.
// errc::storage_failed: the database is inoperable; every later write fails
// too, until the process is restarted.
#pragma once

#include "messages/result.hpp"

#include <rocksdb/db.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace baton::storage {

struct rocksdb_options {
  std::string path;
  bool create_if_missing = true;
  /// For tests; not owned, outlives the database. Null: the real one.
  rocksdb::Env* env = nullptr;
  /// Memory for writes not yet in a table; one more such buffer may be in
  /// flight. 8 MiB keeps the daemon small and takes 80 ms to write out.
  std::size_t write_buffer_bytes = 8 << 20;
};

class rocksdb_database {
public:
  /// errc::foreign_data when the database is not ours or is newer than us.
  static result<std::shared_ptr<rocksdb_database>>
  open(const rocksdb_options& options);

  ~rocksdb_database();
  rocksdb_database(const rocksdb_database&) = delete;
  rocksdb_database& operator=(const rocksdb_database&) = delete;

  /// The value, or nothing when there is no such key.
  result<std::optional<std::string>>
  get(std::string_view key, const rocksdb::Snapshot* at = nullptr) const;

  /// The value inside its seal; errc::corrupt when it does not unseal.
  result<std::optional<std::string>>
  get_sealed(std::string_view key, const rocksdb::Snapshot* at = nullptr) const;

  /// What stands under a key that may be damaged, as far as RocksDB gives it
  /// out at all.
  std::optional<std::string> get_raw(std::string_view key) const;

  /// Calls `visit(key, value)` for keys in [first, end), in order, until it
  /// returns false.
  using visitor = std::function<bool(std::string_view, std::string_view)>;
  status scan(std::string_view first, std::string_view end,
              const rocksdb::Snapshot* at, const visitor& visit) const;

  /// Atomic and durable on return. Every write is synced: recovery takes an
  /// intact write behind a damaged one for proof that the damaged one counted.
  status write(rocksdb::WriteBatch& batch);

  const rocksdb::Snapshot* snapshot() const { return db_->GetSnapshot(); }
  void release(const rocksdb::Snapshot* x) const { db_->ReleaseSnapshot(x); }

private:
  rocksdb_database() = default;

  status check_format();
  status to_status(const rocksdb::Status& s, std::string_view doing) const;

  std::string path_;
  std::unique_ptr<rocksdb::DB> db_;
  std::atomic<bool> failed_{false};
};

/// A consistent view, for reads that take several keys.
class rocksdb_view {
public:
  explicit rocksdb_view(const rocksdb_database& db)
    : db_(db), at_(db.snapshot()) {}
  ~rocksdb_view() { db_.release(at_); }
  rocksdb_view(const rocksdb_view&) = delete;
  rocksdb_view& operator=(const rocksdb_view&) = delete;

  const rocksdb::Snapshot* at() const noexcept { return at_; }

private:
  const rocksdb_database& db_;
  const rocksdb::Snapshot* at_;
};

inline rocksdb::Slice slice(std::string_view x) {
  return {x.data(), x.size()};
}

} // namespace baton::storage
