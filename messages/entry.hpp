// SPDX-License-Identifier: MIT
// The log's unit, and the batch in which lines travel from journal to log.
// Threads: value types.
#pragma once

#include "messages/ids.hpp"
#include "messages/wall_time.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace baton {

/// One journal line, or one piece of a line longer than the limit.
struct entry {
  baton::seq seq;
  baton::epoch epoch;
  /// Source range in the journal, the newline included; `data` holds exactly
  /// these bytes, so logs concatenate to the journal (I3).
  position begin;
  position end;
  wall_time at{};
  /// A piece of an oversized line; the last piece ends with the newline.
  bool fragment = false;
  std::string data;

  bool operator==(const entry&) const = default;
};

/// Consecutive lines, cut but not yet numbered: one buffer and one length a
/// line, so that following a journal allocates per batch, not per line.
/// Invariant: the lengths add up to bytes.size(), none is 0.
struct line_batch {
  static constexpr std::uint32_t fragment_bit = 0x8000'0000;

  std::string bytes;
  /// Length with newline; `fragment_bit` marks pieces of an oversized line.
  std::vector<std::uint32_t> lengths;

  std::size_t size() const noexcept { return lengths.size(); }
  bool empty() const noexcept { return lengths.empty(); }

  void add(std::string_view line, bool fragment) {
    bytes += line;
    lengths.push_back(static_cast<std::uint32_t>(line.size())
                      | (fragment ? fragment_bit : 0));
  }

  /// Calls `f(line, fragment)` for each line in order.
  template <class F>
  void for_each(F&& f) const {
    std::size_t at = 0;
    for (auto x : lengths) {
      auto n = static_cast<std::size_t>(x & ~fragment_bit);
      f(std::string_view{bytes}.substr(at, n), (x & fragment_bit) != 0);
      at += n;
    }
  }

  bool operator==(const line_batch&) const = default;
};

/// True when lengths and bytes agree: the check for batches from outside.
bool is_well_formed(const line_batch& x) noexcept;

} // namespace baton
