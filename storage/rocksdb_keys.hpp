// SPDX-License-Identifier: MIT
// How runs are laid out in RocksDB: keys byte by byte (README.md has the
// table), and values sealed with a checksum.
//
// Guarantees: keys of one kind sort by run number, then by seq or epoch. A
// sealed value with a flipped, missing or added byte does not unseal.
// Threads: value types and pure functions.
#pragma once

#include "messages/ids.hpp"
#include "messages/result.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace baton::storage {

/// First byte of every key. Stored: never renumber, never reuse.
enum class key_tag : char {
  spec = 's',
  state = 'r',
  entry = 'e',
  claim = 'h',
  /// run id -> run number.
  id = 'i',
  /// thread id, NUL, run number -> nothing.
  thread = 't',
  /// Runs that are not terminal: run number -> run id.
  live = 'l',
  /// Damaged bytes: run number, the key they stood under -> the bytes.
  quarantine = 'q',
  meta = 'm',
  /// Sandbox instances: instance key -> record.
  instance = 'x',
};

/// All of them.
inline constexpr std::string_view key_tags = "srehitlqmx";

/// A key of fixed size, without an allocation: the commit path makes one for
/// each entry.
template <std::size_t N>
struct fixed_key {
  std::array<char, N> bytes;
  operator std::string_view() const noexcept {
    return {bytes.data(), bytes.size()};
  }
};

using run_key = fixed_key<9>;
using run_item_key = fixed_key<17>;

/// What every key of the kind begins with, and what stands behind them all.
std::string_view key_of_tag(key_tag tag) noexcept;
std::string key_of_tag_behind(key_tag tag);
/// `tag`, run number.
run_key key_of(key_tag tag, run_no no) noexcept;
/// `tag`, run number, seq or epoch.
run_item_key key_of(key_tag tag, run_no no, std::uint64_t item) noexcept;
std::string key_of(const run_id& id);
/// Thread id and NUL: what its runs' keys begin with.
std::string thread_prefix(const thread_id& id);
std::string thread_key(const thread_id& id, run_no no);
std::string quarantine_key(run_no no, std::string_view damaged_key);
std::string meta_key(std::string_view name);
std::string key_of(const instance_key& key);

/// The 8 bytes at the end of a key as a number.
std::optional<std::uint64_t> last_number(std::string_view key) noexcept;

/// The thread id inside a thread index key.
std::string_view thread_of(std::string_view key) noexcept;

/// Appends a 4-byte checksum, then the payload. The checksum covers the key
/// too: bytes that end up under another key do not unseal there.
void seal_to(std::string_view key, std::string_view payload, std::string& out);
std::string seal(std::string_view key, std::string_view payload);

/// The payload inside `sealed`, or errc::corrupt.
result<std::string_view> unseal(std::string_view key, std::string_view sealed);

std::string encode_number(std::uint64_t n);
std::optional<std::uint64_t> decode_number(std::string_view bytes) noexcept;

} // namespace baton::storage
