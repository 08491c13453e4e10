// SPDX-License-Identifier: MIT
// The line a shim appends to the journal when its agent has ended:
//
//   {"baton_exit":{"code":137,"signal":9,"journal_end":4711,"nonce":"5f.."}}
//
// `signal` is there only after a signal. When the agent's output does not end
// with LF, the shim writes one first, in the same write; `journal_end` counts
// the agent's bytes and so tells that the LF is not the agent's (B4b).
//
// Guarantees: an agent cannot write a marker of its own run, for it never sees
// the nonce. We store only hashes of nonces, so reading our store does not
// help either. Anything else that looks like a marker is an ordinary line.
// Threads: value types and pure functions.
#pragma once

#include "messages/ids.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace baton {

struct exit_mark {
  /// 0 to 255; 128+n after signal n.
  int code = 0;
  std::optional<int> signal;
  /// Bytes of agent output in the journal.
  position journal_end;

  bool operator==(const exit_mark&) const = default;
};

/// The line, with its LF. Requires: a nonce of 1 to 128 hex digits.
std::string write_exit_marker(const exit_mark& mark, std::string_view nonce);

/// What a run record keeps of a nonce: SHA-256 over its hex digits.
std::string hash_of_nonce(std::string_view nonce);

/// True for what could be a marker: cheap, for every line of a journal.
inline bool looks_like_exit_marker(std::string_view line) noexcept {
  return line.starts_with("{\"baton_exit\":");
}

/// The mark, if `line` (with or without its LF) is byte for byte what
/// write_exit_marker gives for a nonce with one of these hashes.
std::optional<exit_mark>
recognise_exit_marker(std::string_view line,
                      std::span<const std::string> nonce_hashes);

/// True when a marker that begins at `begin` agrees with its own journal_end.
inline bool stands_in_place(const exit_mark& mark, position begin) noexcept {
  return begin.value == mark.journal_end.value
         || begin.value == mark.journal_end.value + 1;
}

struct exit_mark_found {
  exit_mark mark;
  /// Where its line begins in the window.
  std::size_t offset = 0;
};

/// The last marker among the complete lines of `window`, which may begin in
/// the middle of a line.
std::optional<exit_mark_found>
find_exit_marker(std::string_view window,
                 std::span<const std::string> nonce_hashes);

} // namespace baton
