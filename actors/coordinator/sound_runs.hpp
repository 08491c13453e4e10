// SPDX-License-Identifier: MIT
// What a coordinator goes on with after a start.
// Threads: a function; the store's only writer.
#pragma once

#include "storage/store.hpp"

#include <vector>

namespace baton::coordinator {

/// The runs that have not ended. What cannot be read back is quarantined.
result<std::vector<run_record>> sound_runs(storage::store& store,
                                           wall_time now);

} // namespace baton::coordinator
