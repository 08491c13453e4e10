// SPDX-License-Identifier: MIT
// baton-shim --inside: the first process of a confined agent's namespace. Takes
// command and directory as a launch order from a descriptor, starts the agent,
// collects what ends in there, and tells the shim outside (inner_report.hpp).
//
// It exists because bubblewrap's own first process folds "exit 143" and "killed
// by signal 15" into one number, and "no such command" into another.
//
// Guarantees: the agent cannot end, stop or look into it, since it is process 1
// of a namespace that the agent is in, and not dumpable.
#pragma once

namespace baton::shim {

/// Descriptors it is started with, beside the agent's stdin and stdout on 0
/// and 1; bubblewrap's complaints go to 2.
constexpr int inner_stderr_fd = 3;
constexpr int inner_report_fd = 4;
constexpr int inner_order_fd = 5;

/// What main() does for confined_shim_option; returns when the namespace is
/// empty.
int run_inner_shim();

} // namespace baton::shim
