// SPDX-License-Identifier: MIT
// A RocksDB in memory whose files are bytes in hand: what a crash leaves can be
// damaged at will and opened as our store, hundreds of times a second.
// Failure: what cannot be set up throws.
#pragma once

#include "storage/rocksdb_database.hpp"
#include "storage/rocksdb_keys.hpp"

#include <rocksdb/env.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <string>

namespace baton::test {

/// By name, without the directory.
using file_bytes = std::map<std::string, std::string>;

inline void require_ok(const rocksdb::Status& s) {
  if (!s.ok())
    throw std::runtime_error(s.ToString());
}

inline constexpr const char* memory_path = "/store";

/// Writes number n as key "kn", each synced.
class memory_database {
public:
  explicit memory_database(std::size_t write_buffer_bytes = 8 << 20)
    : env_(rocksdb::NewMemEnv(rocksdb::Env::Default())) {
    rocksdb::Options options;
    options.env = env_.get();
    options.create_if_missing = true;
    options.write_buffer_size = write_buffer_bytes;
    options.max_write_buffer_number = 8;
    rocksdb::DB* raw = nullptr;
    require_ok(rocksdb::DB::Open(options, memory_path, &raw));
    db_.reset(raw);
    auto key = storage::meta_key("format");
    put(key, storage::seal(key, storage::encode_number(1)));
  }

  ~memory_database() {
    if (is_paused_)
      db_->ContinueBackgroundWork().PermitUncheckedError();
  }

  static std::string key(std::size_t n) { return "k" + std::to_string(n); }

  void write(std::size_t n, std::size_t bytes) {
    put(key(n), std::string(bytes, static_cast<char>('a' + n % 26)));
  }

  /// Makes a table of everything so far; a new log begins.
  void flush() { require_ok(db_->Flush({})); }

  /// From now on full write buffers stay in memory, each with its log.
  void keep_logs() {
    require_ok(db_->PauseBackgroundWork());
    is_paused_ = true;
  }

  /// What a kill would leave now.
  file_bytes files() const {
    file_bytes out;
    std::vector<std::string> names;
    require_ok(env_->GetChildren(memory_path, &names));
    for (const auto& name : names)
      if (name != "LOCK" && name.rfind("LOG", 0) != 0)
        require_ok(rocksdb::ReadFileToString(
          env_.get(), std::string{memory_path} + "/" + name, &out[name]));
    return out;
  }

private:
  void put(const std::string& key, const std::string& value) {
    rocksdb::WriteOptions how;
    how.sync = true;
    require_ok(db_->Put(how, key, value));
  }

  std::unique_ptr<rocksdb::Env> env_;
  std::unique_ptr<rocksdb::DB> db_;
  bool is_paused_ = false;
};

inline std::vector<std::string> logs_of(const file_bytes& files) {
  std::vector<std::string> out;
  for (const auto& [name, bytes] : files)
    if (name.ends_with(".log"))
      out.push_back(name);
  return out;
}

/// Our store's view of such files.
class memory_store_files {
public:
  explicit memory_store_files(const file_bytes& files)
    : env_(rocksdb::NewMemEnv(rocksdb::Env::Default())) {
    require_ok(env_->CreateDirIfMissing(memory_path));
    for (const auto& [name, bytes] : files)
      require_ok(rocksdb::WriteStringToFile(
        env_.get(), bytes, std::string{memory_path} + "/" + name));
  }

  result<std::shared_ptr<storage::rocksdb_database>> open() {
    storage::rocksdb_options options;
    options.path = memory_path;
    options.env = env_.get();
    return storage::rocksdb_database::open(options);
  }

private:
  std::unique_ptr<rocksdb::Env> env_;
};

} // namespace baton::test
