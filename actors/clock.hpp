// SPDX-License-Identifier: MIT
// Injected sources of calendar time and randomness. Decisions use neither:
// they get the actor clock's monotonic time as an argument. The simulator
// gives seeded ones.
#pragma once

#include "messages/wall_time.hpp"

#include <functional>
#include <string>

namespace baton {

struct environment {
  std::function<wall_time()> now_wall;
  /// That many random bytes, unpredictable in production.
  std::function<std::string(std::size_t)> random_bytes;
};

/// The operating system's clock and random source.
environment system_environment();

} // namespace baton
