// SPDX-License-Identifier: MIT
// Starting an agent behind bubblewrap: the process made here is bubblewrap's
// own, outside of the confinement; the agent's parent is the shim inside.
//
// Guarantees: what bubblewrap complains of reaches neither journal nor stderr
// of the agent, but the error.
#pragma once

#include "apps/baton_shim/agent_process.hpp"

namespace baton::shim {

/// As start_agent(), for an order with a prefix. `cwd` as the agent sees it.
agent_start start_confined_agent(const sandbox::shim_order& order,
                                 const std::string& cwd, mode_t umask_of_agent,
                                 const agent_files& files);

} // namespace baton::shim
