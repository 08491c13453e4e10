// SPDX-License-Identifier: MIT
// What comes before the agent: its workspace is brought in and set up, or a
// shared one is entered.
//
// Guarantees:
// - a shared workspace is made by one shim at a time, and never used before it
//   is whole; while this object lives nobody removes it;
// - what failed, was killed or took too long leaves no process, and of a shared
//   workspace no file;
// - values of secrets stand in environments only: in no command line, file or
//   message of ours.
// Requires: the launch guard is taken.
#pragma once

#include "actors/sandbox/launch_format.hpp"
#include "actors/sandbox/shared_instance.hpp"
#include "apps/baton_shim/agent_process.hpp"
#include "apps/baton_shim/sandbox_files.hpp"
#include "apps/baton_shim/setup_watch.hpp"

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace baton::shim {

enum class prepared : unsigned char { ready, killed, failed };

class preparation {
public:
  preparation(const sandbox::shim_order& order, sandbox_files& files,
              mode_t umask_of_agent);

  prepared run();

  /// Of a failure: its code's name, and words for the user.
  const std::string& cause() const { return cause_; }
  const std::string& error() const { return error_; }

  /// Where the agent starts, and its whole environment.
  const std::string& work() const { return work_; }
  std::vector<std::string> environment() const;

  /// What must not be shown of what was said.
  const std::vector<std::string>& secrets() const { return secrets_; }

private:
  struct child {
    std::vector<std::string> argv;
    std::vector<std::string> environment;
    agent_files files;
  };

  prepared enter(const sandbox::instance_place& place);
  prepared make_instance(const sandbox::instance_place& place);
  prepared make();
  prepared bring_in(setup_watch& watch);
  prepared set_up(setup_watch& watch);
  prepared stopped(setup_watch& watch, child_end how, const char* cause,
                   const std::string& what);
  prepared fail(const char* cause, const std::string& error);

  std::vector<std::vector<std::string>> steps() const;
  std::string name_of_step(const std::vector<std::vector<std::string>>& all,
                           std::size_t step, std::size_t command) const;
  /// The end of what it printed; the set-up's output begins at `offset`.
  std::string said_by(std::size_t step, std::size_t steps,
                      std::int64_t offset) const;
  agent_start start(const child& what);
  /// The workspace as set-up and agent see it.
  std::string work_inside() const;

  const sandbox::shim_order& order_;
  const sandbox::workspace_order& wanted_;
  sandbox_files& files_;
  mode_t umask_of_agent_;
  std::vector<std::string> secrets_;
  sandbox::instance_lock lock_;
  std::string work_;
  std::string cause_;
  std::string error_;
};

} // namespace baton::shim
