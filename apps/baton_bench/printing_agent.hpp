// SPDX-License-Identifier: MIT
// The agent of the takeover figures: some lines at once, then one at a time.
// Guarantees: ends soon after the benchmark that it belongs to.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace baton::bench {

/// The first argument by which baton-bench knows that it is to be the agent.
constexpr const char* agent_word = "print-lines";

/// The command of a run.
std::vector<std::string> printing_agent(std::uint64_t lines_at_once,
                                        std::chrono::microseconds interval);

/// argv[0] is agent_word.
int be_printing_agent(int argc, char** argv);

} // namespace baton::bench
