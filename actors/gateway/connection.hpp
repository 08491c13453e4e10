// SPDX-License-Identifier: MIT
// One client's connection, TCP or Unix, plain or TLS, with every wait bounded.
// Guarantees: a deadline that passes closes the connection, and whatever is
// awaited on it then fails. A peer is gone when it closes its side, or when it
// has been silent for 5 s while we keep asking (keepalive, unacknowledged
// data).
// Threads: the I/O thread.
#pragma once

#include <utility> // Boost's awaitable.hpp lacks it

#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <string_view>

namespace baton::http {

namespace asio = boost::asio;

class connection : public std::enable_shared_from_this<connection> {
public:
  using socket = asio::generic::stream_protocol::socket;

  /// `tls` nullptr: plain. `trusted`: came through the Unix socket.
  connection(socket plain, asio::ssl::context* tls, bool trusted);

  bool trusted() const noexcept { return trusted_; }
  bool is_open() const noexcept { return open_; }
  bool is_plain() const noexcept { return !tls_; }
  /// The reader took nothing for longer than a write may be stuck.
  bool was_stuck() const noexcept { return stuck_; }

  // -- deadlines --------------------------------------------------------------

  /// Closes the connection after `d`, unless called again or cleared.
  void set_deadline(std::chrono::milliseconds d);
  void clear_deadline();
  void close();

  // -- bytes ------------------------------------------------------------------

  /// False when TLS cannot be agreed.
  asio::awaitable<bool> handshake();

  /// 0: the peer closed, or the connection failed.
  asio::awaitable<std::size_t> read_some(char* into, std::size_t bytes_max);

  /// Writes all of it, as slowly as the reader reads; false when the
  /// connection failed or the reader took nothing for `stuck_max`.
  asio::awaitable<bool> write(std::string_view bytes,
                              std::chrono::milliseconds stuck_max);

  /// Sends our end, then takes what the peer still sends for a moment, so that
  /// it gets to read an answer that came before its request was complete.
  asio::awaitable<void> linger();

  /// Reads and drops until the peer is gone, then calls `on_gone` once.
  void watch(std::function<void()> on_gone);

  /// To be called once a second: true when the peer has acknowledged nothing
  /// of what we sent for 4 calls.
  bool is_peer_silent();

private:
  static asio::awaitable<void> drain(std::shared_ptr<connection> self,
                                     std::function<void()> on_gone);

  socket plain_;
  std::unique_ptr<asio::ssl::stream<socket&>> tls_;
  asio::steady_timer deadline_;
  bool trusted_;
  bool open_ = true;
  bool writing_ = false;
  bool stuck_ = false;
  int silent_calls_ = 0;
  std::array<char, 512> dropped_{};
};

} // namespace baton::http
