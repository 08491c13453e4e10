// SPDX-License-Identifier: MIT
// A program under test as a child process, and waiting for what it does.
// Guarantees: nothing of Boost.Test, so any thread may use it.
// Threads: each object belongs to one at a time.
// Failure: what cannot be set up is thrown, which fails a test.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace baton::test {

using namespace std::chrono_literals;
using millis = std::chrono::milliseconds;

/// A built program: in the folder BATON_BIN_DIR of the environment, else in
/// the build's own.
std::string program(const std::string& name);

/// False when `condition` does not come true within `patience`.
bool wait_until(const std::function<bool()>& condition, millis patience = 20s);

/// Between two looks at what others do, or until the next blow; what is right
/// never depends on it.
void pause(millis time);

/// For the times of events: never for deciding whether something is right.
double seconds_since(std::chrono::steady_clock::time_point start);

struct finished {
  /// -n when signal n ended it.
  int exit = -1;
  std::string out;
  std::string err;
};

/// A child process; killed at the end, its descendants are not.
class process {
public:
  struct options {
    /// The whole environment, as NAME=VALUE.
    std::vector<std::string> env = {};
    /// All it can read from its stdin.
    std::string input = {};
    /// Its outputs go to this path with `.out` and `.err` behind it, so that a
    /// long life never waits for us to read; empty: pipes.
    std::string log = {};
  };

  process(std::vector<std::string> argv, options how);
  ~process();
  process(const process&) = delete;
  process& operator=(const process&) = delete;

  pid_t pid() const { return pid_; }
  /// Nothing once it has ended: its pid may be another's.
  void signal(int number);
  /// SIGKILL; returns when it is gone.
  void kill9();
  /// SIGSTOP; returns when all its threads stand.
  void pause();
  /// SIGCONT.
  void wake();

  /// What it has written so far; more may come.
  const std::string& out();
  const std::string& err();
  /// Closes our end of its stdout, as `head` does.
  void stop_reading();

  bool alive() { return !exit(); }
  /// How it ended, if it did: the exit code, or -n after signal n.
  std::optional<int> exit();
  /// Waits for its end.
  finished wait(millis patience = 60s);

private:
  /// A pipe's end or a file, and what came out of it.
  struct output {
    int fd = -1;
    std::string text;
    void drain();
  };

  void collect(int timeout_ms);

  pid_t pid_ = -1;
  std::optional<int> exit_;
  bool pipes_;
  output out_;
  output err_;
};

} // namespace baton::test
