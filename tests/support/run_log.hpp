// SPDX-License-Identifier: MIT
// A run's whole log as a client sees it, and the rules that hold for each.
#pragma once

#include "tests/support/daemon.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace baton::test {

struct log_entry {
  std::int64_t seq = 0;
  std::int64_t epoch = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::string kind;
  /// `data` as it stands in the entry's JSON.
  std::string data_text;

  /// The bytes the agent wrote, without the line's newline.
  std::string bytes() const;
};

/// From the JSON text of an entry; fails the test when it is none.
log_entry parse_entry(std::string_view text);

/// Over NDJSON, from the start.
std::vector<log_entry> read_log(const daemon& d, std::string_view run);
/// The agent's exact bytes, from `GET /journal`.
std::string read_journal(const daemon& d, std::string_view run);

/// I2, I3, epochs never fall; the record agrees with the log, the journal's
/// bytes with the entries'; and when the run has ended, a viewer sees the same
/// entries and then one end that agrees with the record (R1 to R3, I5).
void expect_invariants(const daemon& d, std::string_view run);
/// The part of it that needs nothing but entries.
void expect_gap_free(const std::vector<log_entry>& log);

} // namespace baton::test
