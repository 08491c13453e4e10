// SPDX-License-Identifier: MIT
#include "storage/quarantine.hpp"

#include <algorithm>

namespace baton::storage {
namespace {

/// A run that commits a million times a second gets here after 146,000 years.
constexpr std::uint64_t version_after_loss = std::uint64_t{1} << 62;

} // namespace

run_record quarantined(const salvage& found, const std::string& why,
                       wall_time now) {
  run_spec spec;
  if (found.spec) {
    spec = *found.spec;
  } else {
    spec.id = found.id;
    spec.thread = found.thread;
    spec.started_at = now;
  }
  run_state state;
  if (found.state) {
    state = *found.state;
    state.version += 1;
  } else {
    state.version = version_after_loss;
  }
  state.no = found.no;
  state.epoch = std::max(state.epoch, found.epoch);
  state.trimmed = found.trimmed;
  state.last_seq = found.last_seq;
  state.end = found.end;
  state.inside_line = found.inside_line;
  state.status = run_status::failed;
  state.finished_at = now;
  state.exit_code.reset();
  state.signal.reset();
  state.error = run_error{errc::corrupt, why};
  return {std::make_shared<const run_spec>(std::move(spec)), std::move(state)};
}

} // namespace baton::storage
