// SPDX-License-Identifier: MIT
// Sockets that the gateway listens on: opening them with clear errors, and
// accepting with a limit.
// Threads: opening anywhere, accepting on the I/O thread.
// Failure: errc::in_use when a live process has the port or socket;
// errc::io_failed.
#pragma once

#include "actors/gateway/service.hpp"

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <string>

namespace baton::http {

using tcp_acceptor = asio::ip::tcp::acceptor;
using unix_acceptor = asio::local::stream_protocol::acceptor;

/// `host` is an address or a name. Port 0 picks a free one.
result<tcp_acceptor> listen_tcp(asio::io_context& io, const std::string& host,
                                std::uint16_t port);

/// Mode 0600, in a folder that is made with 0700 when it is not there. Takes
/// the place of a socket file that nobody listens on.
result<unix_acceptor> listen_unix(asio::io_context& io,
                                  const std::string& path);

result<std::unique_ptr<asio::ssl::context>> load_tls(const std::string& cert,
                                                     const std::string& key);

/// Accepts and serves until the acceptor is closed. `tls` nullptr: plain.
asio::awaitable<void> accept_tcp(service& s, tcp_acceptor& from,
                                 asio::ssl::context* tls);
asio::awaitable<void> accept_unix(service& s, unix_acceptor& from);

} // namespace baton::http
