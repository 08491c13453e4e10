// SPDX-License-Identifier: MIT
// Journal bytes to lines: pure, and on windows of the journal, so that a
// follower holds no bytes while nothing happens and can resume anywhere.
//
// Guarantees: the cut depends on the bytes alone, never on how they were
// split into windows; the lines of consecutive calls concatenate to the
// journal (I3). A line is what ends in LF; all other bytes (CR, NUL, broken
// UTF-8) are content. A line whose content is at most `line_bytes_max` is one
// entry. A longer one becomes fragments: pieces of exactly `line_bytes_max`,
// the last one with the LF.
// Threads: value types.
#pragma once

#include "messages/entry.hpp"

#include <cstddef>
#include <limits>
#include <string_view>

namespace baton {

struct framing_limits {
  /// Content bytes of a line, its LF not counted. 1 to 1 GiB.
  std::size_t line_bytes_max = std::size_t{1} << 20;
  /// Lines a call may add: bounds the batch where lines are short.
  std::size_t lines_max = std::numeric_limits<std::size_t>::max();
};

/// Where a cut stands. The window of the next call begins at the byte behind
/// the last one consumed; a state that is all but `inside_line` forgotten is
/// still right.
struct framing_state {
  /// The last piece was a fragment whose line goes on.
  bool inside_line = false;
  /// First bytes of the next window that are known to hold no LF: keeps a long
  /// line that arrives in drops from being searched from its start each time.
  std::size_t searched = 0;
};

/// Adds the complete lines and fragments of `window` to `out`; returns how
/// many bytes of it they are. 0 means: come back with a longer window (one of
/// more than `line_bytes_max` bytes always yields).
std::size_t frame_lines(std::string_view window, framing_state& state,
                        const framing_limits& limits, line_batch& out);

/// The same for a window that reaches to the end of the agent's output, after
/// the agent has ended: what follows the last LF is a line too. Call until it
/// returns the size of the window.
std::size_t frame_last_lines(std::string_view window, framing_state& state,
                             const framing_limits& limits, line_batch& out);

} // namespace baton
