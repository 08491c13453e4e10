// SPDX-License-Identifier: MIT
// What every engine checks of a commit before it takes it, so that a bug above
// the store stops the process instead of damaging a log (I2, I3).
// Threads: pure functions.
#pragma once

#include "storage/store.hpp"

namespace baton::storage {

/// What an engine knows of a run between two commits.
struct run_tip {
  std::uint64_t version = 0;
  seq last_seq;
  position end;
  seq trimmed;
};

run_tip tip_of(const run_state& state) noexcept;

/// Aborts unless the commit continues the log at `tip` without a gap and its
/// state says where its last entry ends. Requires: c.expected_version ==
/// tip.version.
void check_follows(const run_tip& tip, const commit& c);

/// Aborts unless each change has a key and its record stands under it.
void check_instances(std::span<const instance_change> changes);

/// errc::malformed when the run could not be read back under its ids.
status check_creatable(const run_spec& spec);

/// What a reader behind `gone` gets when it asks for the log's beginning.
status trimmed(const run_id& id, seq gone);

/// The message of a refused remove().
status not_terminal(const run_id& id, run_status found);
status stale_removal(const run_id& id, std::uint64_t expected,
                     std::uint64_t found);
status unknown_run(const run_id& id);

} // namespace baton::storage
