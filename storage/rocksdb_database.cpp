// SPDX-License-Identifier: MIT
#include "storage/rocksdb_database.hpp"

#include "storage/disk_room.hpp"
#include "storage/rocksdb_keys.hpp"
#include "storage/rocksdb_recovery.hpp"

#include <rocksdb/cache.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/table.h>

#include <algorithm>

namespace baton::storage {
namespace {

constexpr std::uint64_t format = 1;
constexpr std::string_view format_name = "format";

constexpr std::size_t mib = 1 << 20;

/// A table with a damaged block cannot be compacted. RocksDB would refuse all
/// writes from then on; but the block's runs are quarantined one by one when
/// they are read, and the others must go on.
class damaged_tables_do_not_stop_writes : public rocksdb::EventListener {
public:
  void OnBackgroundError(rocksdb::BackgroundErrorReason reason,
                         rocksdb::Status* error) override {
    if (reason == rocksdb::BackgroundErrorReason::kCompaction
        && error->IsCorruption())
      *error = rocksdb::Status::OK();
  }
};

rocksdb::Options engine_options(const rocksdb_options& options) {
  rocksdb::Options o;
  o.create_if_missing = options.create_if_missing;
  if (options.env != nullptr)
    o.env = options.env;
  o.listeners.push_back(std::make_shared<damaged_tables_do_not_stop_writes>());

  // Memory: two write buffers and one block cache are all that grows.
  o.write_buffer_size = options.write_buffer_bytes;
  o.max_write_buffer_number = 2;
  o.max_total_wal_size = 64 * mib;
  o.max_open_files = 64;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(8 * mib, 2);
  table.cache_index_and_filter_blocks = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  // A create asks for an id that is not there: answered from the filter.
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  o.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));

  // Few threads; one writer at a time, so its inserts need no atomics.
  o.max_background_jobs = 2;
  o.max_file_opening_threads = 1;
  o.allow_concurrent_memtable_write = false;

  // Disk: agent output compresses well; RocksDB's own files stay small.
  o.compression = rocksdb::kLZ4Compression;
  o.max_manifest_file_size = mib;
  o.info_log_level = rocksdb::WARN_LEVEL;
  o.max_log_file_size = mib;
  o.keep_log_file_num = 2;
  o.stats_dump_period_sec = 0;
  o.stats_persist_period_sec = 0;
  o.skip_stats_update_on_db_open = true;
  return o;
}

/// RocksDB breaks lines in some of its messages; ours are one line each.
std::string one_line(const rocksdb::Status& s) {
  auto out = s.ToString();
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out;
}

/// RocksDB throws where it cannot even start a thread or take memory.
rocksdb::Status open_engine(const rocksdb::Options& how,
                            const std::string& path,
                            std::unique_ptr<rocksdb::DB>& out) {
  try {
    rocksdb::DB* raw = nullptr;
    auto got = rocksdb::DB::Open(how, path, &raw);
    out.reset(raw);
    return got;
  } catch (const std::exception& why) {
    return rocksdb::Status::Aborted(why.what());
  }
}

} // namespace

result<std::shared_ptr<rocksdb_database>>
rocksdb_database::open(const rocksdb_options& options) {
  std::shared_ptr<rocksdb_database> out{new rocksdb_database};
  out->path_ = options.path;
  if (options.env == nullptr)
    if (auto bad = check_room_to_open(options.path); !bad.ok())
      return bad;
  auto engine = engine_options(options);
  auto plan = plan_recovery(engine, options.path);
  if (!plan)
    return plan.error();
  engine.wal_recovery_mode = plan->mode;
  auto got = open_engine(engine, options.path, out->db_);
  if (!got.ok())
    return {errc::storage_failed,
            "store " + options.path + " does not open: " + one_line(got)
              + (got.IsIOError()
                   ? "; free space or mend the disk, then start again"
                   : "; if it is damaged, restore it from a copy")};
  auto reached = out->db_->GetLatestSequenceNumber() + 1;
  if (reached < plan->next_sequence)
    return {errc::storage_failed, "store " + options.path
                                    + " replayed its write-ahead log up to "
                                    + std::to_string(reached) + ", expected "
                                    + std::to_string(plan->next_sequence)
                                    + "; restore it from a copy"};
  if (auto bad = out->check_format(); !bad.ok())
    return bad;
  return out;
}

