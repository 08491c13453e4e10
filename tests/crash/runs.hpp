// SPDX-License-Identifier: MIT
// Runs under load: each with a person who starts it, watches it to its end
// through every death of the daemon, and remembers what was promised.
// Threads: one a run; a run is read by others only behind finish().
#pragma once

#include "tests/crash/world.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace baton::crash_test {

struct run_plan {
  std::string id = {};
  std::uint64_t seed = 0;
  std::uint64_t lines = 5;
  int pace_ms = 0;
  /// Waits for the gate before this line; `lines` or more: never.
  std::uint64_t gate_at = UINT64_MAX;
  enum class ending { plain, bare, forever } ends = ending::plain;
  /// A driver outside writes the same lines over HTTP.
  bool external = false;
  /// Cancel it once it has that many entries.
  std::optional<std::uint64_t> cancel_at = {};
};

/// What one viewer saw, over all its connections.
struct viewing {
  std::uint64_t last_seq = 0;
  /// The JSON of each entry, as sent.
  std::vector<std::string> entries;
  /// The JSON of the record that came with `end`; empty: none came.
  std::string end;
};

/// What was acknowledged to a driver outside.
struct promises {
  std::string acked;
  std::vector<std::uint64_t> epochs;
  std::string finished_status;
};

class tended_run {
public:
  tended_run(const world& w, run_plan plan);

  /// Waits for the end, or for giving up.
  void finish();

  /// Its viewer has seen the end, or given up. Any thread.
  bool is_over() const { return over_; }

  const run_plan& plan() const { return plan_; }
  const viewing& seen() const { return seen_; }
  const promises& promised() const { return promised_; }
  /// Where its agent notes its launches.
  std::string notes() const { return world_.file("notes." + plan_.id); }
  std::string path(const std::string& rest = {}) const {
    return "/v1/runs/" + plan_.id + rest;
  }
  void complain(const std::string& what) const {
    world_.wrong().add("run " + plan_.id + ": " + what);
  }

private:
  bool create();
  void watch();
  bool watch_once();
  void cancel_when_due(std::uint64_t seq);
  void drive();
  bool claim(bool steal);
  void append(std::uint64_t first, const std::string& body);
  std::string request_json() const;

  const world& world_;
  run_plan plan_;
  viewing seen_;
  promises promised_;
  bool cancelled_ = false;
  std::atomic<bool> over_ = false;
  std::jthread driver_;
  std::jthread viewer_;
};

} // namespace baton::crash_test
