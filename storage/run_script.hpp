// SPDX-License-Identifier: MIT
// The commits of a run that lives by the book, one after the other, for tests
// of engines: what they write is well-formed and the same every time.
// Threads: value type.
#pragma once

#include "storage/store.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace baton::storage {

class run_script {
public:
  explicit run_script(std::string id, std::string thread = "thread");

  // -- the next commit; each advances the script ------------------------------

  commit create();
  commit claim(const std::string& holder);
  commit append(const std::vector<std::string>& lines);
  /// `count` lines of `bytes` bytes each, all different.
  commit append(std::size_t count, std::size_t bytes);
  /// Removes the first `count` entries of those that are left.
  commit trim(std::size_t count);
  commit finish(run_status how = run_status::completed);

  // -- what must be stored when all commits so far were taken -----------------

  const run_id& id() const { return record_.id(); }
  const run_record& record() const { return record_; }
  /// Behind what was trimmed.
  const std::vector<entry>& log() const { return log_; }
  const std::vector<claim_note>& notes() const { return notes_; }

  /// The engine gave this number.
  void numbered(run_no no) { record_.state.no = no; }

private:
  commit next();

  run_record record_;
  std::vector<entry> log_;
  std::vector<claim_note> notes_;
};

/// Differences between what `s` has of the run and what the script says, in
/// words; empty when there are none.
std::vector<std::string> differences(const store& s, const run_script& run);

/// I2 and I3 of a log read back in full, its agreement with the record, and
/// that nobody gets what was trimmed.
std::vector<std::string> log_violations(const store& s, const run_record& run);

/// The log behind what was trimmed, read in pages.
result<std::vector<entry>> read_all(const store& s, const run_record& run);

} // namespace baton::storage
