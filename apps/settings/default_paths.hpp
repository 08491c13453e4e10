// SPDX-License-Identifier: MIT
// Where a node keeps its data and its socket when nobody says otherwise. The
// daemon and the CLI share these rules: that is how they find each other.
// Threads: pure functions of the environment they are given.
#pragma once

#include "messages/result.hpp"

#include <map>
#include <string>

namespace baton {

using env_variables = std::map<std::string, std::string>;

/// The value, or "" when it is not set.
std::string value_of(const env_variables& env, const std::string& name);

/// `$XDG_DATA_HOME/baton`, else `~/.local/share/baton`. A relative XDG path
/// counts as unset, as its specification demands. errc::malformed without any.
result<std::string> default_data_dir(const env_variables& env);

/// `$XDG_RUNTIME_DIR/baton/batond.sock`, else under the data directory. A data
/// directory of one's own has its own socket, so that nodes on one machine do
/// not fight over one.
std::string default_socket(const env_variables& env,
                           const std::string& data_dir);

/// The two paths as `BATON_DATA_DIR` and `BATON_SOCKET` or the defaults have
/// them.
struct local_paths {
  std::string data_dir;
  std::string socket;
};
result<local_paths> find_local_paths(const env_variables& env);

} // namespace baton
