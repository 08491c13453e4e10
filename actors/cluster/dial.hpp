// SPDX-License-Identifier: MIT
// What a coordinator_link asks of whoever knows how to reach the coordinator.
// Threads: a message.
#pragma once

#include "messages/greeting.hpp"

namespace baton {

/// Find the coordinator -> greeted, with a coordinator in it.
/// errc::unavailable: not now. Anything else: it will not have us.
struct dial {
  bool unused = false;
};

BATON_INSPECT(dial, x.unused)

} // namespace baton
