// SPDX-License-Identifier: MIT
// What becomes of a sandbox that lies on a node and that no instance record
// names (D7, and the way back for what a damaged store forgot).
//
//   its run has ended                      delete
//   ... and nobody saw how                 keep: it may be wanted (B12)
//   its run goes on and names it           adopt: the record is made again
//   its run goes on and names another one  keep
//   its run waits for a person             keep
//   there is no such run, for an hour      delete, if the store ever gave out
//                                          that number; else the store may be
//                                          an old copy, and the sandbox the
//                                          work of a run that it forgot
//   younger, or of unknown age             keep
//   the run could not be looked up         keep
//   the name says nothing                  keep
//
// Threads: a pure function.
#pragma once

#include "messages/record.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace baton::coordinator {

/// Deletions of one sweep; the next one goes on.
constexpr std::size_t prune_deletions_max = 200;
/// For which a sandbox without a run is left alone.
constexpr std::chrono::hours prune_age_min{1};

enum class look_up : std::uint8_t { found, unknown, failed };

struct prune_case {
  /// The run's number in the sandbox's name; 0: it could not be read.
  run_no number;
  std::string sandbox_id;
  look_up run_is = look_up::unknown;
  /// Set when found.
  std::optional<run_state> run;
  /// The newest number that the store is known to have given out.
  run_no newest;
  std::optional<std::chrono::milliseconds> age;
};

enum class prune_fate : std::uint8_t { remove, keep, adopt };

struct prune_verdict {
  prune_fate fate = prune_fate::keep;
  /// For people.
  std::string reason;
};

prune_verdict prune(const prune_case& x);

/// The same for the workspace of several runs: `user` says that a run which
/// has not ended names it.
prune_verdict prune_shared(bool user,
                           std::optional<std::chrono::milliseconds> age);

} // namespace baton::coordinator
