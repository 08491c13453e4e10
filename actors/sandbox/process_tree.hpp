// SPDX-License-Identifier: MIT
// Process trees through /proc: who descends from whom, and the death of all.
//
// Guarantees: kill_descendants beats processes that fork while they are being
// killed: it stops all it finds until it finds nothing new, then kills.
// Threads: any. Needs nothing but the standard library.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace baton::sandbox {

/// Milliseconds of the kernel's monotonic clock.
std::int64_t monotonic_ms();

/// True when a signal stopped it (or a debugger holds it).
bool is_stopped(pid_t pid);

/// The processes whose parent it is, as of now.
std::vector<pid_t> children_of(pid_t pid);

/// Everything that descends from `root`, which is not included. A snapshot of
/// a moving thing: forks under way may be missed.
std::vector<pid_t> descendants_of(pid_t root);

/// Sends `signal` to everything that descends from `root`.
void signal_descendants(pid_t root, int signal);

/// Stops, then kills what descends from `root`. Returns how many living
/// processes it met; the caller repeats until there are none.
std::size_t kill_descendants(pid_t root);

/// Processes whose environment at their start had this `NAME=value`, as far as
/// we may look.
std::vector<pid_t> processes_with_variable(std::string_view assignment);

/// Stops, then kills those processes and their descendants. Returns how many
/// living ones it met.
std::size_t kill_processes_with_variable(std::string_view assignment);

} // namespace baton::sandbox
