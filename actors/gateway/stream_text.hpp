// SPDX-License-Identifier: MIT
// What goes down a stream: entries and the end as server-sent events, as
// NDJSON, or as the journal's own bytes.
// Guarantees: as many events as entries, each with its seq as id; nothing an
// agent prints can add an event, an id or an end (BR-027).
// Threads: one stream owns it.
#pragma once

#include "actors/gateway/view_request.hpp"
#include "messages/entry.hpp"
#include "messages/result.hpp"
#include "messages/run_messages.hpp"

#include <string>
#include <string_view>

namespace baton::http {

class stream_text {
public:
  explicit stream_text(const view_request& how) : how_(how) {}

  std::string_view content_type() const noexcept;

  void add(const entry& x, std::string& out) const;

  /// The end of a terminal run's log: an event in SSE, else nothing.
  void add_end(const run_view& x, std::string& out) const;

  /// Why nothing more can come: an event in SSE, else nothing.
  void add_refusal(const status& why, std::string& out) const;

  /// What tells an idle reader that we live: only SSE has something.
  std::string_view heartbeat() const noexcept;

private:
  view_request how_;
};

} // namespace baton::http
