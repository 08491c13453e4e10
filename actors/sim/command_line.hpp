// SPDX-License-Identifier: MIT
// What the simulator was asked on its command line.
// Threads: value types.
#pragma once

#include "actors/sim/shape.hpp"
#include "messages/result.hpp"

#include <cstdint>
#include <string>

namespace baton::sim {

struct command_line {
  std::uint64_t first = 1;
  std::uint64_t last = 1'000;
  shape_wishes wishes;
  /// 0: until each story's end.
  std::size_t steps = 0;
  std::string report;
  /// What was given of the options that the story depends on, as on a command
  /// line: " --nodes 5 --faults cut".
  std::string given;
  bool json = false;
  bool progress = false;
  /// It was answered already (--help, --version), with that exit code.
  std::optional<int> answered;
};

/// errc::malformed with one line for people. `own_runs`: the program brings
/// runs itself, and ours only join when they are asked for. `help`: what it
/// says of itself.
result<command_line> parse_command_line(int argc, char** argv,
                                        const std::string& name, bool own_runs,
                                        const std::string& help = {});

} // namespace baton::sim
