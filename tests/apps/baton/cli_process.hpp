// SPDX-License-Identifier: MIT
// The built `baton` as a child process.
#pragma once

#include "tests/storage/temp_dir.hpp"
#include "tests/support/process.hpp"

#include <csignal>

namespace baton::test {

class cli_process : public process {
public:
  /// `env` is the whole environment, as NAME=VALUE.
  cli_process(std::vector<std::string> args, std::vector<std::string> env,
              const std::string& input = {})
    : process{with_program(std::move(args)), {.env = env, .input = input}} {}

  void interrupt() { signal(SIGINT); }
  /// Waits for its end; the exit code, or -signal.
  int wait() { return process::wait(20s).exit; }

private:
  static std::vector<std::string> with_program(std::vector<std::string> args) {
    args.insert(args.begin(), program("baton"));
    return args;
  }
};

} // namespace baton::test
