// SPDX-License-Identifier: MIT
#include "storage/rocksdb_recovery.hpp"

#include "storage/rocksdb_log_scan.hpp"

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/wal_filter.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

namespace baton::storage {
namespace {

/// File names by log number.
using log_files = std::map<std::uint64_t, std::string>;

status cannot_read(const std::string& path, const rocksdb::Status& why) {
  return make_status(errc::storage_failed,
                     "store " + path
                       + " cannot read its write-ahead log: " + why.ToString()
                       + "; mend the disk, or restore the store from a copy");
}

result<log_files> logs_in(rocksdb::Env& env, const std::string& path) {
  std::vector<std::string> names;
  auto listed = env.GetChildren(path, &names);
  if (listed.IsNotFound())
    return log_files{};
  if (!listed.ok())
    return cannot_read(path, listed);
  log_files out;
  for (auto& name : names) {
    std::uint64_t number = 0;
    const auto* end = name.data() + name.size();
    auto [rest, error] = std::from_chars(name.data(), end, number);
    if (error == std::errc{} && std::string_view{rest, end} == ".log")
      out.emplace(number, std::move(name));
  }
  return out;
}

rocksdb::Status scan_file(rocksdb::Env& env, const std::string& path,
                          log_scan& scan) {
  std::unique_ptr<rocksdb::SequentialFile> file;
  auto done = env.NewSequentialFile(path, &file, rocksdb::EnvOptions{});
  if (!done.ok())
    return done;
  std::string block;
  std::string buffer(log_scan::block_bytes, '\0');
  for (;;) {
    block.clear();
    while (block.size() < log_scan::block_bytes) {
      rocksdb::Slice got;
      done =
        file->Read(log_scan::block_bytes - block.size(), &got, buffer.data());
      if (!done.ok())
        return done;
      if (got.empty())
        break;
      block.append(got.data(), got.size());
    }
    scan.block(block);
    if (block.size() < log_scan::block_bytes)
      return done;
  }
}

result<log_scan> scan_logs(rocksdb::Env& env, const std::string& path,
                           const log_files& logs, std::uint64_t oldest) {
  log_scan out;
  for (auto i = logs.lower_bound(oldest); i != logs.end(); ++i) {
    out.begin(i->second);
    auto read = scan_file(env, path + "/" + i->second, out);
    if (!read.ok())
      return cannot_read(path, read);
    out.end();
  }
  return out;
}

/// Learns which logs are still needed, and replays none.
class oldest_log_finder : public rocksdb::WalFilter {
public:
  const char* Name() const override { return "baton oldest_log_finder"; }

  void ColumnFamilyLogNumberMap(
    const std::map<std::uint32_t, std::uint64_t>& logs,
    const std::map<std::string, std::uint32_t>&) override {
    for (auto& [family, number] : logs)
      oldest = std::min(oldest.value_or(number), number);
  }

  WalProcessingOption LogRecordFound(unsigned long long, const std::string&,
                                     const rocksdb::WriteBatch&,
                                     rocksdb::WriteBatch*, bool*) override {
    return WalProcessingOption::kStopReplay;
  }

  std::optional<std::uint64_t> oldest;
};

/// A kill between two deletions leaves logs that nothing needs any more, with
/// gaps between them. Only the manifest knows; this is too slow for each start.
result<std::uint64_t> oldest_needed_log(rocksdb::Options options,
                                        const std::string& path) {
  oldest_log_finder finder;
  options.wal_filter = &finder;
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  rocksdb::DB* raw = nullptr;
  auto opened = rocksdb::DB::OpenForReadOnly(options, path, &raw);
  std::unique_ptr<rocksdb::DB> owner{raw};
  if (!finder.oldest)
    return cannot_read(path, opened);
  return *finder.oldest;
}

std::string to_text(const log_place& x) {
  return x.file + " at byte " + std::to_string(x.offset);
}

status lost(const std::string& path, const log_scan& scan) {
  return make_status(
    errc::storage_failed,
    "store " + path + " lost acknowledged writes: its write-ahead log is "
      + "damaged in " + to_text(*scan.damage()) + ", and a later write is in "
      + to_text(*scan.proof())
      + "; restore the store from a copy (storage/README.md says how to go on "
        "without one)");
}

} // namespace

result<recovery_plan> plan_recovery(const rocksdb::Options& options,
                                    const std::string& path) {
  auto logs = logs_in(*options.env, path);
  if (!logs)
    return logs.error();
  auto scan = scan_logs(*options.env, path, *logs, 0);
  if (scan && scan->verdict() == log_verdict::lost) {
    auto oldest = oldest_needed_log(options, path);
    if (!oldest)
      return oldest.error();
    scan = scan_logs(*options.env, path, *logs, *oldest);
  }
  if (!scan)
    return scan.error();
  auto next = scan->next_sequence().value_or(0);
  switch (scan->verdict()) {
  case log_verdict::intact:
    return recovery_plan{rocksdb::WALRecoveryMode::kAbsoluteConsistency, next};
  case log_verdict::torn:
    return recovery_plan{rocksdb::WALRecoveryMode::kPointInTimeRecovery, next};
  case log_verdict::lost:
    break;
  }
  return lost(path, *scan);
}

} // namespace baton::storage
