// SPDX-License-Identifier: MIT
// Reads RocksDB's write-ahead logs from outside and tells a torn end from
// damage in what was acknowledged.
//
//   intact intact ###             torn: this is what a power cut leaves
//   intact ### intact             lost: acknowledged writes are missing
//   intact | intact (gap)         lost: so they are without visible damage
//
// Guarantees: with at most one write unsynced at any time, `torn` never hides
// a loss of acknowledged writes, save of the newest one: its damage looks like
// a cut before its sync. RocksDB's own reader takes a damaged length, type or
// a zeroed header for the end of the log and opens with what it has.
// Requires: logs in the order of their numbers, each in blocks of block_bytes,
// only the last block of a log shorter; no recycled or compressed logs.
// Threads: value type.
// Failure: none; any bytes are an answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace rocksdb {
class FileChecksumGenFactory;
} // namespace rocksdb

namespace baton::storage {

enum class log_verdict : std::uint8_t {
  /// Every byte belongs to a whole record.
  intact,
  /// Something is damaged, and no write lies behind it.
  torn,
  /// Something is damaged or missing, and a later write is intact.
  lost,
};

struct log_place {
  std::string file;
  std::uint64_t offset = 0;

  bool operator==(const log_place&) const = default;
};

class log_scan {
public:
  static constexpr std::size_t block_bytes = 32 << 10;

  log_scan();

  // -- what is read -----------------------------------------------------------

  void begin(std::string file);
  void block(std::string_view bytes);
  void end();

  // -- what was found ---------------------------------------------------------

  log_verdict verdict() const noexcept;
  /// Where it is damaged; for a gap, where the last record before it ends.
  const std::optional<log_place>& damage() const noexcept { return damage_; }
  /// The later write that proves a loss.
  const std::optional<log_place>& proof() const noexcept { return proof_; }
  /// The sequence number behind the last whole record, if there is any.
  std::optional<std::uint64_t> next_sequence() const noexcept { return next_; }

private:
  struct fragment;

  std::optional<fragment> fragment_at(std::string_view block,
                                      std::size_t at) const;
  std::uint32_t masked_crc(std::string_view bytes) const;
  void take(const fragment& x, std::uint64_t offset);
  void judge_head();
  bool is_behind_a_loss(std::uint64_t sequence, std::uint64_t count) const;
  void damaged(std::uint64_t offset);

  std::shared_ptr<rocksdb::FileChecksumGenFactory> checksums_;
  std::string file_;
  std::uint64_t offset_ = 0;

  // The record under way.
  bool is_open_ = false;
  std::uint64_t record_offset_ = 0;
  std::string head_;

  std::optional<std::uint64_t> next_;
  log_place last_end_;
  bool is_torn_ = false;
  std::optional<log_place> damage_;
  std::optional<log_place> proof_;
};

} // namespace baton::storage
