// SPDX-License-Identifier: MIT
// From argv to the verb and what it was told.
// Threads: pure functions of their input.
// Failure: errc::malformed with one line that names the verb's help.
#pragma once

#include "apps/baton/command_shape.hpp"
#include "apps/baton/context.hpp"
#include "messages/result.hpp"

#include <functional>
#include <string>
#include <vector>

namespace baton::cli {

struct invocation {
  /// Not empty (help, --version): print this and be done.
  std::string text;
  std::string verb;
  global_options global;
  std::function<int(context&)> action;
};

/// A refused command line, with the verb it was for (may be empty).
struct usage_refusal {
  std::string verb;
  status why;
};

struct parsed_line {
  cli::invocation invocation;
  usage_refusal refusal;
};

/// `args` without the program's name.
parsed_line parse_command_line(const std::vector<std::string>& args);

/// What parse_command_line accepts.
command_shape shape_of_commands();

} // namespace baton::cli
