// SPDX-License-Identifier: MIT
// Picks, among the runs that have not ended, what a reader asks for.
// Threads: pure functions.
#pragma once

#include "messages/claim_messages.hpp"

#include <optional>
#include <vector>

namespace baton::coordinator {

/// The running run of the thread that started last (A5). `live` is in creation
/// order, which decides among equals.
std::optional<run_view> active_run(std::vector<run_view> live,
                                   const thread_id& thread);

/// The page that `x` asks for of these runs.
run_page live_page(std::vector<run_view> live, const list_runs& x);

} // namespace baton::coordinator
