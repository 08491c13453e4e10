// SPDX-License-Identifier: MIT
// The receiving side of text/event-stream, as WHATWG HTML 9.2.6 has it: LF, CR
// and CR LF end a line, comments and unknown fields are skipped, an event that
// is cut short is dropped.
// Threads: value type, no I/O.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace baton::cli {

struct sse_event {
  /// Empty when the event brought none of its own.
  std::string id;
  /// `message` unless named.
  std::string name;
  std::string data;
};

class sse_parser {
public:
  /// Takes an event; false to take no more.
  using taker = std::function<bool(const sse_event&)>;

  /// Feeds bytes in any cuts; false as soon as `take` said so.
  bool feed(std::string_view bytes, const taker& take);

private:
  bool end_line(const taker& take);

  std::string line_;
  sse_event event_;
  bool has_data_ = false;
  bool after_cr_ = false;
  bool at_start_ = true;
};

} // namespace baton::cli
