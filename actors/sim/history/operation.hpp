// SPDX-License-Identifier: MIT
// What one client did to one run, when, and what it was told.
// Guarantees: knows nothing of the program under test but its contract.
// Threads: value types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace baton::history {

enum class verb { claim, append, renew, release, finish, read };

/// `unknown`: no answer, or one that does not tell whether it took effect.
enum class outcome { unknown, ok, held, fenced, gap, mismatch, terminal };

/// An entry as a reader sees it, without its newline.
struct log_item {
  std::uint64_t epoch = 0;
  std::string line;
  bool operator==(const log_item&) const = default;
};

/// What is absent was not told, and is not judged.
struct answer {
  outcome what = outcome::unknown;
  /// Granted, in force, or in the record shown.
  std::optional<std::uint64_t> epoch = {};
  /// Of grants and gaps: the next; of appends and records: the last; of a
  /// mismatch: the entry that differs.
  std::optional<std::uint64_t> seq = {};
  std::optional<std::uint64_t> position = {};
  std::optional<bool> duplicate = {};
  std::optional<std::string> status = {};
  /// The whole log.
  std::optional<std::vector<log_item>> log = {};
};

struct operation {
  verb what = verb::read;
  int client = 0;
  /// Of the node that was asked; for people.
  std::string node = {};
  /// On one clock for all clients.
  std::int64_t invoked_ns = 0;
  std::int64_t returned_ns = 0;

  bool steal = true;
  std::uint64_t epoch = 0;
  std::uint64_t first_seq = 0;
  /// The byte at which the first line is to begin, if that was said.
  std::optional<std::uint64_t> begin = {};
  /// Without newlines.
  std::vector<std::string> lines = {};
  /// That the run is to end with.
  std::string status = {};
  /// Of reads: the log rather than the record.
  bool wants_log = false;

  answer got = {};
};

std::string to_string(const operation& x);

} // namespace baton::history
