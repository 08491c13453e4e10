// SPDX-License-Identifier: MIT
// The contract of a store: one primitive, compare-and-commit, over runs, and
// beside them the sandboxes that exist.
//
// A run is a record plus a log under one version number. A commit says: "if
// the run is at version v, make this its state and append these entries".
// A sandbox instance that is listed here exists or may exist (I10), and stays
// listed until it is known to be gone.
//
// Guarantees of every engine (checked by store_conformance):
// - A commit of a run that is not at the expected version changes nothing and
//   says so; the other commits of the same call are not touched by that.
// - State, entries and instances of one commit become durable together or not
//   at all.
// - When commit() returns, what it took survives kill -9 and power loss (I4).
// - Commits to one run become durable in the order they were given.
// - run numbers grow with creation and are never reused, not even after
//   remove().
// - A commit whose state has a higher `trimmed` than the run's removes the
//   entries up to there in the same write; no reader gets them again.
// - A changed instance replaces the whole record: an optional field that is not
//   set in the new one is not set afterwards.
// Requires: entries follow the log without a gap (I2, I3), a log is trimmed no
// further than it goes; callers get that from fencing.hpp. Instances have keys.
// Engines check it and stop the process: it is our own bug.
// Threads: every call from any thread; those that write from one thread at a
// time.
// Failure: errc::storage_failed means the engine is inoperable and the outcome
// of the call unknown: stop the process, restart recovers. errc::corrupt names
// one run whose bytes cannot be read back; other runs are not affected.
#pragma once

#include "messages/entry.hpp"
#include "messages/instance_record.hpp"
#include "messages/record.hpp"
#include "messages/result.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace baton::storage {

/// A change of what stands in the instance store.
struct instance_change {
  instance_key key;
  /// Under the same key. Absent: it is gone; a missing key is a no-op.
  std::optional<instance_record> record;
};

/// One change of one run.
struct commit {
  /// 0: the run must not exist; it is created from record.spec, and the engine
  /// gives it its run number.
  std::uint64_t expected_version = 0;
  /// The next state; its version is expected_version + 1.
  run_record record;
  std::vector<entry> entries;
  /// Written beside the state when the commit is a claim.
  std::optional<claim_note> claim;
  /// Applied in order.
  std::vector<instance_change> instances;
};

/// What became of one commit.
struct commit_outcome {
  /// errc::none: durable. errc::stale: refused; `version` says who is ahead.
  /// errc::corrupt: the run cannot be read back. errc::malformed: a run with
  /// these ids could not be. Only errc::none changed anything.
  errc code = errc::none;
  /// The run's version after the call; 0: no such run.
  std::uint64_t version = 0;
  /// The number of a run that this commit created.
  run_no no;
};

/// Which runs to list, in creation order.
struct list_query {
  std::optional<thread_id> thread;
  std::optional<run_status> status;
  /// List runs created after this one.
  run_no after;
  std::size_t limit = 100;
};

/// Which entries to read.
struct read_query {
  /// Read entries behind this one.
  seq after;
  std::size_t entries_max = 1024;
  /// Stop before exceeding this, but never before one entry.
  std::size_t bytes_max = 1 << 20;
};

class store {
public:
  virtual ~store() = default;

  /// Decides each commit on its own, makes those it takes durable in one
  /// atomic, synced write. One outcome for each commit, in order. Several
  /// commits may name one run: each sees the one before.
  virtual result<std::vector<commit_outcome>>
  commit_all(std::span<const commit> batch) = 0;

  /// Removes a terminal run with log and history, and raises the epoch floor to
  /// its last epoch in the same write. errc::stale when the version is another.
  virtual status remove(const run_id& id, std::uint64_t expected_version) = 0;

  /// No removed run ever had a claim above it. Runs begin there, so that an id
  /// that is used again never sees an epoch again (I6).
  virtual result<epoch> epoch_floor() const = 0;

  /// errc::unknown_run when there is none; errc::corrupt.
  virtual result<run_record> load(const run_id& id) const = 0;

  /// Corrupt runs are left out.
  virtual result<std::vector<run_record>>
  list(const list_query& query) const = 0;

  /// Every run that is not terminal, in creation order.
  virtual result<std::vector<run_record>> live() const = 0;

  /// Ids of non-terminal runs whose stored bytes cannot be read back.
  virtual result<std::vector<run_id>> corrupt() const = 0;

  /// Ends a corrupt run as `failed`, code `corrupt`, with what can still be
  /// read of it: the log ends before its first unreadable entry. The damaged
  /// bytes are kept beside it until remove(). `why` goes into its record.
  /// errc::terminal when the record is readable and already ended (I5);
  /// errc::unknown_run.
  virtual status quarantine(const run_id& id, const std::string& why,
                            wall_time now) = 0;

  /// Entries in order; empty at the end of the log. errc::corrupt when the
  /// first entry asked for cannot be read; a later one ends the answer early.
  /// errc::trimmed with `first_seq`, the first that is left, when the first
  /// one asked for was trimmed.
  /// May return entries younger than `run`, unless `run` is terminal.
  virtual result<std::vector<entry>> read(const run_record& run,
                                          const read_query& query) const = 0;

  /// The run's claims, oldest first.
  virtual result<std::vector<claim_note>>
  claims(const run_record& run) const = 0;

  /// Applied in order, in one atomic write, durable on return.
  virtual status change_instances(std::span<const instance_change> changes) = 0;

  /// All of them, by key. Corrupt ones are left out.
  virtual result<std::vector<instance_record>> instances() const = 0;

  /// Keys whose stored bytes cannot be read back; a change replaces those.
  virtual result<std::vector<instance_key>> corrupt_instances() const = 0;

  /// The coordinator's accumulated uptime as last saved; 0 at first.
  virtual result<std::uint64_t> uptime_ms() const = 0;
  /// Need not be durable on return: it rides with the next commit, and is
  /// written by itself when a second save comes before that.
  virtual status save_uptime_ms(std::uint64_t ms) = 0;
};

} // namespace baton::storage
