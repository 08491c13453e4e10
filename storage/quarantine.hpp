// SPDX-License-Identifier: MIT
// What a run looks like after its bytes could not be read back. Pure.
#pragma once

#include "messages/record.hpp"

#include <optional>
#include <string>

namespace baton::storage {

/// What could still be read of a damaged run.
struct salvage {
  run_id id;
  run_no no;
  thread_id thread;
  std::optional<run_spec> spec;
  std::optional<run_state> state;
  /// The readable beginning of the log behind what was trimmed, and the highest
  /// epoch seen.
  seq trimmed;
  seq last_seq;
  position end;
  bool inside_line = false;
  baton::epoch epoch;
};

/// The terminal record that takes the damaged one's place. Its version is
/// above every version the run can have had, so no older commit fits it.
run_record quarantined(const salvage& found, const std::string& why,
                       wall_time now);

} // namespace baton::storage
