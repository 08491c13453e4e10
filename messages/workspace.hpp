// SPDX-License-Identifier: MIT
// What stands in a run's working directory before its agent starts: a source,
// the steps that set it up, scripts, and secrets by reference (E6).
//
// Guarantees: a secret's value is no part of it. A secret is named by where the
// launching node finds it, so a spec may be stored, sent and shown.
// Threads: value types, pure functions.
// Failure: errc::malformed naming the field, the expected and the found;
// errc::corrupt for stored bytes that the encoder cannot have written.
#pragma once

#include "messages/result.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace baton {

struct git_source {
  /// https://, ssh://, file://, or HOST:PATH for ssh.
  std::string url;
  /// A branch, a tag or a whole commit id; empty: what the server shows first.
  std::string ref;
  /// Commits of history; 0: all.
  std::uint32_t depth = 1;

  bool operator==(const git_source&) const = default;
};

/// A directory of the launching node, copied.
struct path_source {
  /// Absolute.
  std::string directory;

  bool operator==(const path_source&) const = default;
};

using workspace_source = std::variant<std::monostate, git_source, path_source>;

/// Where the launching node finds a secret's value at the launch.
struct secret_reference {
  enum class place : std::uint8_t { file = 1, env = 2 };

  place from = place::file;
  /// An absolute path, or the name of a variable of the daemon's environment.
  std::string name;

  bool operator==(const secret_reference&) const = default;
};

/// Commands of one step run at the same time; steps run one after another.
using setup_step = std::vector<std::string>;

struct workspace_spec {
  static constexpr std::uint64_t default_timeout_ms = 600'000;

  workspace_source source;
  /// Install what the lock file in the source pins, before the first step.
  bool install = false;
  std::vector<setup_step> setup;
  /// Name of the executable to its shell text.
  std::map<std::string, std::string> scripts;
  /// Name in the environment of set-up and agent.
  std::map<std::string, secret_reference> secrets;
  /// For source and set-up together.
  std::uint64_t setup_timeout_ms = default_timeout_ms;

  bool operator==(const workspace_spec&) const = default;
};

/// True when a launch has nothing to prepare and nothing to keep secret.
bool is_empty(const workspace_spec& x);

/// The first thing that is wrong with it; the message begins with the field's
/// path below the workspace, as in `setup[2]`.
status check(const workspace_spec& x);

/// A JSON object, equal for equal workspaces, for workspace_hash(): without the
/// secrets and the timeout, which change nothing in what is made.
std::string definition_of(const workspace_spec& x);

std::string encode(const workspace_spec& x);
result<workspace_spec> decode_workspace(std::string_view bytes);

} // namespace baton
