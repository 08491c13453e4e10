// SPDX-License-Identifier: MIT
// A program that runs beside the benchmark and never outlives it.
// Requires: made on the main thread, whose end is the end of every child.
// Failure: a program that cannot be started ends the benchmark.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace baton::bench {

class child_process {
public:
  using millis = std::chrono::milliseconds;

  /// Its stderr goes to `log`; argv[0] is a path.
  child_process(const std::vector<std::string>& argv, const std::string& log);
  /// SIGKILL, if it is still there.
  ~child_process();
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;

  pid_t pid() const { return pid_; }
  void send_signal(int number) const;
  /// The next line of its stdout, without the newline; none within the time,
  /// or none any more: nothing.
  std::optional<std::string> read_line(millis patience);
  /// True when it has ended.
  bool wait(millis patience);
  /// What all its threads have used so far.
  std::chrono::nanoseconds cpu_time() const;

private:
  pid_t pid_ = -1;
  int out_ = -1;
  bool ended_ = false;
  std::string read_;
};

/// What all threads of this process have used so far.
std::chrono::nanoseconds own_cpu_time();

/// The directory of the running program, which is that of its siblings too.
std::string program_directory();
std::string program_path();

} // namespace baton::bench
