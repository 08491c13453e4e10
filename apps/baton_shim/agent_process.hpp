// SPDX-License-Identifier: MIT
// Starting the agent: a session of its own, output to files, no handle on
// anything of the shim's.
//
// Guarantees: the agent dies with its shim (SIGKILL by the kernel); it starts
// with default signals and only descriptors 0, 1 and 2.
#pragma once

#include "actors/sandbox/launch_format.hpp"
#include "actors/sandbox/unique_fd.hpp"
#include "apps/baton_shim/inner_report.hpp"

#include <sys/types.h>

#include <string>
#include <vector>

namespace baton::shim {

/// What the agent inherits, opened before the launch guard is taken.
struct agent_files {
  sandbox::unique_fd stdin_fd;
  sandbox::unique_fd stdout_fd;
  sandbox::unique_fd stderr_fd;
};

struct agent_start {
  /// 0 when no process could be made at all. Of a confined agent: bubblewrap's
  /// outer process.
  pid_t pid = 0;
  /// Empty when the command is being executed; else the process has ended
  /// with `code` and this says why, in words for the user.
  std::string error;
  int code = 0;
  /// Of a confined agent: tells how its main process ends.
  inner_reports reports;
};

/// Starts the command, confined when the order says so. `cwd` is absolute.
agent_start start_agent(const sandbox::shim_order& order,
                        const std::string& cwd, mode_t umask_of_agent,
                        const agent_files& files);

/// For exec; valid as long as `texts`.
std::vector<char*> pointers(const std::vector<std::string>& texts);

/// In a new process: default actions, nothing blocked.
void reset_signals();

} // namespace baton::shim
