// SPDX-License-Identifier: MIT
// What a shim is told of a run's workspace.
// Threads: any; reads the files of secrets.
// Failure: errc::workspace_failed when a secret cannot be had on this node.
#pragma once

#include "actors/sandbox/launch_format.hpp"
#include "actors/sandbox/provider.hpp"
#include "messages/result.hpp"

#include <map>
#include <optional>
#include <string>

namespace baton::sandbox {

/// Nothing when there is nothing to prepare. `own`: the environment of this
/// process.
result<std::optional<workspace_order>>
workspace_for_shim(const launch_order& order,
                   const std::map<std::string, std::string>& own);

} // namespace baton::sandbox
