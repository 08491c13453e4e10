// SPDX-License-Identifier: MIT
// A place in a journal, and the way from there to the next lines.
//
// Guarantees: the lines of consecutive reads concatenate to the journal's
// bytes, each once (I3); bytes behind the agent's own end (a marker, the LF
// before it) never become lines; a journal that shrank or whose bytes before
// the place changed is noticed at the next read.
// Requires: nothing of the journal before the place: resuming costs the same
// anywhere.
// Threads: not thread-safe; owned by one follower. Holds no buffer between
// reads, so that an idle run costs almost nothing.
// Failure: errc::journal_damaged, or what the source says; the place stays.
#pragma once

#include "actors/sandbox/provider.hpp"
#include "messages/entry.hpp"
#include "messages/exit_marker.hpp"
#include "messages/line_framing.hpp"
#include "messages/result.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace baton::journal {

struct cursor_start {
  position at;
  bool inside_line = false;
  /// What stands directly before `at`, as far as it is known.
  std::string tail;
};

/// What is known of the agent's end.
struct output_end {
  /// Where its output ends, once it reported that.
  std::optional<position> at;
  /// It ended without a report: what stands in the journal is all there is.
  bool writer_gone = false;
};

/// What one read found.
struct lines_found {
  position begin;
  line_batch lines;
  /// The agent's output is known to end, and the place has reached its end.
  bool reached_end = false;
};

class journal_cursor {
public:
  /// How many bytes before the place are compared at each read.
  static constexpr std::size_t tail_bytes_max = 64;

  journal_cursor(std::unique_ptr<sandbox::journal_source> source,
                 cursor_start start, framing_limits limits,
                 std::vector<std::string> nonce_hashes);

  /// The next lines, about `bytes_max` bytes of them or one long line; none
  /// when there is nothing complete. `ask_end` is called after the bytes were
  /// read, so that an end it reports holds for them.
  result<lines_found> next(std::size_t bytes_max,
                           const std::function<output_end()>& ask_end);

  position at() const noexcept { return at_; }

  /// Of the journal, now.
  result<position> size() { return source_->size(); }

  /// The end as the marker in the journal told it, once it was read.
  const std::optional<exit_mark>& marker() const noexcept { return marker_; }

private:
  /// Bytes behind the place, in a buffer that nobody zeroed for nothing.
  struct window {
    std::unique_ptr<char[]> buffer;
    std::string_view bytes;
  };

  result<window> read_window(std::size_t bytes_max);
  std::optional<position> end_for(std::string_view bytes, std::size_t bytes_max,
                                  const output_end& asked) const;
  status check_tail(std::string_view found) const;
  void advance(const line_batch& lines);
  void look_for_marker(const line_batch& lines);
  status look_behind(std::string_view rest, position at);

  std::unique_ptr<sandbox::journal_source> source_;
  position at_;
  framing_state framing_;
  framing_limits limits_;
  std::vector<std::string> nonce_hashes_;
  std::string tail_;
  std::optional<exit_mark> marker_;
  bool writer_gone_ = false;
  bool end_is_told_ = false;
};

} // namespace baton::journal
