// SPDX-License-Identifier: MIT
#include "actors/gateway/connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>

namespace baton::http {
namespace {

using error_code = boost::system::error_code;

/// One write to the socket: small enough that progress shows.
constexpr std::size_t write_bytes_max = 64 * 1024;
constexpr std::chrono::seconds linger_max{5};
constexpr std::size_t linger_bytes_max = 64 << 20;

/// Idle peers: first question after 3 s, then two more a second apart, so a
/// dead one is known after 5 s. TCP_USER_TIMEOUT would also end readers that
/// are alive and merely pause; see is_peer_silent().
constexpr int keepalive_idle_s = 3;
constexpr int keepalive_interval_s = 1;
constexpr int keepalive_probes = 2;
constexpr std::uint32_t silent_ms_min = 3000;
constexpr int silent_calls_max = 4;

void set_option(int fd, int level, int name, int value) {
  // Fails on Unix sockets, which need none of these.
  (void)::setsockopt(fd, level, name, &value, sizeof(value));
}

} // namespace

connection::connection(socket plain, asio::ssl::context* tls, bool trusted)
  : plain_(std::move(plain)),
    deadline_(plain_.get_executor()),
    trusted_(trusted) {
  auto fd = plain_.native_handle();
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, keepalive_idle_s);
  set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, keepalive_interval_s);
  set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, keepalive_probes);
  if (tls)
    tls_ = std::make_unique<asio::ssl::stream<socket&>>(plain_, *tls);
}

// -- deadlines ----------------------------------------------------------------

void connection::set_deadline(std::chrono::milliseconds d) {
  deadline_.expires_after(d);
  deadline_.async_wait([weak = weak_from_this()](error_code ec) {
    auto self = weak.lock();
    if (ec || !self)
      return;
    self->stuck_ = self->writing_;
    self->close();
  });
}

void connection::clear_deadline() {
  deadline_.cancel();
}

void connection::close() {
  if (!open_)
    return;
  open_ = false;
  deadline_.cancel();
  error_code ignored;
  plain_.close(ignored);
}

// -- bytes --------------------------------------------------------------------

asio::awaitable<bool> connection::handshake() {
  if (!tls_)
    co_return true;
  error_code ec;
  co_await tls_->async_handshake(asio::ssl::stream_base::server,
                                 asio::redirect_error(asio::use_awaitable, ec));
  co_return !ec;
}

asio::awaitable<std::size_t> connection::read_some(char* into,
                                                   std::size_t bytes_max) {
  if (!open_)
    co_return 0;
  error_code ec;
  std::size_t n = 0;
  auto room = asio::buffer(into, bytes_max);
  if (tls_)
    n = co_await tls_->async_read_some(
      room, asio::redirect_error(asio::use_awaitable, ec));
  else
    n = co_await plain_.async_read_some(
      room, asio::redirect_error(asio::use_awaitable, ec));
  co_return ec ? 0 : n;
}

asio::awaitable<bool> connection::write(std::string_view bytes,
                                        std::chrono::milliseconds stuck_max) {
  writing_ = true;
  while (!bytes.empty() && open_) {
    set_deadline(stuck_max);
    error_code ec;
    std::size_t n = 0;
    auto part =
      asio::buffer(bytes.data(), std::min(bytes.size(), write_bytes_max));
    if (tls_)
      n = co_await tls_->async_write_some(
        part, asio::redirect_error(asio::use_awaitable, ec));
    else
      n = co_await plain_.async_write_some(
        part, asio::redirect_error(asio::use_awaitable, ec));
    if (ec)
      close();
    bytes.remove_prefix(n);
  }
  writing_ = false;
  clear_deadline();
  co_return open_;
}

asio::awaitable<void> connection::linger() {
  if (!open_)
    co_return;
  set_deadline(linger_max);
  error_code ignored;
  if (!tls_)
    plain_.shutdown(asio::socket_base::shutdown_send, ignored);
  std::array<char, 16 * 1024> block;
  std::size_t taken = 0;
  while (taken < linger_bytes_max) {
    auto n = co_await read_some(block.data(), block.size());
    if (n == 0)
      break;
    taken += n;
  }
}

void connection::watch(std::function<void()> on_gone) {
  asio::co_spawn(plain_.get_executor(),
                 drain(shared_from_this(), std::move(on_gone)), asio::detached);
}

asio::awaitable<void> connection::drain(std::shared_ptr<connection> self,
                                        std::function<void()> on_gone) {
  for (;;) {
    auto n =
      co_await self->read_some(self->dropped_.data(), self->dropped_.size());
    if (n == 0)
      break;
  }
  on_gone();
}

bool connection::is_peer_silent() {
  tcp_info info{};
  socklen_t size = sizeof(info);
  if (!open_
      || ::getsockopt(plain_.native_handle(), IPPROTO_TCP, TCP_INFO, &info,
                      &size)
           != 0)
    return false;
  // Zero-window peers acknowledge our probes and have nothing in flight.
  bool silent =
    info.tcpi_unacked > 0 && info.tcpi_last_ack_recv > silent_ms_min;
  silent_calls_ = silent ? silent_calls_ + 1 : 0;
  return silent_calls_ >= silent_calls_max;
}

} // namespace baton::http
