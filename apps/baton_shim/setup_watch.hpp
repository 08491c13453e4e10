// SPDX-License-Identifier: MIT
// Staying with what prepares a workspace: hears the control pipe, and ends the
// tree at once when somebody asks for it or the time is over.
//
// Requires: the signals are blocked and this process adopts orphans, which
// agent_watch sees to.
#pragma once

#include "actors/sandbox/unique_fd.hpp"
#include "apps/baton_shim/sandbox_files.hpp"

#include <sys/types.h>

#include <cstdint>

namespace baton::shim {

enum class child_end : unsigned char { ended, killed, late };

struct child_report {
  child_end how = child_end::ended;
  /// Of a child that ended by itself; 128+n after signal n.
  int code = 0;
};

class setup_watch {
public:
  /// `give_up_at_ms`: of the monotonic clock.
  setup_watch(sandbox_files& files, std::int64_t give_up_at_ms);

  /// Returns when that child has ended, or must not go on. What it started may
  /// live on. 0 is a child that could not be made.
  child_report until_child_ends(pid_t child);

  /// Waits a little. Anything but `ended` says that it is time to stop.
  child_end pause(int ms);

  /// Nobody of the tree is left afterwards.
  void kill_all();

private:
  bool is_killed();
  void wait(std::int64_t ms);

  sandbox_files& files_;
  std::int64_t give_up_at_ms_;
  sandbox::unique_fd signals_;
  bool killed_ = false;
};

} // namespace baton::shim
