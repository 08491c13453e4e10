// SPDX-License-Identifier: MIT
// Staying with the agent: collects every process that ends, hears the control
// pipe, and ends the tree when it is time (ending_plan.hpp).
//
// Requires: made before the agent is started, so that no signal is missed and
// every orphan of the tree comes to us.
#pragma once

#include "actors/sandbox/ending_plan.hpp"
#include "actors/sandbox/exit_record.hpp"
#include "actors/sandbox/unique_fd.hpp"
#include "apps/baton_shim/agent_process.hpp"
#include "apps/baton_shim/sandbox_files.hpp"

#include <sys/types.h>

#include <optional>

namespace baton::shim {

class agent_watch {
public:
  /// `confined`: the agent will be.
  agent_watch(sandbox_files& files, bool confined);

  /// Returns when nobody of the tree is left, or, with `keep`, when the main
  /// process has ended by itself. The record lacks only the journal's end.
  sandbox::exit_record until_end(agent_start& start, bool keep);

private:
  /// False when no child is left.
  bool collect(agent_start& start);
  void hear(inner_reports& reports);
  void wait(int reports);
  void end_tree();
  void force(pid_t self);

  sandbox_files& files_;
  sandbox::unique_fd signals_;
  bool confined_;
  sandbox::ending_plan plan_;
  /// How often the confinements were told to end.
  int confined_rounds_ = 0;
  std::optional<int> main_status_;
  bool kill_requested_ = false;
};

} // namespace baton::shim
