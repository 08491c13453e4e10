// SPDX-License-Identifier: MIT
// The exit record a shim leaves in its sandbox: text in a block whose space
// was reserved before the launch, zeros until the agent has ended.
//
//   baton-exit 1
//   nonce HEX            proves that the run's own shim wrote it
//   code 143
//   signal 15
//   journal_end 8192
//   cause NAME           only of an error that came before the command
//   error TEXT           only when the command could not be executed
//   sum 16 HEX DIGITS    FNV-1a, 64 bit, of everything before this line
//
// Guarantees: a record that was torn by a power failure does not parse.
// Threads: value type. Needs nothing but the standard library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace baton::sandbox {

/// Size of the reserved block: one page, one file system block.
constexpr std::size_t exit_record_bytes = 4096;

struct exit_record {
  /// 128+n after signal n.
  int code = 0;
  std::optional<int> signal;
  /// Bytes of agent output in the journal.
  std::uint64_t journal_end = 0;
  /// Why the command could not be executed; empty when it was.
  std::string launch_error;
  /// The run's secret, written only now that the agent has ended.
  std::string nonce;
  /// The error's code when it is not `launch_failed`: the command was not
  /// tried. At most some letters.
  std::string cause;

  bool operator==(const exit_record&) const = default;
};

/// The whole block, padded with zeros. An error text that does not fit is cut.
std::string encode(const exit_record& record);

/// Nothing for zeros, foreign text or a wrong sum.
std::optional<exit_record> decode_exit_record(std::string_view block);

/// The marker that follows the agent's output in its journal. `last_byte` is
/// the agent's last one, nothing when it printed nothing: the marker always
/// stands on a line of its own.
std::string exit_marker_line(const exit_record& record, std::string_view nonce,
                             std::optional<char> last_byte);

} // namespace baton::sandbox
