// SPDX-License-Identifier: MIT
#include "actors/coordinator/sound_runs.hpp"

namespace baton::coordinator {
namespace {

/// A live run whose log does not end where its record says is damaged too.
status check_tail(const storage::store& store, const run_record& run) {
  const auto& state = run.state;
  if (state.last_seq == state.trimmed)
    return {};
  auto tail = store.read(run, {seq{state.last_seq.value - 1}, 1, SIZE_MAX});
  if (!tail)
    return tail.error();
  if (tail->size() != 1 || tail->front().end != state.end)
    return make_status(errc::corrupt, "its log does not end at entry "
                                        + std::to_string(state.last_seq.value)
                                        + ", byte "
                                        + std::to_string(state.end.value));
  return {};
}

} // namespace

result<std::vector<run_record>> sound_runs(storage::store& store,
                                           wall_time now) {
  auto damaged = store.corrupt();
  if (!damaged)
    return damaged.error();
  for (const auto& id : *damaged) {
    auto done = store.quarantine(id, "its stored record cannot be read", now);
    if (!done.ok())
      return done;
  }
  auto live = store.live();
  if (!live)
    return live.error();
  std::vector<run_record> sound;
  for (auto& run : *live) {
    auto tail = check_tail(store, run);
    if (tail.ok()) {
      sound.push_back(std::move(run));
    } else if (auto done = store.quarantine(run.id(), tail.message, now);
               !done.ok()) {
      return done;
    }
  }
  return sound;
}

} // namespace baton::coordinator
