// SPDX-License-Identifier: MIT
#include "actors/journal/journal_cursor.hpp"

#include <utility>

namespace baton::journal {
namespace {

/// As in exit_marker.cpp, and the LF.
constexpr std::size_t marker_bytes_max = 257;

} // namespace

journal_cursor::journal_cursor(std::unique_ptr<sandbox::journal_source> source,
                               cursor_start start, framing_limits limits,
                               std::vector<std::string> nonce_hashes)
  : source_(std::move(source)),
    at_(start.at),
    limits_(limits),
    nonce_hashes_(std::move(nonce_hashes)),
    tail_(std::move(start.tail)) {
  framing_.inside_line = start.inside_line;
  if (tail_.size() > tail_bytes_max)
    tail_.erase(0, tail_.size() - tail_bytes_max);
}

result<lines_found>
journal_cursor::next(std::size_t bytes_max,
                     const std::function<output_end()>& ask_end) {
  lines_found out;
  out.begin = at_;
  auto before = framing_;
  while (true) {
    auto got = read_window(bytes_max);
    if (!got)
      return got.error();
    auto bytes = got->bytes;
    auto asked = ask_end();
    auto is_news = asked.writer_gone && !std::exchange(writer_gone_, true);
    is_news |= asked.at && !std::exchange(end_is_told_, true);
    if (is_news)
      continue; // It may have written between the read and its end.
    auto end = end_for(bytes, bytes_max, asked);
    if (end && *end < at_)
      return {errc::journal_damaged, "the agent's output ends at byte "
                                       + std::to_string(end->value)
                                       + ", but the log has it up to byte "
                                       + std::to_string(at_.value)};
    auto whole = bytes;
    auto is_last = end && end->value - at_.value <= whole.size();
    if (end)
      whole = whole.substr(0, end->value - at_.value);
    auto used = is_last ? frame_last_lines(whole, framing_, limits_, out.lines)
                        : frame_lines(whole, framing_, limits_, out.lines);
    if (!marker_)
      look_for_marker(out.lines);
    if (!marker_ && !end && used > 0 && bytes.size() >= bytes_max)
      if (auto bad =
            look_behind(whole.substr(used), position{at_.value + used});
          !bad.ok()) {
        framing_ = before;
        return bad;
      }
    if (marker_ && end != marker_->journal_end) {
      // Cut again: what the marker ends is not what it looked like.
      out.lines = {};
      framing_ = before;
      continue;
    }
    if (used == 0 && bytes.size() >= bytes_max
        && bytes_max <= limits_.line_bytes_max) {
      // One line fills the window: look at as much as a line may have.
      bytes_max = limits_.line_bytes_max + 1;
      continue;
    }
    advance(out.lines);
    out.reached_end = end && at_ == *end;
    if (end && !is_last && out.lines.empty() && bytes.size() < bytes_max)
      return {errc::journal_damaged,
              "the journal has bytes up to "
                + std::to_string(at_.value + bytes.size())
                + ", the agent wrote up to " + std::to_string(end->value)};
    return out;
  }
}

std::optional<position> journal_cursor::end_for(std::string_view bytes,
                                                std::size_t bytes_max,
                                                const output_end& asked) const {
  if (marker_)
    return marker_->journal_end;
  if (asked.at)
    return asked.at;
  if (writer_gone_ && bytes.size() < bytes_max)
    return position{at_.value + bytes.size()};
  return std::nullopt;
}

result<journal_cursor::window>
journal_cursor::read_window(std::size_t bytes_max) {
  if (tail_.empty() && at_.value > 0) {
    // Resumed without knowing the bytes before: at least they must exist.
    auto size = source_->size();
    if (!size)
      return size.error();
    if (*size < at_)
      return {errc::journal_damaged, "the journal shrank to "
                                       + std::to_string(size->value)
                                       + " bytes; the log has it up to byte "
                                       + std::to_string(at_.value)};
  }
  auto capacity = tail_.size() + bytes_max;
  window out{std::make_unique_for_overwrite<char[]>(capacity), {}};
  std::size_t filled = 0;
  auto from = at_.value - tail_.size();
  while (filled < capacity) {
    auto got = source_->read(position{from + filled},
                             {out.buffer.get() + filled, capacity - filled});
    if (!got)
      return got.error();
    if (*got == 0)
      break;
    filled += *got;
  }
  std::string_view found{out.buffer.get(), filled};
  if (auto bad = check_tail(found); !bad.ok())
    return bad;
  out.bytes = found.substr(tail_.size());
  return out;
}

status journal_cursor::check_tail(std::string_view found) const {
  if (found.substr(0, tail_.size()) == tail_)
    return {};
  return make_status(errc::journal_damaged,
                     "the journal's bytes before byte "
                       + std::to_string(at_.value)
                       + " are not those in the log: it was truncated or "
                         "overwritten; journals may only grow");
}

void journal_cursor::advance(const line_batch& lines) {
  if (lines.empty())
    return;
  at_.value += lines.bytes.size();
  if (lines.bytes.size() >= tail_bytes_max) {
    tail_ = lines.bytes.substr(lines.bytes.size() - tail_bytes_max);
  } else {
    tail_ += lines.bytes;
    if (tail_.size() > tail_bytes_max)
      tail_.erase(0, tail_.size() - tail_bytes_max);
  }
}

void journal_cursor::look_for_marker(const line_batch& lines) {
  auto begin = at_;
  lines.for_each([&](std::string_view line, bool) {
    if (looks_like_exit_marker(line))
      if (auto mark = recognise_exit_marker(line, nonce_hashes_);
          mark && stands_in_place(*mark, begin))
        marker_ = mark;
    begin.value += line.size();
  });
}

/// A window that ends within a marker, or right before one, has the LF that
/// the shim wrote for an agent without a last one: it must not become part of
/// the agent's line.
status journal_cursor::look_behind(std::string_view rest, position at) {
  constexpr std::string_view prefix = "{\"baton_exit\":";
  if (!rest.starts_with(prefix) && !prefix.starts_with(rest))
    return {};
  std::string line(marker_bytes_max, '\0');
  auto got = source_->read(at, std::span{line});
  if (!got)
    return got.error();
  line.resize(*got);
  auto lf = line.find('\n');
  if (lf == std::string::npos)
    return {};
  line.resize(lf);
  if (auto mark = recognise_exit_marker(line, nonce_hashes_);
      mark && stands_in_place(*mark, at))
    marker_ = mark;
  return {};
}

} // namespace baton::journal
