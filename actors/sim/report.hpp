// SPDX-License-Identifier: MIT
// The picture of a simulated story: one page that needs nothing but itself, a
// space-time diagram with lanes as columns and time running down.
// Guarantees: a function of its arguments; well-formed as XML; nothing in it
// that came from an agent is markup; no network, by its own policy; at most
// report_bytes_max long.
// Threads: a pure function.
#pragma once

#include "actors/sim/trace.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace baton::sim {

/// What stands above the picture.
struct report_head {
  std::uint64_t seed = 0;
  /// What was drawn from the seed, or asked for.
  std::vector<std::pair<std::string, std::string>> options;
  /// Replays the story.
  std::string command;
  /// "I3: expected, found"; empty when nothing broke.
  std::string violation;
  /// Its own name on the command line.
  std::string program = "baton-sim";
  /// It was cut before its end, which was not judged.
  bool is_cut = false;
  /// "2 of its 14 faults": what is left of the seed's whole story, which the
  /// replay runs first. Empty: this is it.
  std::string reduced = {};
  /// The trace hash of that other story.
  std::uint64_t whole_hash = 0;
};

/// 1,500 marks, each with its sentence and at most two messages, and some
/// 500 lines of story, escaped.
inline constexpr std::size_t report_bytes_max = 4 << 20;

std::string html_report(const trace& story, const report_head& head);

} // namespace baton::sim
