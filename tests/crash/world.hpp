// SPDX-License-Identifier: MIT
// A folder with one daemon in it that dies and is started again, and a client
// that outlives every death.
// Guarantees: nothing of Boost.Test, so that many worlds live in one program;
// what is wrong goes to `findings`.
// Threads: start, wait and kill from one thread; ask() from any.
#pragma once

#include "apps/baton/http_client.hpp"
#include "tests/support/daemon.hpp"

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace baton::crash_test {

using namespace std::chrono_literals;
using test::content_of;
using test::millis;
using test::pause;
using test::wait_until;

/// What is wrong, in words.
class findings {
public:
  void add(std::string text);
  std::vector<std::string> take();

private:
  std::mutex mutex_;
  std::vector<std::string> all_;
};

class world {
public:
  // -- the daemon -------------------------------------------------------------

  /// Returns at once. `crash_at` as BATON_CRASH_AT; empty: unset.
  void start(const std::string& crash_at = {});
  /// False when it did not become ready.
  bool wait_ready(millis patience = 30s);
  /// How it ended: the exit code, or -n after signal n.
  std::optional<int> wait_dead(millis patience);
  void signal(int number) const { daemon_.life().signal(number); }
  void kill9() { daemon_.kill9(); }
  /// SIGTERM, and that it ends as promised.
  void stop();

  // -- requests ---------------------------------------------------------------

  /// One try; nothing when there was no answer.
  std::optional<cli::http_response>
  try_ask(const cli::http_request& request) const;
  /// Repeats until an answer other than 503 comes; nothing, and a finding, when
  /// none comes within a minute.
  std::optional<cli::http_response> ask(const cli::http_request& request) const;
  cli::http_client client() const;

  // -- around it --------------------------------------------------------------

  std::string file(const std::string& name) const { return daemon_.file(name); }
  /// Where agents wait at their gates until it exists.
  std::string gate() const { return file("gate"); }
  void open_gate() const;
  /// Shims and agents alive, by their command lines.
  std::vector<pid_t> processes(std::string_view naming = {}) const;
  /// What lies in the sandbox root besides guards.
  std::vector<std::string> sandboxes() const;
  /// That nobody and nothing is left, soon.
  void expect_clean() const;

  findings& wrong() const { return wrong_; }

private:
  test::daemon daemon_;
  mutable findings wrong_;
};

} // namespace baton::crash_test
