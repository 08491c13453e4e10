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
  bool json = false;
  bool progress = false;
  /// It was answered already (--help), with that exit code.
  std::optional<int> answered;
};

/// errc::malformed with one line for people. `own_runs`: the program brings
/// runs itself, and ours only join when they are asked for.
result<command_line> parse_command_line(int argc, char** argv,
                                        const std::string& name, bool own_runs);

} // namespace baton::sim
