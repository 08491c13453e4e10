// SPDX-License-Identifier: MIT
// Writing to a pipe whose reader may be gone, in a process of which nothing is
// known: SIGPIPE would end one that does not ignore it.
// Guarantees: raises no SIGPIPE and leaves none behind; the process's and the
// thread's way with that signal stay as they were.
// Threads: any.
#pragma once

#include <string_view>

#include <sys/types.h>

namespace baton::sandbox {

/// As write(2): a reader who is gone is EPIPE.
ssize_t write_to_pipe(int fd, std::string_view bytes) noexcept;

} // namespace baton::sandbox
