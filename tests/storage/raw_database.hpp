// SPDX-License-Identifier: MIT
// A closed database seen from below the store: to damage it byte by byte.
#pragma once

#include "storage/rocksdb_keys.hpp"

#include <rocksdb/db.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace baton::test {

class raw_database {
public:
  explicit raw_database(const std::string& path,
                        rocksdb::Env* env = rocksdb::Env::Default()) {
    rocksdb::DB* raw = nullptr;
    rocksdb::Options options;
    options.env = env;
    require(rocksdb::DB::Open(options, path, &raw));
    db_.reset(raw);
  }

  std::vector<std::string> keys() const {
    std::vector<std::string> out;
    std::unique_ptr<rocksdb::Iterator> i{db_->NewIterator({})};
    for (i->SeekToFirst(); i->Valid(); i->Next())
      out.push_back(i->key().ToString());
    return out;
  }

  std::string get(std::string_view key) const {
    std::string value;
    require(db_->Get({}, slice(key), &value));
    return value;
  }

  void put(std::string_view key, std::string_view value) {
    require(db_->Put({}, slice(key), slice(value)));
  }

  void drop(std::string_view key) { require(db_->Delete({}, slice(key))); }

  void flip(std::string_view key, std::size_t at) {
    auto value = get(key);
    value.at(at) = static_cast<char>(value.at(at) ^ 0x40);
    put(key, value);
  }

  /// Writes everything into table files.
  void flush() { require(db_->Flush({})); }

  run_no number_of(const run_id& id) const {
    auto key = storage::key_of(id);
    auto value = get(key);
    auto payload = storage::unseal(key, value);
    return run_no{storage::decode_number(*payload).value()};
  }

private:
  static rocksdb::Slice slice(std::string_view x) {
    return {x.data(), x.size()};
  }
  static void require(const rocksdb::Status& s) {
    if (!s.ok())
      throw std::runtime_error(s.ToString());
  }

  std::unique_ptr<rocksdb::DB> db_;
};

} // namespace baton::test
