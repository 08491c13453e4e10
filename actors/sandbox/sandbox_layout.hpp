// SPDX-License-Identifier: MIT
// Where things lie in a local sandbox. Provider and shim share it, so it needs
// nothing but the standard library.
//
//   ROOT/guards/NAME    taken once, by the launch that counts (I7); outlives
//                       the sandbox
//   ROOT/instances/     workspaces that several runs share, see
//                       shared_instance.hpp
//   ROOT/NAME/          the sandbox, 0700
//     alive             write-locked for life by the shim, with its pid
//     exit              exit record, its 4 KiB reserved before the launch
//     control           FIFO; the line "kill" asks for the tree's death
//     journal, stderr   the agent's output; the journal is write-locked too,
//                       from the guard to the exit record
//     setup             what source and set-up of a workspace said
//     work/             the agent's own directory, where it starts
//     tmp/              a confined agent's /tmp
//
// Guards lie beside the sandboxes, not in them: a launch that arrives after
// the sandbox was removed must still find its guard taken.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace baton::sandbox {

constexpr const char* guards_folder = "guards";
constexpr const char* instances_folder = "instances";
constexpr const char* alive_file = "alive";
constexpr const char* exit_file = "exit";
constexpr const char* control_file = "control";
constexpr const char* journal_file_name = "journal";
constexpr const char* stderr_file = "stderr";
constexpr const char* setup_output_file = "setup";
constexpr const char* work_folder = "work";
constexpr const char* tmp_folder = "tmp";

/// What is written to `control`.
constexpr std::string_view kill_command = "kill\n";

/// Names the sandbox in the environment of everything that runs in it, so that
/// what a killed shim leaves behind can be found.
constexpr std::string_view sandbox_variable = "BATON_SANDBOX";

/// A sandbox directory, taken apart.
struct sandbox_place {
  std::string root;
  std::string name;

  std::string directory() const { return root + "/" + name; }
  std::string file(const char* leaf) const { return directory() + "/" + leaf; }
  std::string guards() const { return root + "/" + guards_folder; }
  std::string guard() const { return guards() + "/" + name; }
};

/// Nothing when `id` is not an absolute path in plain form, or could name
/// something else than a sandbox.
inline std::optional<sandbox_place> parse_sandbox_id(std::string_view id) {
  auto slash = id.rfind('/');
  if (slash == std::string_view::npos || slash == 0 || id.front() != '/')
    return std::nullopt;
  auto name = id.substr(slash + 1);
  if (name.empty() || name.front() == '.' || name == guards_folder
      || name == instances_folder)
    return std::nullopt;
  if (id.find("/../") != id.npos || id.find("/./") != id.npos
      || id.find("//") != id.npos || id.find('\0') != id.npos)
    return std::nullopt;
  return sandbox_place{std::string{id.substr(0, slash)}, std::string{name}};
}

} // namespace baton::sandbox
