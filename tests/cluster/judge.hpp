// SPDX-License-Identifier: MIT
// What must hold for a run of a cluster, whatever happened to its nodes.
#pragma once

#include "tests/cluster/cluster.hpp"
#include "tests/cluster/watcher.hpp"

#include <string>
#include <vector>

namespace baton::test {

/// I1 to I5, I7 and I8 for a counter that has ended by itself: from its log
/// at each living node, from its claims, from what viewers got, and from the
/// outside of its sandbox. `count` < 0: any number of lines.
void judge(cluster& c, const std::string& run, std::int64_t count,
           const std::vector<const watcher*>& viewers = {});

/// What a counter's log must be by its claims alone: I1, I6, and its lines.
void judge_log(const std::vector<log_entry>& entries,
               const std::vector<claim>& claims, std::int64_t count);

/// The cause of the run's newest claim.
std::string last_cause(const daemon& d, std::string_view run);

} // namespace baton::test
