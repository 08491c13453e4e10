// SPDX-License-Identifier: MIT
// Which sandbox instances exist (E3, I10): what is listed here exists or may
// exist, and stays listed until it is known to be gone.
//
// Guarantees of every engine (checked by instance_store_conformance):
// - upsert() replaces the whole record: an optional field that is not set in
//   the new one is not set afterwards.
// - What upsert() and remove() acknowledged survives kill -9 and power loss.
// Threads: every call from any thread.
// Failure: errc::storage_failed as in store.hpp; errc::corrupt names one
// instance. An error leaves the store unchanged or the engine inoperable.
#pragma once

#include "messages/instance_record.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace baton::storage {

class rocksdb_database;

class instance_store {
public:
  virtual ~instance_store() = default;

  /// Nothing when there is none: that is no error.
  virtual result<std::optional<instance_record>>
  get(const instance_key& key) const = 0;

  /// errc::malformed without a key.
  virtual status upsert(const instance_record& x) = 0;

  /// A missing key is a no-op.
  virtual status remove(const instance_key& key) = 0;

  /// All of them, by key. Corrupt ones are left out: get() names them.
  virtual result<std::vector<instance_record>> list() const = 0;

  /// Keys whose stored bytes cannot be read back.
  virtual result<std::vector<instance_key>> corrupt() const = 0;
};

class memory_instance_store : public instance_store {
public:
  result<std::optional<instance_record>>
  get(const instance_key& key) const override;
  status upsert(const instance_record& x) override;
  status remove(const instance_key& key) override;
  result<std::vector<instance_record>> list() const override;
  result<std::vector<instance_key>> corrupt() const override;

private:
  mutable std::mutex lock_;
  std::map<instance_key, instance_record> instances_;
};

/// Instances beside the runs, in the same database.
class rocksdb_instance_store : public instance_store {
public:
  explicit rocksdb_instance_store(std::shared_ptr<rocksdb_database> db);

  result<std::optional<instance_record>>
  get(const instance_key& key) const override;
  status upsert(const instance_record& x) override;
  status remove(const instance_key& key) override;
  result<std::vector<instance_record>> list() const override;
  result<std::vector<instance_key>> corrupt() const override;

private:
  std::shared_ptr<rocksdb_database> db_;
};

} // namespace baton::storage
