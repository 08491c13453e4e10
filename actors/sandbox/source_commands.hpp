// SPDX-License-Identifier: MIT
// How a workspace's source is brought in, as command lines.
//
// Guarantees: git runs no hook, template, helper or configuration of the host,
// asks nobody, and speaks nothing but https, ssh and file. Copies keep links as
// links.
// Threads: pure functions. Needs nothing but the standard library.
#pragma once

#include "actors/sandbox/launch_format.hpp"

#include <string>
#include <vector>

namespace baton::sandbox {

/// One after another; none for an empty folder. `work` is an empty folder.
std::vector<std::vector<std::string>>
source_commands(const workspace_order& order, const std::string& work);

/// Their environment: of the agent's only what leads to programs, the network
/// and the keys of ssh.
std::vector<std::string>
source_environment(const std::vector<std::string>& agent);

/// What is brought in, for messages: without what may be a password.
std::string source_name(const workspace_order& order);

/// `set`, with each `NAME=value` of `more` in place of what has that name.
std::vector<std::string> with_variables(std::vector<std::string> set,
                                        const std::vector<std::string>& more);

/// With `folder` in front of PATH.
std::vector<std::string> with_path(std::vector<std::string> set,
                                   const std::string& folder);

} // namespace baton::sandbox
