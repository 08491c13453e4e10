// SPDX-License-Identifier: MIT
// How the files of a run are named after its id, and back.
//
// Guarantees: two ids never share a name (64 bits of SHA-256 for ids too long
// to be spelt out); every name is a portable file name and never `.`, `..` or
// a path. A name that is read back gives exactly one id or none: ids from
// names are keys for look-ups, never parts of paths.
#pragma once

#include "messages/ids.hpp"
#include "messages/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace baton {

enum class run_file : std::uint8_t {
  /// `.ndjson`: the agent's stdout.
  journal,
  /// `.err`: its stderr.
  stderr_output,
  /// `.exit`: how it ended.
  exit_record,
};

/// Letters, digits, `.` and `-` stand for themselves, every other byte is
/// `_hh`; a stem over 200 characters, or one that could be taken for a cut
/// one, is cut and ends in `-` and 16 hex digits of SHA-256 of the id.
/// Failure: errc::malformed for an id that is empty or not UTF-8.
result<std::string> run_file_name(const run_id& id, run_file kind);

struct run_file_found {
  enum class outcome : std::uint8_t {
    /// `id` is the one run with that name.
    found,
    /// A cut name: the id is not in it. Compare with the names of known runs.
    truncated,
    /// No name that run_file_name gives.
    malformed,
  };

  outcome is = outcome::malformed;
  /// Empty unless `found`.
  run_id id;
  /// Meaningless when `malformed`.
  run_file kind = run_file::journal;
};

run_file_found read_run_file_name(std::string_view name);

} // namespace baton
