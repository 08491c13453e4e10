// SPDX-License-Identifier: MIT
// A driver that breaks the contract on purpose: it repeats entries with other
// bytes, leaves gaps, writes under claims that are gone and behind the end.
// Guarantees: whatever else happens meanwhile, a right coordinator refuses each
// of its requests; the run's history tells which way, and what it was told.
// Threads: an actor.
#pragma once

#include "actors/sim/driver.hpp"

namespace baton::sim {

caf::behavior rude_driver(caf::event_based_actor* self,
                          const driver_options& options);

} // namespace baton::sim
