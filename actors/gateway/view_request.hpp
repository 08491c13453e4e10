// SPDX-License-Identifier: MIT
// How a log is to be read: from where, live or not, in which form; and the
// search for the entry that holds a byte of the journal.
// Threads: pure.
// Failure: errc::malformed for a cursor that is not a number (BR-021).
#pragma once

#include "actors/gateway/router.hpp"
#include "messages/entry.hpp"
#include "messages/result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace baton::http {

enum class stream_format : std::uint8_t { sse, ndjson, journal };

struct view_request {
  stream_format format = stream_format::sse;
  bool live = true;
  /// Entries: only those behind this one.
  seq after;
  /// Journal: the first byte wanted.
  position from;
};

/// `GET /v1/runs/{id}/events`. `last_event_id` is set when the header is there
/// and then wins over `from`; empty, it means the start (BR-020).
result<view_request>
parse_events(const query& params, std::string_view accept,
             const std::optional<std::string>& last_event_id);

/// `GET /v1/runs/{id}/journal`.
result<view_request> parse_journal(const query& params);

/// Finds, in a log of entries behind `trimmed` up to `last`, the last one that
/// lies wholly before a byte: binary search, as ranges grow with seqs (I3).
class journal_seek {
public:
  journal_seek(position from, seq last, seq trimmed = {})
    : from_(from), trimmed_(trimmed), low_(trimmed), high_(last) {}

  /// The entry to look at next; nullopt when found.
  std::optional<seq> probe() const;

  /// Requires: `x` is the entry that probe() named.
  void see(const entry& x);

  /// Requires: probe() is nullopt. Reading starts behind this one.
  seq after() const { return low_; }

  /// Requires: probe() is nullopt. The wanted byte lies in what was trimmed,
  /// unless it is the log's end that is wanted.
  bool is_before_the_cut() const {
    return trimmed_.value > 0 && low_ == trimmed_ && !reaches_first_;
  }

private:
  position from_;
  seq trimmed_;
  seq low_;
  seq high_;
  /// The first entry that is left holds the byte.
  bool reaches_first_ = false;
};

} // namespace baton::http
