// SPDX-License-Identifier: MIT
// What tests of workspaces need beyond agents: a repository, orders with a
// workspace, and a look at what a run leaves behind.
#pragma once

#include "messages/workspace.hpp"
#include "tests/actors/sandbox/sandbox_world.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace baton::sandbox::test {

/// Runs a shell text to its end; its output without the last newline.
std::string shell(const std::string& text);

/// A repository with two commits on `main` and one on `side`; the first is
/// tagged `v1`.
class repository {
public:
  explicit repository(const std::string& folder);

  std::string url() const { return "file://" + folder_; }
  std::string commit(const std::string& name) const;

private:
  std::string folder_;
};

class workspace_world : public sandbox_world {
public:
  /// An order for an agent in that workspace.
  launch_order order_in(const workspace_spec& spec,
                        const std::string& shell_text,
                        const std::string& instance = {});

  /// Launches it and requires that this call did.
  launch_order start_in(const workspace_spec& spec,
                        const std::string& shell_text,
                        const std::string& instance = {});
  void launch(const launch_order& x);

  /// The error the run ends with.
  run_error failure_of(const launch_order& x);

  /// The shared workspace of that key.
  std::string instance(const std::string& key);

  std::string stderr_of(const launch_order& x) const;
  std::string setup_output_of(const launch_order& x) const;

  /// True when some file below holds it.
  static bool holds(const std::string& folder, const std::string& text);
  /// True when the command line of some process does.
  static bool is_on_a_command_line(const std::string& text);
};

} // namespace baton::sandbox::test
