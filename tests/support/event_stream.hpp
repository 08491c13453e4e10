// SPDX-License-Identifier: MIT
// A viewer over server-sent events on a bare socket, read by the WHATWG rules
// (LF, CR and CR LF all end a line) as the bytes come.
// Threads: one; pump() takes what is there and never blocks longer than told.
#pragma once

#include "tests/support/process.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace baton::test {

struct sse_event {
  std::string id;
  std::string type;
  std::string data;
};

class event_stream {
public:
  /// `headers` are lines that end in CRLF.
  event_stream(std::uint16_t port, const std::string& target,
               const std::string& headers = {}, int receive_bytes = 0);
  ~event_stream();
  event_stream(event_stream&& other) noexcept;
  event_stream(const event_stream&) = delete;

  /// Takes what has come, after waiting for something up to `patience`.
  void pump(millis patience);
  /// False when `condition` does not come true in time.
  bool pump_until(const std::function<bool()>& condition,
                  millis patience = 20s);
  bool pump_to_end(millis patience = 60s);

  /// 0 until the head has come.
  int status() const { return status_; }
  /// The body is complete or the connection is gone.
  bool ended() const { return ended_; }
  /// The body ended as its head said.
  bool whole() const { return whole_; }
  const std::vector<sse_event>& events() const { return events_; }
  /// Comment lines: heartbeats.
  std::size_t comments() const { return comments_; }
  /// The body of an answer that is no stream.
  const std::string& text() const { return text_; }
  int fd() const { return fd_; }

private:
  void take_head();
  void take_chunks();
  void take_text(std::string_view piece);
  void take_line();

  int fd_ = -1;
  int status_ = 0;
  bool chunked_ = false;
  bool is_sse_ = false;
  bool ended_ = false;
  bool whole_ = false;
  std::string raw_;
  std::string text_;
  std::string line_;
  bool after_cr_ = false;
  bool has_data_ = false;
  std::string last_id_;
  sse_event open_;
  std::size_t comments_ = 0;
  std::vector<sse_event> events_;
};

} // namespace baton::test
