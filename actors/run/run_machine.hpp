// SPDX-License-Identifier: MIT
// What a driver does with one run: what happened in, what to do out.
//
//   probe -> (record launch -> launch) -> follow -> append ... -> finish
//
// Guarantees: launches only behind a durable record_launch of its own epoch
// (I7); appends each journal byte once, retries identically (I3); ends the run
// once, behind its last entry (I5); stops at the first refusal for good (C2);
// removes nothing: what the run leaves is the coordinator's to destroy.
// A cancel kills, and the end that follows is told like any other (I11). No
// agent starts behind the end.
// Requires: the record carries the claim this driver holds.
// Threads: not thread-safe; owned by one run actor.
// See README.md, "Life of a run".
#pragma once

#include "actors/clock.hpp"
#include "actors/sandbox/provider.hpp"
#include "messages/claim_messages.hpp"

#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace baton::run {

/// Batches that may wait for their acknowledgement.
constexpr std::size_t window_batches = 4;
/// After this long without an answer the same request is sent again.
constexpr std::chrono::milliseconds retry_interval{2'000};
/// Probes in a row that may fail before the run is given up.
constexpr std::size_t probe_attempts_max = 10;
/// Launches whose outcome stays unclear (a starved machine, no more processes)
/// before the run fails: with the provider's 5 s each, about a minute.
constexpr int launch_attempts = 12;
/// Kills, a second apart, behind which a probe may still tell that nobody
/// launched.
constexpr int vain_kills_max = 10;
/// Bytes of stderr that a failed run's error quotes (B12).
constexpr std::size_t stderr_quote_bytes = 1'000;

// -- effects ------------------------------------------------------------------

/// Ask the provider how the agent is -> on_probed.
struct probe_agent {};
/// -> on_launched.
struct launch_agent {};
/// Start to follow the journal from here.
struct follow_journal {
  position from;
  bool inside_line = false;
};
/// -> on_lines, on_over or on_broken.
struct read_more {};
struct kill_agent {};
/// The drive is over; nothing may be written any more.
struct stop {};

using effect =
  std::variant<probe_agent, launch_agent, follow_journal, read_more, kill_agent,
               stop, record_launch, append_lines, finish_run, cancel_delivered>;
using effects = std::vector<effect>;

class run_machine {
public:
  /// Where the run would live if nobody placed it yet; as in record_launch.
  struct proposal {
    std::string sandbox_id;
    std::string shared_id;
  };

  run_machine(run_record record, const std::string& nonce, proposal place);

  effects start(mono_time now);
  effects on_probed(const result<sandbox::probe_report>& x, mono_time now);
  effects on_recorded(const run_record& x, mono_time now);
  effects on_launched(const result<sandbox::launch_outcome>& x, mono_time now);
  effects on_lines(position begin, line_batch lines, mono_time now);
  /// `stderr_tail` is quoted when the agent failed.
  effects on_over(const sandbox::exit_report& x, const std::string& stderr_tail,
                  mono_time now);
  effects on_broken(const status& why, mono_time now);
  effects on_done(const append_done& x, mono_time now);
  effects on_finished();
  effects on_refused(const drive_refused& x, mono_time now);
  effects on_cancel(mono_time now);
  /// What was sent before may be lost.
  effects on_coordinator_back(mono_time now);
  /// Called about once a second.
  effects on_tick(mono_time now);

  const run_record& record() const { return record_; }
  /// Where the log ends, as far as the coordinator has told.
  position acknowledged() const { return acknowledged_; }
  bool stopped() const { return phase_ == phase::stopped; }

private:
  enum class phase : std::uint8_t {
    probing,
    recording,
    launching,
    following,
    finishing,
    stopped,
  };

  record_launch launch_request() const;
  /// The end of a run without an agent, once it is certain that none starts.
  effects end_unlaunched(mono_time now);
  /// Somebody else's launch, or one of ours, may take effect only now.
  bool may_launch_yet() const;
  bool may_have_agent() const;
  effects follow();
  /// Kills because of a cancel, and says so.
  effects obey_cancel() const;
  effects fail(const status& why, mono_time now);
  effects give_up(const drive_refused& x, mono_time now);
  effects finish(run_outcome outcome, mono_time now);
  bool waits_for_coordinator() const;
  effects resend(mono_time now);
  append_lines& window_entry(position begin, line_batch lines);
  run_outcome outcome_of(const sandbox::exit_report& x,
                         const std::string& stderr_tail) const;

  run_record record_;
  std::string nonce_hash_;
  proposal place_;
  phase phase_ = phase::probing;
  bool cancelled_ = false;
  /// An earlier driver may have ordered a launch.
  bool launched_before_ = false;
  int vain_kills_ = 0;
  /// Why there is no agent, unless a probe finds one.
  std::optional<status> unlaunched_;
  bool reading_ = false;
  bool launch_again_ = false;
  bool probe_again_ = false;
  int unclear_launches_ = 0;
  std::size_t failed_probes_ = 0;
  seq next_seq_;
  position acknowledged_;
  std::deque<append_lines> window_;
  std::optional<finish_run> ending_;
  mono_time asked_at_{};
};

} // namespace baton::run
