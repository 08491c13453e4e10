// SPDX-License-Identifier: MIT
#include "actors/run/run_machine.hpp"

#include "messages/check.hpp"
#include "messages/exit_marker.hpp"

#include <algorithm>
#include <utility>

namespace baton::run {

run_machine::run_machine(run_record record, const std::string& nonce,
                         proposal place)
  : record_(std::move(record)),
    nonce_hash_(hash_of_nonce(nonce)),
    place_(std::move(place)),
    cancelled_(record_.state.cancel_requested_at.has_value()),
    launched_before_(!record_.state.nonce_hashes.empty()),
    next_seq_{record_.state.last_seq.value + 1},
    acknowledged_(record_.state.end) {
  // nop
}

effects run_machine::start(mono_time now) {
  asked_at_ = now;
  if (record_.state.sandbox.id.empty())
    return on_probed(sandbox::probe_report{}, now);
  return {probe_agent{}};
}

effects run_machine::on_probed(const result<sandbox::probe_report>& x,
                               mono_time now) {
  if (phase_ != phase::probing)
    return {};
  if (!x) {
    // An agent that cannot be probed is not thereby dead: the tick asks again,
    // and for as long as it takes where it is us who lack something.
    probe_again_ = true;
    if (x.error().code == errc::unavailable)
      return {};
    failed_probes_ += 1;
    return failed_probes_ < probe_attempts_max ? effects{}
                                               : fail(x.error(), now);
  }
  if (x->state != sandbox::agent_state::not_launched) {
    if (x->state != sandbox::agent_state::lost)
      unlaunched_.reset();
    return follow();
  }
  if (cancelled_ || unlaunched_)
    return end_unlaunched(now);
  phase_ = phase::recording;
  asked_at_ = now;
  return {launch_request()};
}

record_launch run_machine::launch_request() const {
  return {record_.id(), record_.state.epoch, nonce_hash_, place_.sandbox_id,
          place_.shared_id};
}

effects run_machine::on_recorded(const run_record& x, mono_time now) {
  if (phase_ != phase::recording)
    return {};
  record_ = x;
  if (cancelled_)
    return end_unlaunched(now);
  phase_ = phase::launching;
  return {launch_agent{}};
}

effects run_machine::on_launched(const result<sandbox::launch_outcome>& x,
                                 mono_time now) {
  if (phase_ != phase::launching)
    return {};
  if (x)
    return follow();
  if (x.error().code == errc::unavailable) {
    launch_again_ = true;
    return {};
  }
  auto is_unclear = disposition_of(x.error().code) != disposition::give_up;
  if (is_unclear && ++unclear_launches_ < launch_attempts) {
    // It may have happened: the tick launches again, the guard makes that
    // harmless.
    launch_again_ = true;
    return {};
  }
  auto code = x.error().code == errc::workspace_failed ? errc::workspace_failed
                                                       : errc::launch_failed;
  auto why = make_status(code, x.error().message);
  if (!may_launch_yet())
    return fail(why, now);
  // Another call may have got through, or may still.
  unlaunched_ = why;
  phase_ = phase::probing;
  return {probe_agent{}};
}

bool run_machine::may_launch_yet() const {
  return launched_before_ || unclear_launches_ > 0;
}

effects run_machine::end_unlaunched(mono_time now) {
  // Where no kill can take the guard for so long, no launch can.
  if (!may_launch_yet() || ++vain_kills_ > vain_kills_max)
    return unlaunched_ ? fail(*unlaunched_, now)
                       : finish({run_status::aborted, {}, {}, {}, {}}, now);
  // A launch may still be under way, ours or an earlier driver's. Behind a kill
  // it either comes too late or shows in the probe at the next tick.
  phase_ = phase::probing;
  probe_again_ = true;
  return {kill_agent{}};
}

effects run_machine::follow() {
  phase_ = phase::following;
  reading_ = true;
  effects out{follow_journal{record_.state.end, record_.state.inside_line},
              read_more{}};
  if (cancelled_)
    std::ranges::move(obey_cancel(), std::back_inserter(out));
  return out;
}

effects run_machine::obey_cancel() const {
  return {kill_agent{}, cancel_delivered{record_.id(), record_.state.epoch}};
}

append_lines& run_machine::window_entry(position begin, line_batch lines) {
  append_lines x;
  x.run = record_.id();
  x.epoch = record_.state.epoch;
  x.first_seq = next_seq_;
  x.begin = begin;
  x.has_begin = true;
  x.lines = std::move(lines);
  next_seq_.value += x.lines.size();
  window_.push_back(std::move(x));
  return window_.back();
}

effects run_machine::on_lines(position begin, line_batch lines, mono_time now) {
  if (phase_ != phase::following)
    return {};
  BATON_CHECK(window_.size() < window_batches, "reads only when there is room");
  reading_ = false;
  if (window_.empty())
    asked_at_ = now;
  effects out{window_entry(begin, std::move(lines))};
  if (window_.size() < window_batches) {
    reading_ = true;
    out.emplace_back(read_more{});
  }
  return out;
}

effects run_machine::on_over(const sandbox::exit_report& x,
                             const std::string& stderr_tail, mono_time now) {
  if (phase_ != phase::following)
    return {};
  return finish(outcome_of(x, stderr_tail), now);
}

effects run_machine::on_broken(const status& why, mono_time now) {
  if (phase_ != phase::following)
    return {};
  // Nothing got through but the kill: it is as the launch told it.
  auto is_silent = next_seq_.value == record_.state.last_seq.value + 1;
  return fail(unlaunched_ && is_silent ? *unlaunched_ : why, now);
}

effects run_machine::on_done(const append_done& x, mono_time now) {
  if (phase_ == phase::stopped)
    return {};
  asked_at_ = now;
  acknowledged_ = std::max(acknowledged_, x.end);
  while (!window_.empty()
         && window_.front().first_seq.value + window_.front().lines.size() - 1
              <= x.last_seq.value)
    window_.pop_front();
  effects out;
  if (x.cancel_requested && !cancelled_)
    out = on_cancel(now);
  if (phase_ == phase::following && !reading_
      && window_.size() < window_batches) {
    reading_ = true;
    out.emplace_back(read_more{});
  }
  return out;
}

effects run_machine::on_finished() {
  if (phase_ != phase::finishing)
    return {};
  phase_ = phase::stopped;
  return {stop{}};
}

effects run_machine::on_refused(const drive_refused& x, mono_time now) {
  if (phase_ == phase::stopped || x.epoch != record_.state.epoch)
    return {};
  switch (disposition_of(x.code)) {
  case disposition::retry_same:
    // Nothing is recorded, and what a launch waits for may take hours.
    if (phase_ == phase::recording && cancelled_)
      return end_unlaunched(now);
    return {}; // The tick sends it again.
  case disposition::outcome_unknown:
    return {};
  case disposition::retry_after_read:
    // Only this driver writes under this epoch, so what the log lacks is in
    // the window: a request overtook one that was lost. Once, at the next
    // tick: each request of the window is refused, and one answer is enough.
    asked_at_ = now - retry_interval;
    return {};
  default:
    break;
  }
  if (phase_ == phase::following && x.code != errc::fenced
      && x.code != errc::terminal && x.code != errc::unknown_run)
    return give_up(x, now);
  phase_ = phase::stopped;
  return {stop{}};
}

effects run_machine::give_up(const drive_refused& x, mono_time now) {
  // The claim is still ours, so nobody else will end the run. How much of the
  // window is in the log is not known: the end follows whatever is.
  window_.clear();
  next_seq_ = seq{1};
  return fail(make_status(x.code, x.message), now);
}

effects run_machine::on_cancel(mono_time) {
  cancelled_ = true;
  return may_have_agent() ? obey_cancel() : effects{};
}

bool run_machine::may_have_agent() const {
  return phase_ == phase::following || phase_ == phase::launching;
}

effects run_machine::on_tick(mono_time now) {
  effects out;
  if (phase_ == phase::probing && std::exchange(probe_again_, false))
    out.emplace_back(probe_agent{});
  if (may_have_agent() && cancelled_)
    out = obey_cancel();
  if (phase_ == phase::launching && std::exchange(launch_again_, false)) {
    if (cancelled_) {
      phase_ = phase::probing;
      out.emplace_back(probe_agent{});
    } else {
      out.emplace_back(launch_agent{});
    }
  }
  if (waits_for_coordinator() && now - asked_at_ >= retry_interval) {
    auto again = resend(now);
    out.insert(out.end(), again.begin(), again.end());
  }
  return out;
}

effects run_machine::on_coordinator_back(mono_time now) {
  return waits_for_coordinator() ? resend(now) : effects{};
}

bool run_machine::waits_for_coordinator() const {
  return phase_ != phase::stopped
         && (phase_ == phase::recording || !window_.empty() || ending_);
}

effects run_machine::fail(const status& why, mono_time now) {
  auto out = finish(
    {run_status::failed, {}, {}, run_error{why.code, why.message}, {}}, now);
  // Whatever is left of the agent must not outlive its run, nor come after it.
  out.insert(out.begin(), kill_agent{});
  return out;
}

effects run_machine::finish(run_outcome outcome, mono_time now) {
  phase_ = phase::finishing;
  finish_run x;
  x.run = record_.id();
  x.epoch = record_.state.epoch;
  x.last_seq = seq{next_seq_.value - 1};
  x.outcome = std::move(outcome);
  ending_ = x;
  if (window_.empty())
    asked_at_ = now;
  return {std::move(x)};
}

effects run_machine::resend(mono_time now) {
  asked_at_ = now;
  effects out;
  if (phase_ == phase::recording)
    out.emplace_back(launch_request());
  for (const auto& x : window_)
    out.emplace_back(x);
  if (ending_)
    out.emplace_back(*ending_);
  return out;
}

run_outcome run_machine::outcome_of(const sandbox::exit_report& x,
                                    const std::string& stderr_tail) const {
  run_outcome out;
  if (x.error) {
    out.status = run_status::failed;
    out.error = x.error;
    return out;
  }
  out.exit_code = x.code;
  out.signal = x.signal;
  if (x.code == 0)
    return out;
  out.status = run_status::failed;
  auto message =
    x.signal ? "the agent was ended by signal " + std::to_string(*x.signal)
             : "the agent exited with code " + std::to_string(x.code);
  // The sentence ends with the last thing that was said.
  auto end = stderr_tail.find_last_not_of(" \t\r\n");
  if (end != std::string::npos)
    message += "; its stderr ends with: " + stderr_tail.substr(0, end + 1);
  out.error = run_error{errc::exit_nonzero, std::move(message)};
  return out;
}

} // namespace baton::run
