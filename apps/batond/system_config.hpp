// SPDX-License-Identifier: MIT
// How batond runs CAF.
// Threads: built before the actor system, by one thread.
#pragma once

#include "apps/settings/settings.hpp"

#include <caf/actor_system_config.hpp>

namespace baton {

/// Without --cluster and --join the process has no network code of CAF's.
struct system_config : caf::actor_system_config {
  explicit system_config(const settings& given);

private:
  void load_network(const settings& given);
};

} // namespace baton
