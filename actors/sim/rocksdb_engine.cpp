// SPDX-License-Identifier: MIT
#include "actors/sim/rocksdb_engine.hpp"

#include "messages/check.hpp"
#include "storage/power_loss_fs.hpp"
#include "storage/rocksdb_store.hpp"

#include <rocksdb/env.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace baton::sim {

rocksdb_engine::rocksdb_engine()
  : root_(
    (std::filesystem::temp_directory_path() / "baton-sim-XXXXXX").string()),
    files_(std::make_shared<storage::power_loss_fs>()),
    env_(rocksdb::NewCompositeEnv(files_)) {
  BATON_CHECK(::mkdtemp(root_.data()) != nullptr,
              "the directory for temporary files takes another one");
}

rocksdb_engine::~rocksdb_engine() {
  std::error_code ignored;
  std::filesystem::remove_all(root_, ignored);
}

std::string rocksdb_engine::path() const {
  return root_ + "/" + std::to_string(lives_);
}

std::shared_ptr<storage::store> rocksdb_engine::open() {
  storage::rocksdb_options options;
  options.path = path();
  options.env = env_.get();
  auto got = storage::rocksdb_store::open(options);
  BATON_CHECK(got.ok(), "I4: a store that lost its power opens again");
  return *std::move(got);
}

void rocksdb_engine::lose_power() {
  auto before = path();
  ++lives_;
  files_->image(before, path(), storage::unsynced::dropped);
  // The bytes of the image are on the disk by definition.
  files_->adopt(path());
}

} // namespace baton::sim
