// SPDX-License-Identifier: MIT
#include "storage/rocksdb_log_scan.hpp"

#include <rocksdb/file_checksum.h>

#include <algorithm>

namespace baton::storage {
namespace {

// A block holds fragments: CRC-32C of the rest, 4 bytes, masked; the payload's
// length, 2 bytes; the type, 1 byte; the payload. What is too small for
// another header at the end of a block is filled with zeros.
constexpr std::size_t length_at = 4;
constexpr std::size_t type_at = 6;
constexpr std::size_t header_bytes = 7;

// The record's payload begins with its first sequence number, 8 bytes, and how
// many it has, 4 bytes.
constexpr std::size_t count_at = 8;
constexpr std::size_t head_bytes = 12;

enum class fragment_type : std::uint8_t {
  full = 1,
  first = 2,
  middle = 3,
  last = 4,
};

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t out = 0;
  for (auto i = bytes.size(); i-- > 0;)
    out = out << 8 | static_cast<unsigned char>(bytes[i]);
  return out;
}

} // namespace

struct log_scan::fragment {
  fragment_type type;
  std::string_view payload;

  bool starts_record() const {
    return type == fragment_type::full || type == fragment_type::first;
  }
  bool ends_record() const {
    return type == fragment_type::full || type == fragment_type::last;
  }
};

log_scan::log_scan() : checksums_(rocksdb::GetFileChecksumGenCrc32cFactory()) {}

// -- what is read -------------------------------------------------------------

void log_scan::begin(std::string file) {
  file_ = std::move(file);
  offset_ = 0;
}

void log_scan::block(std::string_view bytes) {
  std::size_t at = 0;
  while (bytes.size() - at >= header_bytes && !proof_) {
    if (auto x = fragment_at(bytes, at)) {
      take(*x, offset_ + at);
      at += header_bytes + x->payload.size();
    } else {
      // A damaged length says nothing: the next one may begin anywhere.
      damaged(offset_ + at);
      ++at;
    }
  }
  if (bytes.size() < block_bytes && at < bytes.size())
    damaged(offset_ + at);
  offset_ += bytes.size();
}

void log_scan::end() {
  if (is_open_)
    damaged(record_offset_);
}

std::optional<log_scan::fragment> log_scan::fragment_at(std::string_view block,
                                                        std::size_t at) const {
  auto type = static_cast<unsigned char>(block[at + type_at]);
  if (type < static_cast<unsigned>(fragment_type::full)
      || type > static_cast<unsigned>(fragment_type::last))
    return std::nullopt;
  auto length = little_endian(block.substr(at + length_at, 2));
  if (length > block.size() - at - header_bytes)
    return std::nullopt;
  auto stored = little_endian(block.substr(at, length_at));
  if (stored != masked_crc(block.substr(at + type_at, 1 + length)))
    return std::nullopt;
  return fragment{static_cast<fragment_type>(type),
                  block.substr(at + header_bytes, length)};
}

std::uint32_t log_scan::masked_crc(std::string_view bytes) const {
  auto sum = checksums_->CreateFileChecksumGenerator({});
  sum->Update(bytes.data(), bytes.size());
  sum->Finalize();
  std::uint32_t crc = 0;
  for (auto byte : sum->GetChecksum())
    crc = crc << 8 | static_cast<unsigned char>(byte);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}

void log_scan::take(const fragment& x, std::uint64_t offset) {
  if (x.starts_record()) {
    if (is_open_)
      damaged(record_offset_);
    is_open_ = true;
    record_offset_ = offset;
    head_.clear();
  } else if (!is_open_) {
    damaged(offset);
    return;
  }
  if (head_.size() < head_bytes) {
    head_ += x.payload.substr(0, head_bytes - head_.size());
    if (head_.size() == head_bytes)
      judge_head();
    else if (x.ends_record())
      damaged(record_offset_);
    else if (damage_ && damage_->file == file_)
      proof_ = {file_, record_offset_};
  }
  if (!is_open_ || !x.ends_record())
    return;
  is_open_ = false;
  auto behind = little_endian(std::string_view{head_}.substr(0, count_at))
                + little_endian(std::string_view{head_}.substr(count_at));
  next_ = std::max(next_.value_or(0), behind);
  last_end_ = {file_, offset + header_bytes + x.payload.size()};
}

void log_scan::judge_head() {
  auto sequence = little_endian(std::string_view{head_}.substr(0, count_at));
  auto count = little_endian(std::string_view{head_}.substr(count_at));
  if (is_behind_a_loss(sequence, count)) {
    if (!damage_)
      damage_ = last_end_;
    proof_ = {file_, record_offset_};
  } else if (damage_ && damage_->file != file_ && sequence == next_) {
    // The log before this one was torn, and recovery went on from there.
    damage_.reset();
  }
}

bool log_scan::is_behind_a_loss(std::uint64_t sequence,
                                std::uint64_t count) const {
  // An empty write is recovery's own note of the number that comes next.
  if (damage_ && damage_->file == file_)
    return count > 0 && sequence >= next_.value_or(0);
  return next_ ? sequence > *next_ : damage_ && count > 0;
}

void log_scan::damaged(std::uint64_t offset) {
  is_open_ = false;
  is_torn_ = true;
  if (!damage_)
    damage_ = {file_, offset};
}

// -- what was found -----------------------------------------------------------

log_verdict log_scan::verdict() const noexcept {
  if (proof_)
    return log_verdict::lost;
  return is_torn_ ? log_verdict::torn : log_verdict::intact;
}

} // namespace baton::storage
