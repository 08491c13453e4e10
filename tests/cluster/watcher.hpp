// SPDX-License-Identifier: MIT
// A viewer that checks while it looks: each event is the one behind the last,
// across streams that broke and were resumed (I8).
// Threads: one; pump() takes what is there.
#pragma once

#include "tests/support/daemon.hpp"
#include "tests/support/run_log.hpp"

#include <optional>
#include <string>
#include <vector>

namespace baton::test {

class watcher {
public:
  watcher(const daemon& d, std::string run);

  /// Takes what has come, and resumes a broken stream if its node answers.
  void pump(millis patience = 0ms);
  /// False when the end does not come in time.
  bool pump_to_end(millis patience = 60s);
  bool pump_until(const std::function<bool()>& condition,
                  millis patience = 30s);
  /// Leaves the stream and resumes on another node, or the same.
  void move_to(const daemon& d);

  bool ended() const { return ended_; }
  std::int64_t last() const { return static_cast<std::int64_t>(seen_.size()); }
  std::int64_t last_epoch() const {
    return seen_.empty() ? 0 : seen_.back().epoch;
  }
  const std::vector<log_entry>& seen() const { return seen_; }
  /// How often a stream broke that we had not left.
  int breaks() const { return breaks_; }
  const std::string& run() const { return run_; }
  /// What was wrong first; empty: nothing.
  const std::string& fault() const { return fault_; }

private:
  void resume();
  void take(const sse_event& x);
  void complain(const std::string& what);

  const daemon* node_;
  std::string run_;
  std::optional<event_stream> stream_;
  std::size_t taken_ = 0;
  std::vector<log_entry> seen_;
  bool ended_ = false;
  int breaks_ = 0;
  std::string fault_;
};

/// Lets all of them look until `condition` holds.
bool pump_all(const std::vector<watcher*>& viewers,
              const std::function<bool()>& condition, millis patience = 30s);

} // namespace baton::test
