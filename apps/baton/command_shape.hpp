// SPDX-License-Identifier: MIT
// The command line's shape, as completion scripts need it: what the parser
// itself accepts, so that the two cannot drift apart.
// Threads: value types.
#pragma once

#include <string>
#include <vector>

namespace baton::cli {

/// What follows a flag, or stands alone.
enum class value_kind : unsigned char {
  none,
  text,
  file,
  directory,
  run,
  node,
  /// A sandbox's key.
  sandbox,
  choice
};

struct flag_shape {
  /// With their dashes.
  std::vector<std::string> names;
  std::string help;
  value_kind takes = value_kind::none;
  /// When `takes` is choice.
  std::vector<std::string> choices;
};

struct verb_shape {
  std::string name;
  std::string help;
  std::vector<flag_shape> flags;
  /// Its positional argument.
  value_kind takes = value_kind::none;
  /// Sub-verbs, or the positional's choices.
  std::vector<std::string> words;
  /// The sub-verbs themselves.
  std::vector<verb_shape> nested;
};

struct command_shape {
  std::vector<flag_shape> global_flags;
  std::vector<verb_shape> verbs;
};

} // namespace baton::cli
