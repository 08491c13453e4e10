// SPDX-License-Identifier: MIT
// What baton asks of a sandbox that it reaches only through a shell, as
// command lines for `sh -c`, and how it reads the answers.
//
// Guarantees: POSIX shell and utilities plus base64 and stat, as BusyBox has
// them; every path is quoted; nothing of ours goes to stderr, so a provider
// that folds it into stdout cannot splice it into bytes; each answer has an
// end, so one that was cut, or whose mechanism is missing, is an error and
// never an empty answer (B5, B6, B7).
// Requires: paths without NUL.
// Threads: pure functions.
#pragma once

#include "messages/exit_marker.hpp"
#include "messages/ids.hpp"
#include "messages/result.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace baton {

/// One word of a command line, whatever its bytes.
std::string shell_quoted(std::string_view word);

// -- commands -----------------------------------------------------------------

/// Prints the journal from `from` on, raw, and goes on as it grows, until
/// killed: the process is `tail` itself, behind no filter. Makes directory and
/// file if need be.
std::string follow_command(std::string_view path, position from);

/// -> read_answer. Costs the bytes asked for, wherever they are.
std::string read_command(std::string_view path, position from,
                         std::uint32_t bytes_max);

/// -> exists_answer.
std::string exists_command(std::string_view path);

/// -> list_answer.
std::string list_command(std::string_view directory);

/// -> mtimes_answer.
std::string mtimes_command(std::string_view directory);

/// The last 4 KiB of a journal -> exit_answer, or of stderr -> tail_answer.
std::string tail_command(std::string_view path);

/// Removes these files; one that is not there is removed -> cleanup_answer.
std::string cleanup_command(std::span<const std::string> paths);

// -- answers
// ------------------------------------------------------------------- Each
// takes the whole stdout. errc::malformed: the answer is cut, or the sandbox
// lacks the mechanism; it says nothing about files.

/// The bytes from `from` on; the numbers are those of the command. Absent: no
/// such file.
result<std::optional<std::string>>
read_answer(std::string_view output, position from, std::uint32_t bytes_max);

result<bool> exists_answer(std::string_view output);

/// Names without `.` and `..`; names with a newline, which no file of ours
/// has, are left out.
result<std::vector<std::string>> list_answer(std::string_view output);

struct file_age {
  std::string name;
  /// Seconds since 1970.
  std::int64_t mtime_s = 0;

  bool operator==(const file_age&) const = default;
};

/// As list_answer. The directory itself is the witness that ages can be told:
/// without it the answer is malformed, not empty (B6).
result<std::vector<file_age>> mtimes_answer(std::string_view output);

/// Absent: no such file.
result<std::optional<std::string>> tail_answer(std::string_view output);

/// The mark in the tail of a journal. Absent: the agent still produces, or
/// there is no journal.
result<std::optional<exit_mark>>
exit_answer(std::string_view output, std::span<const std::string> nonce_hashes);

status cleanup_answer(std::string_view output);

} // namespace baton
