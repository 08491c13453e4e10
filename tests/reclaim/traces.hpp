// SPDX-License-Identifier: MIT
// What runs leave behind: processes, folders, locks, records, debts.
#pragma once

#include "tests/cluster/cluster.hpp"

#include <string>
#include <vector>

namespace baton::test {

/// Of the sandboxes under the node's data directory, those that are shared
/// included; without guards.
std::vector<std::string> sandboxes_on(const daemon& d);
std::vector<std::string> guards_on(const daemon& d);

/// As the node tells them; nothing while it cannot.
std::optional<json::array> sandboxes_told(const daemon& d);

/// Empty, or what is left anywhere: a process, a folder, a debt, a run that
/// goes on.
std::string left_behind(cluster& c);

} // namespace baton::test
