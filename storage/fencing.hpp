// SPDX-License-Identifier: MIT
// The rules that decide every change of a run, as functions of (record, order).
// The only place in baton that compares epochs.
//
//   driver A, epoch 4        coordinator             driver B
//        | (paused)               |  <- claim -----------|
//        |                        |  commit: epoch 5     |
//        |                        |  -- granted 5 ------>|
//        | (wakes)                |  <- append(5, 81) ---|
//        |-- append(4, 80) ------>|  81 durable          |
//        |<----- fenced{5} -------|                      |
//
// Because the epoch is looked at where the commit is decided, and the commit
// is a compare-and-set on the version, there is no instant at which A's append
// can still land (I1).
// Guarantees: a refusal changes nothing; a change never lowers an epoch (I6),
// never touches an entry that is there (I2) but to trim it, never leaves a
// terminal status (I5).
// Threads: pure functions.
#pragma once

#include "messages/entry.hpp"
#include "messages/record.hpp"
#include "messages/result.hpp"
#include "storage/store.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace baton::storage {

/// True when `epoch` names the claim that may write to the run now.
bool is_current(const run_state& run, epoch held) noexcept;

/// True when the run's record never granted `epoch`: whoever holds it got it
/// from a newer state of the store than this one (I6).
bool is_ahead_of(const run_state& run, epoch held) noexcept;

/// The refusal of a writer whose claim is not the current one.
status fenced(const run_record& run, epoch held);

/// The commit that takes `run` to `next`.
commit commit_of(const run_record& run, run_state next);

// -- claims -------------------------------------------------------------------

struct claim_order {
  std::string holder;
  /// As in claim_note.
  std::string cause;
  wall_time now{};
};

/// A new epoch for a run that has not ended (C1). Whether another claim still
/// has a lease is the caller's question: liveness, not safety.
result<commit> decide_claim(const run_record& run, const claim_order& order);

/// The claim is given back; its epoch can write no more.
result<commit> decide_release(const run_record& run, epoch held);

// -- the log ------------------------------------------------------------------

struct append_order {
  epoch held;
  seq first_seq;
  /// Where the first line begins in the journal, when the driver says so.
  std::optional<position> begin;
  const line_batch& lines;
  wall_time now{};
};

/// What an append comes to. The first `stored` lines are in the log already:
/// the caller compares what is left of them with compare_stored() before it
/// goes on.
struct append_plan {
  std::size_t stored = 0;
  /// Set when lines remain that cannot be appended: answered if the stored
  /// ones agree.
  std::optional<status> refusal;
  /// Set when lines remain that can.
  std::optional<commit> change;
};

/// Precedence: fenced, then duplicates, then terminal, then gap.
result<append_plan> decide_append(const run_record& run,
                                  const append_order& order);

/// Whether the log's entries from order.first_seq on, or from the first that is
/// left, are the lines of the order, byte for byte. errc::mismatch with the
/// seq, errc::gap when the position differs.
status compare_stored(std::span<const entry> stored, const append_order& order);

// -- the end ------------------------------------------------------------------

struct finish_order {
  epoch held;
  /// The entry that the end follows, when the driver says so.
  std::optional<seq> last_seq;
  run_outcome outcome;
  wall_time now{};
};

/// The terminal status (I5); aborted, whatever the driver reports, once a
/// cancel is recorded. No commit: the same end was recorded before.
result<std::optional<commit>> decide_finish(const run_record& run,
                                            const finish_order& order);

/// Ends a run that no driver will end, under an epoch of its own so that a
/// driver that comes back is fenced.
result<commit> decide_end_without_driver(const run_record& run,
                                         const finish_order& order);

// -- the rest of the record ---------------------------------------------------

/// Records that a launch with this nonce may happen; the first one fixes where
/// the sandbox is. No commit: that nonce was recorded before.
result<std::optional<commit>> decide_launch(const run_record& run, epoch held,
                                            const std::string& nonce_hash,
                                            const sandbox_binding& where);

/// Records the wish to end the run. No commit: it was recorded before, and the
/// run has not ended otherwise. The cause is errc::cancelled or errc::expired;
/// the first one stays.
result<std::optional<commit>> decide_cancel(const run_record& run, errc cause,
                                            wall_time now);

/// The driver has the order to cancel. No commit: it was recorded before, there
/// is no such order, the run has ended, or that driver's claim is not the
/// current one.
std::optional<commit> decide_cancel_delivered(const run_record& run, epoch held,
                                              wall_time now);

/// Removes the entries before `before`, whatever the run's status; its end and
/// its claims stay. No commit: they were removed before. errc::malformed when
/// the log does not reach that far.
result<std::optional<commit>> decide_trim(const run_record& run, seq before);

result<std::optional<commit>> decide_interrupt(const run_record& run);

/// Restarts the detached clock when the run is detached.
result<std::optional<commit>>
decide_resume(const run_record& run, std::uint64_t uptime_ms, wall_time now);

/// The last viewer left.
std::optional<commit> decide_detach(const run_record& run,
                                    std::uint64_t uptime_ms, wall_time now);

/// A viewer came.
std::optional<commit> decide_attach(const run_record& run);

} // namespace baton::storage
