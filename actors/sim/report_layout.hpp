// SPDX-License-Identifier: MIT
// Where everything of a recorded story stands in its picture: lanes are
// columns in the order in which data flows, time runs down, quiet stretches
// are folded, and runs of like events become one mark.
// Guarantees: a function of the trace alone; marks are in time order and no
// two of one lane overlap; never more than marks_max marks.
// Threads: value types.
#pragma once

#include "actors/sim/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace baton::sim {

/// Events that decide what becomes of a run. They are never merged, never
/// folded away, and listed in words below the picture.
bool is_key(event_kind kind) noexcept;

/// One event, or several of one kind, lane, run and epoch.
struct report_mark {
  /// Of the trace.
  std::size_t first_event = 0;
  std::size_t last_event = 0;
  std::size_t events = 1;
  event_kind kind = event_kind::note;
  /// Of the trace.
  std::size_t lane = 0;
  std::optional<std::size_t> run;
  std::uint64_t epoch = 0;
  std::uint64_t seq_first = 0;
  std::uint64_t seq_last = 0;
  std::int64_t from_us = 0;
  std::int64_t until_us = 0;
  int x = 0;
  int y = 0;
};

/// A message: from the mark of what caused it to the mark of its arrival.
struct report_link {
  std::size_t from = 0;
  std::size_t to = 0;
  bool is_lost = false;
};

/// A claim for as long as it is the run's, and, `stale`, for as long as its
/// holder has not learned that it no longer is.
struct report_bar {
  std::size_t run = 0;
  std::uint64_t epoch = 0;
  bool stale = false;
  int x = 0;
  int y_from = 0;
  int y_to = 0;
};

/// A lane between a fault and its healing.
struct report_band {
  int x = 0;
  int y_from = 0;
  int y_to = 0;
  /// Dead, paused or out of reach; otherwise slow, wrong in its clocks or in a
  /// storm, and at work.
  bool is_away = true;
};

/// A moment on the time axis, or a stretch that was folded.
struct report_tick {
  int y = 0;
  std::int64_t at_us = 0;
  bool is_fold = false;
};

struct report_column {
  /// Of the trace.
  std::size_t lane = 0;
  int x = 0;
};

struct report_layout {
  std::vector<report_column> columns;
  std::vector<std::string> runs;
  std::vector<report_mark> marks;
  std::vector<report_link> links;
  std::vector<report_bar> bars;
  std::vector<report_band> bands;
  std::vector<report_tick> ticks;
  /// Events before the first mark, when the story was too long.
  std::size_t left_out = 0;
  int column_width = 0;
  int width = 0;
  int height = 0;
};

inline constexpr int report_axis_width = 76;
/// From the edge of a column to its line: what stands left of the line is who
/// holds which run.
inline constexpr int report_line_offset = 30;

struct layout_limits {
  /// Like events are merged ever more until so few marks are left.
  std::size_t marks_wanted = 250;
  /// Then the oldest are left out. A mark takes about 1 KiB of the page.
  std::size_t marks_max = 1'500;
};

report_layout lay_out(const trace& story, const layout_limits& limits = {});

} // namespace baton::sim
