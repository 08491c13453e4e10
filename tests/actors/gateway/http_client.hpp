// SPDX-License-Identifier: MIT
// A client made of a bare socket: it sends any bytes, well-formed or not, and
// every wait of its has an end.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace baton::http::test {

struct reply {
  /// 0: the connection ended before a whole head came.
  int status = 0;
  /// Names in lower case.
  std::map<std::string, std::string> headers;
  /// Chunks put together.
  std::string body;
  /// The body ended as its head said, rather than by a broken connection.
  bool whole = false;
};

class client {
public:
  explicit client(std::uint16_t port, int receive_bytes = 0);
  explicit client(const std::string& socket_path);
  ~client();
  client(client&& other) noexcept;
  client(const client&) = delete;
  client& operator=(const client&) = delete;

  /// False when the peer is gone.
  bool send(std::string_view bytes);
  void close();
  /// Sends a reset instead of an end.
  void abort();
  void shut_down_sending();

  /// The next answer; `until` sees the body so far and may stop the reading of
  /// a stream early (then `whole` is false).
  reply read(std::function<bool(const std::string&)> until = nullptr,
             bool head_only = false,
             std::chrono::seconds patience = std::chrono::seconds{20});

  /// True when the peer closes within `patience`; drops what comes before.
  bool sees_end(std::chrono::seconds patience);

private:
  bool fill(std::chrono::steady_clock::time_point end);

  int fd_ = -1;
  std::string buffer_;
};

/// A request's text; `headers` are lines that end in CRLF.
std::string request(std::string_view method, std::string_view target,
                    std::string_view body = {}, std::string_view headers = {});

/// True when `f` holds within `patience`; the one way in which tests wait.
bool holds_soon(std::function<bool()> f,
                std::chrono::seconds patience = std::chrono::seconds{20});

} // namespace baton::http::test
