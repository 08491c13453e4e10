// SPDX-License-Identifier: MIT
// A provider on a root of its own, and what tests of real agents need: orders,
// waiting for what can be observed, looking at files and processes.
#pragma once

#include "actors/sandbox/provider.hpp"

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace baton::sandbox::test {

/// A folder that goes with its owner.
class temporary_folder {
public:
  temporary_folder();
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& leaf) const {
    return path_ + "/" + leaf;
  }

private:
  std::string path_;
};

/// True as soon as `condition` holds; false when it does not within the time.
bool eventually(const std::function<bool()>& condition, int within_ms = 10'000);

/// Empty when there is no such file.
std::string content_of(const std::string& path);

std::size_t count_of(const std::string& text, const std::string& part);

/// True unless the process is gone or a zombie.
bool is_running(pid_t pid);

/// The number in that file, once it is there and ends with a newline.
pid_t pid_in(const std::string& path);

/// Milliseconds of a monotonic clock.
std::int64_t now_ms();

class sandbox_world {
public:
  using maker =
    std::function<result<std::unique_ptr<provider>>(const std::string& root)>;

  /// With the local provider.
  sandbox_world();
  explicit sandbox_world(maker make);
  /// Kills what tests left.
  ~sandbox_world();

  /// The provider under test; a second one stands for another node.
  provider& here() { return *here_; }
  std::unique_ptr<provider> another() const;

  /// An order for a fresh run of a shell text.
  launch_order order(const std::string& shell_text);

  /// Launches it and requires that this call did.
  launch_order start(const std::string& shell_text);

  agent_state state_of(const launch_order& x);
  bool reaches(const launch_order& x, agent_state wanted,
               int within_ms = 10'000);
  /// Waits for the end and gives the report.
  exit_report end_of(const launch_order& x, int within_ms = 10'000);
  std::string journal_of(const launch_order& x) const;
  /// The agent's bytes alone.
  std::string output_of(const launch_order& x);
  /// The shim's pid, from the kernel.
  pid_t shim_of(const launch_order& x) const;

  /// Outside of every sandbox.
  const temporary_folder& outside() const { return outside_; }
  const std::string& root() const { return root_; }

private:
  temporary_folder outside_;
  std::string root_;
  maker make_;
  std::unique_ptr<provider> here_;
  std::vector<launch_order> orders_;
};

} // namespace baton::sandbox::test
