// SPDX-License-Identifier: MIT
// The built `baton` as a child process, with its outputs and exit code.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace baton::test {

/// A directory that goes with the test.
class scratch_dir {
public:
  scratch_dir();
  ~scratch_dir();
  const std::string& path() const noexcept { return path_; }

private:
  std::string path_;
};

/// Waits for an observable condition; false after 20 s.
bool eventually(const std::function<bool()>& condition);

class cli_process {
public:
  /// `env` is the whole environment, as NAME=VALUE.
  cli_process(std::vector<std::string> args, std::vector<std::string> env,
              const std::string& input = {});
  ~cli_process();

  void interrupt() const;
  /// What it has written so far; more may come.
  std::string out();
  std::string err();
  /// Closes our end of its stdout, as `head` does.
  void stop_reading();
  /// Waits for its end; the exit code, or -signal.
  int wait();

private:
  void collect(int timeout_ms);

  pid_t pid_ = -1;
  int out_fd_ = -1;
  int err_fd_ = -1;
  std::string out_;
  std::string err_;
};

} // namespace baton::test
