// SPDX-License-Identifier: MIT
// The programs under test as child processes, and waiting for what they do.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace baton::system_test {

using namespace std::chrono_literals;
using millis = std::chrono::milliseconds;

/// A built program: in the folder BATON_BIN_DIR of the environment, else in
/// the build's own.
std::string program(const std::string& name);

/// False when `condition` does not come true within `patience`.
bool wait_until(const std::function<bool()>& condition, millis patience = 20s);

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
  /// `env` is the whole environment, as NAME=VALUE.
  process(std::vector<std::string> argv, std::vector<std::string> env,
          const std::string& input = {});
  ~process();
  process(const process&) = delete;
  process& operator=(const process&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  /// What it has written so far; more may come.
  const std::string& out();
  const std::string& err();
  /// Waits for its end and for that of its output.
  finished wait(millis patience = 60s);

private:
  void collect(int timeout_ms);

  pid_t pid_ = -1;
  int out_fd_ = -1;
  int err_fd_ = -1;
  std::string out_;
  std::string err_;
};

/// Zombies are not alive.
bool is_alive(pid_t pid);
/// Processes that hold files in `folder`, work in it or name it in their
/// environment: the shims and agents of a data directory.
std::vector<pid_t> processes_of(const std::string& folder);
/// Memory in bytes; 0 when it is gone.
std::size_t resident_bytes(pid_t pid);
std::size_t open_files(pid_t pid);

} // namespace baton::system_test