rocksdb_database::~rocksdb_database() {
  if (db_)
    ignore_result(db_->Close(), "everything that counts is already synced");
}

status rocksdb_database::check_format() {
  auto key = meta_key(format_name);
  auto stored = get_sealed(key);
  if (!stored)
    return make_status(errc::foreign_data,
                       "store " + path_ + " has an unreadable format number ("
                         + stored.error().message
                         + "); restore it from a copy");
  if (*stored) {
    auto found = decode_number(**stored);
    if (found == format)
      return {};
    return make_status(
      errc::foreign_data,
      "store " + path_ + " has format "
        + (found ? std::to_string(*found) : std::string{"unknown"})
        + ", this baton reads format " + std::to_string(format)
        + "; start the baton that wrote it, or choose another data "
          "directory");
  }
  auto is_empty = true;
  auto bad = scan({}, {}, nullptr, [&](std::string_view, std::string_view) {
    is_empty = false;
    return false;
  });
  if (!bad.ok())
    return bad;
  if (!is_empty)
    return make_status(errc::foreign_data,
                       "store " + path_
                         + " was not written by baton; choose "
                           "another data directory");
  rocksdb::WriteBatch batch;
  auto value = seal(key, encode_number(format));
  if (auto s = batch.Put(slice(key), slice(value)); !s.ok())
    return to_status(s, "stage the format number");
  return write(batch);
}

result<std::optional<std::string>>
rocksdb_database::get(std::string_view key, const rocksdb::Snapshot* at) const {
  rocksdb::ReadOptions how;
  how.snapshot = at;
  std::string value;
  auto got = db_->Get(how, slice(key), &value);
  if (got.IsNotFound())
    return std::optional<std::string>{};
  if (!got.ok())
    return to_status(got, "read");
  return std::optional{std::move(value)};
}

result<std::optional<std::string>>
rocksdb_database::get_sealed(std::string_view key,
                             const rocksdb::Snapshot* at) const {
  auto got = get(key, at);
  if (!got || !*got)
    return got;
  auto payload = unseal(key, **got);
  if (!payload)
    return payload.error();
  return std::optional<std::string>{std::in_place, *payload};
}

std::optional<std::string>
rocksdb_database::get_raw(std::string_view key) const {
  rocksdb::ReadOptions how;
  how.verify_checksums = false;
  how.fill_cache = false;
  std::string value;
  if (!db_->Get(how, slice(key), &value).ok())
    return std::nullopt;
  return value;
}

status rocksdb_database::scan(std::string_view first, std::string_view end,
                              const rocksdb::Snapshot* at,
                              const visitor& visit) const {
  rocksdb::ReadOptions how;
  how.snapshot = at;
  auto bound = slice(end);
  if (!end.empty())
    how.iterate_upper_bound = &bound;
  std::unique_ptr<rocksdb::Iterator> i{db_->NewIterator(how)};
  for (i->Seek(slice(first)); i->Valid(); i->Next())
    if (!visit(i->key().ToStringView(), i->value().ToStringView()))
      return {};
  return to_status(i->status(), "scan");
}

status rocksdb_database::write(rocksdb::WriteBatch& batch) {
  if (failed_.load(std::memory_order_acquire))
    return make_status(errc::storage_failed,
                       "store " + path_ + " failed before; restart to recover");
  rocksdb::WriteOptions how;
  how.sync = true;
  auto done = db_->Write(how, &batch);
  if (done.ok())
    return {};
  failed_.store(true, std::memory_order_release);
  // Whatever its kind: what was to be written may or may not be there.
  return make_status(errc::storage_failed,
                     "store " + path_ + " cannot write: " + one_line(done)
                       + "; free space or mend the disk, then restart");
}

status rocksdb_database::to_status(const rocksdb::Status& s,
                                   std::string_view doing) const {
  if (s.ok())
    return {};
  auto code = s.IsCorruption() ? errc::corrupt : errc::storage_failed;
  return make_status(code, "store " + path_ + " cannot " + std::string{doing}
                             + ": " + one_line(s));
}

} // namespace baton::storage
