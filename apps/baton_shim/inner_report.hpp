// SPDX-License-Identifier: MIT
// What the shim inside a confinement tells the one outside, as lines through a
// pipe:
//
//   started               the command is being executed
//   failed CODE TEXT      it could not be; CODE as a shell would exit
//   ended STATUS          its main process has, with waitpid's status
//
// Guarantees: the agent has no way to that pipe, so nothing else speaks there.
// Threads: value types.
#pragma once

#include "actors/sandbox/unique_fd.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace baton::shim {

struct inner_report {
  enum class what : unsigned char { started, failed, ended };
  what kind = what::started;
  /// An exit code when `failed`, a status when `ended`.
  int value = 0;
  std::string text;

  bool operator==(const inner_report&) const = default;
};

/// One line, with its newline. Newlines of the text become spaces.
std::string encode(const inner_report& report);

/// `line` without its newline.
std::optional<inner_report> decode_inner_report(std::string_view line);

/// The outer end.
class inner_reports {
public:
  inner_reports() = default;
  /// Takes the pipe's end, which must not block.
  explicit inner_reports(sandbox::unique_fd pipe) : pipe_(std::move(pipe)) {}

  /// Readable when something came; -1 when nothing can come any more.
  int fd() const { return pipe_.get(); }

  /// The next one that has come.
  std::optional<inner_report> next();

private:
  sandbox::unique_fd pipe_;
  std::string bytes_;
};

} // namespace baton::shim
