// SPDX-License-Identifier: MIT
// What the demo agent prints, piece by piece, and how long it seems to think
// before each: our own story in the shape of a coding agent's stream, or any
// recorded file.
// Guarantees: the same arguments give the same bytes; nothing here waits.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace baton::demo {

struct utterance {
  std::chrono::milliseconds pause_before{0};
  /// Usually a line with its newline.
  std::string bytes;
};

using script = std::vector<utterance>;

/// The length at which the story is told without cuts or padding.
constexpr std::size_t story_lines_default = 43;
constexpr std::size_t story_lines_min = 3;

/// How a small repository's failing test gets fixed, in exactly `lines` lines
/// (never fewer than story_lines_min): the first says who runs, the last how it
/// ended and what it took. A longer story goes on with checks of the repair.
script story(std::size_t lines);

/// `recording` cut after each newline; concatenated it is `recording` again.
/// Pauses grow with the lines and add up to at most `length_max`.
script replay(std::string_view recording, std::chrono::milliseconds length_max);

} // namespace baton::demo
