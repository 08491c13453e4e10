// SPDX-License-Identifier: MIT
// How the conformance kits get at our own engines.
#pragma once

#include "storage/memory_store.hpp"
#include "storage/power_loss_fs.hpp"
#include "storage/rocksdb_store.hpp"
#include "storage/store_conformance.hpp"
#include "tests/storage/raw_database.hpp"
#include "tests/storage/temp_dir.hpp"

#include <rocksdb/env.h>

namespace baton::test {

/// Any engine whose object is its own disk.
template <class Engine>
class memory_maker : public storage::store_maker {
public:
  explicit memory_maker(std::function<std::unique_ptr<Engine>()> make_engine)
    : make_(std::move(make_engine)) {}

  std::unique_ptr<storage::store> make() override { return make_(); }

  std::unique_ptr<storage::store>
  reopen(std::unique_ptr<storage::store> closing) override {
    return closing;
  }

  std::unique_ptr<storage::store>
  crash(std::unique_ptr<storage::store> dying) override {
    static_cast<Engine&>(*dying).crash();
    return dying;
  }

  std::unique_ptr<storage::store>
  damage(std::unique_ptr<storage::store> closing, const run_id& id) override {
    static_cast<Engine&>(*closing).damage(id);
    return closing;
  }

private:
  std::function<std::unique_ptr<Engine>()> make_;
};

class rocksdb_maker : public storage::store_maker {
public:
  std::unique_ptr<storage::store> make() override {
    path_ = dir_ / std::to_string(++count_);
    return open();
  }

  std::unique_ptr<storage::store>
  reopen(std::unique_ptr<storage::store> closing) override {
    closing.reset();
    return open();
  }

  /// Goes on with what was synced.
  std::unique_ptr<storage::store>
  crash(std::unique_ptr<storage::store> dying) override {
    auto left = dir_ / std::to_string(++count_);
    fs_->image(path_, left, storage::unsynced::dropped);
    dying.reset();
    path_ = left;
    // The bytes of the image are on the disk by definition.
    fs_->adopt(path_);
    return open();
  }

  std::unique_ptr<storage::store>
  damage(std::unique_ptr<storage::store> closing, const run_id& id) override {
    closing.reset();
    {
      raw_database raw{path_, env_.get()};
      raw.flip(storage::key_of(storage::key_tag::state, raw.number_of(id)), 7);
    }
    return open();
  }

private:
  std::unique_ptr<storage::store> open() {
    storage::rocksdb_options options;
    options.path = path_;
    options.env = env_.get();
    auto got = storage::rocksdb_store::open(options);
    if (!got)
      throw std::runtime_error(got.error().message);
    return *std::move(got);
  }

  temp_dir dir_;
  std::shared_ptr<storage::power_loss_fs> fs_ =
    std::make_shared<storage::power_loss_fs>();
  std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(fs_);
  std::string path_;
  int count_ = 0;
};

} // namespace baton::test
