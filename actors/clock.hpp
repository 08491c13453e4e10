// SPDX-License-Identifier: MIT
// Injected sources of calendar time and randomness. Decisions use neither:
// they get the actor clock's monotonic time as an argument. The simulator
// gives seeded ones.
#pragma once

#include "messages/wall_time.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace baton {

/// The actor clock's time: monotonic, virtual in tests.
using mono_time = std::chrono::steady_clock::time_point;

/// Both times at which a decision is taken; only `mono` decides anything.
struct instant {
  mono_time mono{};
  wall_time wall{};
};

struct environment {
  std::function<wall_time()> now_wall;
  /// That many random bytes, unpredictable in production.
  std::function<std::string(std::size_t)> random_bytes;
};

/// The operating system's clock and random source.
environment system_environment();

} // namespace baton
