// SPDX-License-Identifier: MIT
// What an agent finds in its environment.
//
// From the launching process only what a program needs to find its way: PATH,
// HOME, USER, LOGNAME, SHELL, LANG, LANGUAGE, LC_*, TERM, COLORTERM, TZ and
// TMPDIR. Nothing else, since a daemon's environment may hold its secrets.
// Then what the order names, which wins, then BATON_SANDBOX, which wins always.
// Threads: value types.
#pragma once

#include "messages/result.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace baton::sandbox {

/// PATH of an agent whose launcher has none.
constexpr std::string_view default_path =
  "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The environment of this process.
std::map<std::string, std::string> own_environment();

bool is_inherited(std::string_view name);

/// `NAME=value` each. Fails on names and values no environment can hold.
result<std::vector<std::string>>
agent_environment(const std::map<std::string, std::string>& launcher,
                  const std::map<std::string, std::string>& ordered,
                  const std::string& sandbox_directory);

} // namespace baton::sandbox
