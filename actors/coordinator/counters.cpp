// SPDX-License-Identifier: MIT
#include "actors/coordinator/counters.hpp"

namespace baton::coordinator {

void tally::restored(const run_record& run) {
  sum_.live[run.state.status] += 1;
  version_ += 1;
}

void tally::committed(const run_record* before, const storage::commit& done) {
  const auto& after = done.record.state;
  auto was_live = before != nullptr && !is_terminal(before->state.status);
  auto moved = before == nullptr || before->state.status != after.status;
  if (moved && was_live)
    sum_.live[before->state.status] -= 1;
  if (moved && !is_terminal(after.status))
    sum_.live[after.status] += 1;
  if (moved && is_terminal(after.status))
    sum_.ended[after.status] += 1;
  if (done.claim) {
    sum_.claims += 1;
    // The claim under which the coordinator itself ends a run takes nothing
    // over: nobody goes on with the run.
    if (before != nullptr && !before->state.holder.empty()
        && !is_terminal(after.status))
      sum_.takeovers[done.claim->cause] += 1;
  }
  if (moved || done.claim)
    version_ += 1;
}

void tally::fenced() {
  sum_.fenced_writes += 1;
  version_ += 1;
}

void tally::reaped(const std::string& outcome) {
  sum_.reaped[outcome] += 1;
  version_ += 1;
}

void tally::reclaimed(const std::string& outcome) {
  sum_.reclaimed[outcome] += 1;
  version_ += 1;
}

void tally::pruned() {
  sum_.pruned += 1;
  version_ += 1;
}

void tally::retired() {
  sum_.retired += 1;
  version_ += 1;
}

void tally::swept(wall_time now) {
  sum_.last_sweep = now;
  version_ += 1;
}

void counter_board::put(const counters& x) {
  std::lock_guard guard{lock_};
  shown_ = x;
}

counters counter_board::read() const {
  std::lock_guard guard{lock_};
  return shown_;
}

} // namespace baton::coordinator
