// SPDX-License-Identifier: MIT
// One HTTP request from a connection: its head first, so that it can be
// refused before its body is taken, then its body.
// Guarantees: at most 16 KiB of headers and 16 MiB of body are kept, each
// within its time; bytes of the next request stay in the buffer.
// Threads: the I/O thread.
#pragma once

#include "actors/gateway/connection.hpp"
#include "messages/result.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace baton::http {

struct read_limits {
  std::chrono::milliseconds idle{75'000};
  std::chrono::milliseconds header{10'000};
  std::chrono::milliseconds body{300'000};
};

class request_reader {
public:
  /// `buffer` carries bytes from one request to the next.
  request_reader(connection& from, std::string& buffer, read_limits limits);
  ~request_reader();
  request_reader(const request_reader&) = delete;
  request_reader& operator=(const request_reader&) = delete;

  /// False when there is no request to go on with: see failure().
  asio::awaitable<bool> read_head();
  /// Requires: read_head() was true. The same for the body.
  asio::awaitable<bool> read_body();

  /// How to answer what cannot be read; 0: not at all, the peer is gone.
  int failure() const noexcept { return failure_; }
  const status& why() const noexcept { return why_; }

  // -- the request, after read_head() -----------------------------------------

  std::string_view method() const;
  std::string_view target() const;
  /// nullopt: not there.
  std::optional<std::string> header(std::string_view name) const;
  bool keep_alive() const;
  /// HTTP/1.1, which knows chunks.
  bool is_modern() const;
  /// The request has been read to its end.
  bool is_done() const;
  const std::string& body() const;

private:
  struct parser;

  /// Feeds the buffer and more bytes until `enough`; false on failure.
  template <class Enough>
  asio::awaitable<bool> read_until(Enough enough);
  bool refuse(int http_status, errc code, std::string message);
  bool check_head();

  connection& from_;
  std::string& buffer_;
  read_limits limits_;
  std::unique_ptr<parser> parser_;
  int failure_ = 0;
  status why_;
};

} // namespace baton::http
