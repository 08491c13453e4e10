// SPDX-License-Identifier: MIT
// Error codes: their stable names, what a caller does about each, and how each
// is told over HTTP. One table (errc.cpp); nobody branches on message texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace baton {

/// Values are stored and sent: never renumber, never reuse.
enum class errc : std::uint8_t {
  /// No error.
  none = 0,
  /// The request cannot be understood; the caller mends it.
  malformed = 1,
  /// No run of that id; the caller gives up or creates it.
  unknown_run = 2,
  /// The run id names a run with another command; the caller picks another id.
  run_id_reused = 3,
  /// The epoch is not the run's current one, nothing was written; the caller
  /// stops writing for good.
  fenced = 4,
  /// Somebody holds a live claim; the caller waits, or steals.
  held = 5,
  /// The append does not begin where the log ends; the caller reads and
  /// resends.
  gap = 6,
  /// The stored entries of these seqs have other bytes; the caller gives up.
  mismatch = 7,
  /// The run has ended; nothing can be added.
  terminal = 8,
  /// The run has not ended yet; the caller cancels or waits first.
  not_terminal = 9,
  /// baton drives this run itself; nobody else may claim it.
  not_external = 10,
  /// The request carries nothing; the caller mends it.
  empty = 11,
  /// The request is larger than is taken; the caller splits it.
  too_large = 12,
  /// Stored bytes cannot be read back; the run is quarantined.
  corrupt = 13,
  /// The storage engine failed; the process stops and recovers by restart.
  storage_failed = 14,
  /// It is not known whether the request took effect; the caller repeats the
  /// identical request.
  outcome_unknown = 15,
  /// Not ready, or no coordinator; the caller tries again later.
  unavailable = 16,
  /// No node may drive this run; the caller starts one or waits.
  no_eligible_node = 17,
  /// Agent and shim died without leaving an exit record.
  agent_lost = 18,
  /// The agent could not be started.
  launch_failed = 19,
  /// The journal shrank or changed before its end: its bytes are not to be
  /// trusted.
  journal_damaged = 20,
  /// No first byte came and nothing proves that a writer lives.
  journal_stalled = 21,
  /// The journal did not appear in time.
  journal_timeout = 22,
  /// No thread of that id has an active run.
  unknown_thread = 23,
  /// No or a wrong token.
  unauthorized = 24,
  /// The token does not cover this.
  forbidden = 25,
  /// The provider or node cannot do this.
  unsupported = 26,
  /// No answer in time; for a write, see outcome_unknown.
  timed_out = 27,
  /// The data directory is in use by another process.
  in_use = 28,
  /// The data directory was written by a newer baton, or not by baton.
  foreign_data = 29,
  /// The agent ended with an exit code other than 0.
  exit_nonzero = 30,
  /// Nobody watched the run for longer than its detached time-to-live.
  expired = 31,
  /// Somebody cancelled the run.
  cancelled = 32,
  /// Over a limit; the caller slows down.
  too_many = 33,
  /// No node of that id.
  unknown_node = 34,
  /// No sandbox of that key.
  unknown_sandbox = 35,
  /// No resource at that path.
  not_found = 36,
  /// The compare-and-commit found another version; the caller reads again.
  stale = 37,
  /// An I/O call outside the store failed.
  io_failed = 38,
  /// The driver asked for this end without saying why.
  driver_failed = 39,
  /// The resource is there, but not for that method; the caller takes one of
  /// those that the answer names.
  method_not_allowed = 40,
  /// The store is older than what others have been told from it.
  stale_store = 41,
  /// Those entries were trimmed from the log; the caller goes on from the first
  /// that is left.
  trimmed = 42,
  /// A set-up step of the run's workspace failed.
  setup_failed = 43,
  /// The workspace's source could not be fetched.
  workspace_failed = 44,
};

/// What a caller does next.
enum class disposition : std::uint8_t {
  /// Send the same request again.
  retry_same,
  /// Read the current state, then decide.
  retry_after_read,
  /// Tell the person; repeating cannot help.
  give_up,
  /// Never write under this claim again.
  stop_writing,
  /// It may or may not have happened: repeat the identical request.
  outcome_unknown,
};

/// The stable name, as in HTTP bodies and records: `fenced`, `agent_lost`.
std::string_view to_string(errc code) noexcept;

/// The code of that stable name.
std::optional<errc> errc_from_string(std::string_view name) noexcept;

disposition disposition_of(errc code) noexcept;

/// The HTTP status that carries the code.
int http_status_of(errc code) noexcept;

} // namespace baton
