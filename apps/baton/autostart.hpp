// SPDX-License-Identifier: MIT
// Starts a local batond in the background.
// Guarantees: of several callers at once one starts it and all wait until it
//   answers; the daemon has a session of its own and outlives the caller.
// Failure: errc::unavailable with the daemon's own last line.
#pragma once

#include "apps/settings/default_paths.hpp"
#include "messages/result.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace baton::cli {

struct autostart_options {
  local_paths paths;
  /// batond's path.
  std::string program;
  /// Until it must have answered.
  std::chrono::milliseconds limit{15'000};
  /// True when a daemon answers on the socket.
  std::function<bool()> is_up;
};

status start_daemon(const autostart_options& options);

/// `BATON_BATOND`, else beside this program, else `batond` in PATH.
std::string find_batond(const env_variables& env);

} // namespace baton::cli
