// SPDX-License-Identifier: MIT
// What becomes of a run that nobody watches (D3-D5). One coordinator sweeps:
// the lock on its data directory makes it the only one of the cluster, and its
// decisions are commits of the same store, so that no claim of the reaper's own
// is needed.
// Threads: a pure function.
#pragma once

#include "messages/record.hpp"
#include "messages/sandbox_messages.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace baton::coordinator {

/// Runs that one sweep looks at.
constexpr std::size_t reap_candidates_max = 25;
/// For the answers to a sweep's probes; more is an anomaly.
constexpr std::chrono::seconds reap_budget{30};

struct reap_case {
  run_status status = run_status::running;
  /// Nobody watches it, as of now.
  bool detached = false;
  /// And nobody has for its whole time-to-live.
  bool expired = false;
  /// Absent: not asked.
  std::optional<probe_verdict> probe;
  /// A live driver has it, who sees its end before anybody else.
  bool claim_held = false;
};

enum class reap_verdict {
  /// None of the reaper's business.
  leave,
  /// Find out whether its agent has ended.
  probe,
  /// Its agent has ended: give it to a driver, who tells the end.
  finalize,
  /// Cancel it, then have it driven to its end.
  expire,
  /// Its agent may still say something.
  producing,
  /// Nobody knows: the next sweep asks again.
  unknown,
};

reap_verdict reap(const reap_case& x) noexcept;

} // namespace baton::coordinator
