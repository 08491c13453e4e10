// SPDX-License-Identifier: MIT
// Records and entries as a person reads them.
// Threads: pure functions.
#pragma once

#include "apps/baton/table.hpp"
#include "messages/wall_time.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <string>
#include <string_view>

namespace baton::cli {

tint tint_of_status(std::string_view status);

/// `5s`, `12m`, `3h`, `9d`: how long ago.
std::string age_text(std::chrono::milliseconds age);

/// The age of an RFC 3339 time, `-` when it is none.
std::string age_since(const std::string& time, wall_time now);

/// The calendar now; for ages only.
wall_time now_for_people();

/// A record's command as one would type it.
std::string command_text(const boost::json::object& record);

/// The run has a workspace, a node, and nothing to show yet: it is being set
/// up, or its agent is silent. From outside the two look the same.
bool may_be_in_set_up(const boost::json::object& record);

/// Where a record's workspace comes from: `git:URL#REF`, `path:DIR`, `none`.
std::string source_text(const boost::json::object& workspace);

/// How a finished run ended: `completed`, `failed: exit code 3 (MESSAGE)`.
std::string end_text(const boost::json::object& record);

struct entry_style {
  terminal term;
  /// Longer JSON lines are cut to what fits in two lines of the terminal.
  bool is_cut = true;
};

/// One entry's JSON text as one line: seq, time, kind, what was said.
std::string render_entry(std::string_view entry, const entry_style& style);

/// For people: the log does not begin with entry 1 any more.
std::string trimmed_text(const std::string& run, std::uint64_t trimmed);

} // namespace baton::cli
