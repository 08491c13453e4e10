// SPDX-License-Identifier: MIT
#include "storage/instance_store.hpp"

#include "messages/check.hpp"
#include "messages/record.hpp"
#include "storage/rocksdb_database.hpp"
#include "storage/rocksdb_keys.hpp"

#include <rocksdb/write_batch.h>

namespace baton::storage {
namespace {

status keyless() {
  return make_status(errc::malformed,
                     "a sandbox instance without a key cannot be stored");
}

/// The record under `key`, checked against it.
result<instance_record> open_value(std::string_view key,
                                   std::string_view value) {
  auto payload = unseal(key, value);
  if (!payload)
    return payload.error();
  auto x = decode_instance(*payload);
  if (x && key_of(x->key) != key)
    return {errc::corrupt, "stored sandbox instance '" + printable(x->key.str())
                             + "' stands under another key"};
  return x;
}

} // namespace

// -- memory -------------------------------------------------------------------

result<std::optional<instance_record>>
memory_instance_store::get(const instance_key& key) const {
  std::scoped_lock guard{lock_};
  auto i = instances_.find(key);
  if (i == instances_.end())
    return std::optional<instance_record>{};
  return std::optional{i->second};
}

status memory_instance_store::upsert(const instance_record& x) {
  if (x.key.empty())
    return keyless();
  std::scoped_lock guard{lock_};
  instances_.insert_or_assign(x.key, x);
  return {};
}

status memory_instance_store::remove(const instance_key& key) {
  std::scoped_lock guard{lock_};
  instances_.erase(key);
  return {};
}

result<std::vector<instance_record>> memory_instance_store::list() const {
  std::scoped_lock guard{lock_};
  std::vector<instance_record> out;
  for (const auto& [key, x] : instances_)
    out.push_back(x);
  return out;
}

result<std::vector<instance_key>> memory_instance_store::corrupt() const {
  return std::vector<instance_key>{};
}

// -- rocksdb ------------------------------------------------------------------

rocksdb_instance_store::rocksdb_instance_store(
  std::shared_ptr<rocksdb_database> db)
  : db_(std::move(db)) {}

result<std::optional<instance_record>>
rocksdb_instance_store::get(const instance_key& key) const {
  auto stored_under = key_of(key);
  auto value = db_->get(stored_under);
  if (!value)
    return value.error();
  if (!*value)
    return std::optional<instance_record>{};
  auto x = open_value(stored_under, **value);
  if (!x)
    return x.error();
  return std::optional{*std::move(x)};
}

status rocksdb_instance_store::upsert(const instance_record& x) {
  if (x.key.empty())
    return keyless();
  auto key = key_of(x.key);
  auto value = seal(key, encode(x));
  rocksdb::WriteBatch batch;
  auto staged = batch.Put(slice(key), slice(value));
  BATON_CHECK(staged.ok(), "a write batch without a size limit takes a put");
  return db_->write(batch);
}

status rocksdb_instance_store::remove(const instance_key& key) {
  auto stored_under = key_of(key);
  rocksdb::WriteBatch batch;
  auto staged = batch.Delete(slice(stored_under));
  BATON_CHECK(staged.ok(), "a write batch without a size limit takes a delete");
  return db_->write(batch);
}

result<std::vector<instance_record>> rocksdb_instance_store::list() const {
  std::vector<instance_record> out;
  auto bad = db_->scan(key_of_tag(key_tag::instance),
                       key_of_tag_behind(key_tag::instance), nullptr,
                       [&](std::string_view key, std::string_view value) {
                         if (auto x = open_value(key, value))
                           out.push_back(*std::move(x));
                         return true;
                       });
  if (!bad.ok())
    return bad;
  return out;
}

result<std::vector<instance_key>> rocksdb_instance_store::corrupt() const {
  std::vector<instance_key> out;
  auto bad = db_->scan(key_of_tag(key_tag::instance),
                       key_of_tag_behind(key_tag::instance), nullptr,
                       [&](std::string_view key, std::string_view value) {
                         if (!open_value(key, value))
                           out.emplace_back(std::string{key.substr(1)});
                         return true;
                       });
  if (!bad.ok())
    return bad;
  return out;
}

} // namespace baton::storage
