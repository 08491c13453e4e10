// SPDX-License-Identifier: MIT
// The values of a workspace's secrets, looked up on the node that launches.
//
// Guarantees: no message holds a value.
// Threads: any; reads files.
// Failure: errc::workspace_failed, naming the secret and where it was sought.
#pragma once

#include "messages/result.hpp"
#include "messages/workspace.hpp"

#include <map>
#include <string>
#include <vector>

namespace baton::sandbox {

/// `NAME=value` each. One newline at the end of a file is not part of the
/// value. `own`: the environment of this process.
result<std::vector<std::string>>
secret_values(const std::map<std::string, secret_reference>& secrets,
              const std::map<std::string, std::string>& own);

} // namespace baton::sandbox
