// SPDX-License-Identifier: MIT
// The set-up of a workspace as one text for `/bin/sh`, and what its report
// says afterwards.
//
// Guarantees: all steps run in one shell. What a step of one command does to
// the shell, such as a change of directory or an exported variable, stays for
// the steps that follow. The commands of a larger step run at the same time,
// each in a shell of its own, and all have ended before the next step begins. A
// failed command ends the set-up.
// Threads: pure functions. Needs nothing but the standard library.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace baton::sandbox {

/// Reads the script from stdin, which the commands do not get to see. The
/// report goes to stdout; to stderr goes what the commands print, each step's
/// below its heading.
std::vector<std::string> setup_shell();

std::string setup_script(const std::vector<std::vector<std::string>>& steps);

/// The part of `said`, which ends with what that step printed, that the step
/// printed. All of it when its heading is further back than `said` reaches.
std::string_view said_by_step(std::string_view said, std::size_t step,
                              std::size_t steps);

struct setup_failure {
  /// Both count from 0.
  std::size_t step = 0;
  std::size_t command = 0;
  /// 128+n after signal n.
  int code = 0;

  bool operator==(const setup_failure&) const = default;
};

/// Nothing when every step was done. `shell_code`: how the shell itself ended.
std::optional<setup_failure> read_setup_report(std::string_view report,
                                               int shell_code);

/// The step that the report ends in.
std::size_t last_step_of(std::string_view report);

/// What installs the packages that a project's lock file pins, given the names
/// in its top folder; nothing without a lock file (E6).
std::optional<std::string> install_command(const std::set<std::string>& names);

} // namespace baton::sandbox
