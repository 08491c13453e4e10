// SPDX-License-Identifier: MIT
// storage::rocksdb_store on a disk that can lose power: what was not synced is
// gone.
// Threads: one, beside RocksDB's own; no outcome depends on those.
// Failure: a directory or database that cannot be made stops the process.
#pragma once

#include "storage/store.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace rocksdb {
class Env;
} // namespace rocksdb

namespace baton::storage {
class power_loss_fs;
} // namespace baton::storage

namespace baton::sim {

class rocksdb_engine {
public:
  /// In a directory of its own, which goes with it.
  rocksdb_engine();
  ~rocksdb_engine();

  rocksdb_engine(const rocksdb_engine&) = delete;
  rocksdb_engine& operator=(const rocksdb_engine&) = delete;

  std::shared_ptr<storage::store> open();

  /// What is left of the disk, for the next open().
  void lose_power();

private:
  std::string path() const;

  std::string root_;
  std::size_t lives_ = 0;
  std::shared_ptr<storage::power_loss_fs> files_;
  std::unique_ptr<rocksdb::Env> env_;
};

} // namespace baton::sim
