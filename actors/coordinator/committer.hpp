// SPDX-License-Identifier: MIT
// The coordinator's hand on the store: makes one batch after the other durable
// while the coordinator decides the next (group commit).
// Guarantees: an answer means synced (I4).
// Threads: an actor; spawn it detached where the store blocks.
// Failure: fail-stop. A store that cannot write is reported to `on_fatal`,
// which ends the process in production; restart recovers.
#pragma once

#include "actors/coordinator/claim_table.hpp"
#include "messages/result.hpp"
#include "storage/store.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/event_based_actor.hpp>

#include <functional>
#include <memory>

namespace baton::coordinator {

/// To the committer; answered with batch_written. Local only.
struct write_order {
  std::shared_ptr<write_batch> batch;
  std::uint64_t uptime_ms = 0;
};

struct batch_written {
  std::shared_ptr<write_batch> batch;
  std::shared_ptr<std::vector<storage::commit_outcome>> outcomes;
};

using fatal_handler = std::function<void(const status&)>;

/// Prints the status and ends the process with EX_IOERR.
fatal_handler end_process();

caf::behavior committer(caf::event_based_actor* self,
                        std::shared_ptr<storage::store> store,
                        fatal_handler on_fatal);

} // namespace baton::coordinator

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(baton::coordinator::write_order)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(baton::coordinator::batch_written)
