// SPDX-License-Identifier: MIT
// Reads logs and records for whoever asks, beside the coordinator, so that a
// long read delays no commit.
// Answers read_entries, get_run, get_claims and list_runs from what is durable.
// Threads: an actor; spawn it detached where the store blocks.
// Failure: errc::unknown_run, errc::corrupt.
#pragma once

#include "storage/store.hpp"

#include <caf/event_based_actor.hpp>

#include <memory>

namespace baton::coordinator {

caf::behavior reader(caf::event_based_actor* self,
                     std::shared_ptr<const storage::store> store);

} // namespace baton::coordinator
