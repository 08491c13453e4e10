// SPDX-License-Identifier: MIT
// A command as a child of this process, with its streams: for the short jobs
// around an agent (set-up, git), not for agents, which get a shim.
//
// Guarantees: kill() reaches the whole tree, also what forked twice or took a
// session of its own, as long as it kept its environment.
// Threads: one at a time; kill() from any.
// Failure: errc::launch_failed when the command cannot be started.
#pragma once

#include "actors/sandbox/unique_fd.hpp"
#include "messages/result.hpp"

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace baton::sandbox {

struct command_request {
  std::vector<std::string> argv;
  /// Absolute.
  std::string cwd;
  std::map<std::string, std::string> env;
  std::string stdin_bytes;
  /// 0: as long as it takes.
  std::int64_t timeout_ms = 0;
  std::stop_token stop;
  /// Of stdout and of stderr; more is read and dropped.
  std::size_t output_bytes_max = 16u << 20;
};

struct command_result {
  /// 128+n after signal n.
  int code = 0;
  std::optional<int> signal;
  std::string out;
  std::string err;
  bool timed_out = false;
  bool stopped = false;
  /// Output was dropped.
  bool truncated = false;
};

class child_command {
public:
  /// Its processes are marked as belonging to that sandbox.
  static result<std::unique_ptr<child_command>>
  start(const command_request& request, const std::string& sandbox_directory);

  /// Kills what still runs.
  ~child_command();
  child_command(const child_command&) = delete;
  child_command& operator=(const child_command&) = delete;

  /// The streams; non-blocking.
  unique_fd& in() { return in_; }
  unique_fd& out() { return out_; }
  unique_fd& err() { return err_; }

  /// Kills the whole tree at once.
  void kill();

  /// The status as of waitpid, once the main process has ended.
  std::optional<int> ended();

private:
  child_command() = default;

  pid_t pid_ = 0;
  std::string mark_;
  unique_fd in_;
  unique_fd out_;
  unique_fd err_;
  std::optional<int> status_;
};

/// Starts, feeds, collects, and ends it when it is time.
result<command_result> run_command_to_end(const command_request& request,
                                          const std::string& sandbox_directory);

} // namespace baton::sandbox
