// SPDX-License-Identifier: MIT
#include "actors/gateway/listener.hpp"

#include "actors/gateway/response.hpp"
#include "actors/gateway/session.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace baton::http {
namespace {

/// A shim outlives the daemon, and with the daemon's socket in its hands
/// clients would connect to nobody. Asio opens sockets that children inherit.
template <class Socket>
void keep_from_children(Socket& x) {
  if (x.is_open())
    ::fcntl(x.native_handle(), F_SETFD, FD_CLOEXEC);
}

using error_code = boost::system::error_code;

/// Without descriptors, accepting is tried again this much later.
constexpr std::chrono::milliseconds pause_without_descriptors{100};
/// For the few bytes that refuse a connection.
constexpr std::chrono::seconds refusal_max{1};

status failed(const std::string& what, const error_code& ec,
              const std::string& advice) {
  auto code =
    ec == asio::error::address_in_use ? errc::in_use : errc::io_failed;
  return make_status(code, what + ": " + ec.message() + "; " + advice);
}

constexpr int probe_tries = 50;
constexpr int probe_pause_ms = 20;

/// Removes the socket file of a process that is gone.
status remove_stale(asio::io_context& io, const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0)
    return {};
  if (!S_ISSOCK(info.st_mode))
    return make_status(errc::in_use, "socket " + path
                                       + ": a file that is no socket is there; "
                                         "remove it or name another path");
  // Whoever was killed in the middle of starting another process leaves it the
  // socket, until that one executes its program.
  for (int tries = 0; tries < probe_tries; ++tries) {
    asio::local::stream_protocol::socket probe{io};
    error_code ec;
    probe.connect(asio::local::stream_protocol::endpoint{path}, ec);
    if (ec == asio::error::connection_refused) {
      ::unlink(path.c_str());
      return {};
    }
    ::poll(nullptr, 0, probe_pause_ms);
  }
  return make_status(errc::in_use,
                     "socket " + path
                       + ": another process listens there; stop it, or name "
                         "another path with --socket");
}

status prepare_folder(const std::string& path) {
  auto folder = std::filesystem::path{path}.parent_path();
  std::error_code ec;
  if (folder.empty() || std::filesystem::exists(folder, ec))
    return {};
  std::filesystem::create_directories(folder.parent_path(), ec);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return make_status(errc::io_failed, "folder " + folder.string()
                                          + ": cannot be made for the socket: "
                                          + std::strerror(errno)
                                          + "; name another path with "
                                            "--socket");
  return {};
}

/// Closes when the limit is reached, serves otherwise.
asio::awaitable<void> admit(service& s, std::shared_ptr<connection> c,
                            bool full) {
  if (!full) {
    co_await serve(s, c);
    co_return;
  }
  ++s.counters.connections_refused;
  auto r = error_response(
    make_status(errc::unavailable, "too many connections; try again later"));
  auto text = render(r, {false, false});
  // In TLS the refusal would need a handshake: the close must do.
  if (c->is_plain())
    co_await c->write(text, refusal_max);
  c->close();
}

void start_serving(service& s, connection::socket socket,
                   asio::ssl::context* tls, bool trusted,
                   const std::shared_ptr<std::size_t>& open) {
  bool full = *open >= s.options.connections_max;
  auto c = std::make_shared<connection>(std::move(socket), tls, trusted);
  ++*open;
  ++s.counters.connections_open;
  asio::co_spawn(s.io, admit(s, std::move(c), full),
                 [&s, open](const std::exception_ptr&) {
                   --*open;
                   --s.counters.connections_open;
                 });
}

template <class Acceptor>
asio::awaitable<void> accept(service& s, Acceptor& from,
                             asio::ssl::context* tls, bool trusted) {
  auto open = std::make_shared<std::size_t>(0);
  asio::steady_timer pause{s.io};
  while (from.is_open()) {
    error_code ec;
    auto socket =
      co_await from.async_accept(asio::redirect_error(asio::use_awaitable, ec));
    if (ec == asio::error::operation_aborted)
      co_return;
    if (ec) {
      pause.expires_after(pause_without_descriptors);
      co_await pause.async_wait(asio::use_awaitable);
      continue;
    }
    keep_from_children(socket);
    start_serving(s, connection::socket{std::move(socket)}, tls, trusted, open);
  }
}

} // namespace

result<tcp_acceptor> listen_tcp(asio::io_context& io, const std::string& host,
                                std::uint16_t port) {
  auto what = "http " + host + ":" + std::to_string(port);
  auto advice = std::string{"choose another address with --http (port 0 takes "
                            "any free one)"};
  error_code ec;
  asio::ip::tcp::resolver resolver{io};
  auto found = resolver.resolve(host, std::to_string(port),
                                asio::ip::resolver_base::passive
                                  | asio::ip::resolver_base::numeric_service,
                                ec);
  if (ec || found.empty())
    return failed(what, ec, advice);
  auto where = found.begin()->endpoint();
  tcp_acceptor out{io};
  out.open(where.protocol(), ec);
  keep_from_children(out);
  if (!ec)
    out.set_option(tcp_acceptor::reuse_address{true}, ec);
  if (!ec)
    out.bind(where, ec);
  if (!ec)
    out.listen(asio::socket_base::max_listen_connections, ec);
  if (ec)
    return failed(what, ec, advice);
  return out;
}

result<unix_acceptor> listen_unix(asio::io_context& io,
                                  const std::string& path) {
  if (path.size() >= sizeof(sockaddr_un{}.sun_path))
    return result<unix_acceptor>(
      errc::malformed,
      "socket " + path + ": expected a path of at most 107 bytes, found "
        + std::to_string(path.size()) + "; name a shorter one with --socket");
  if (auto why = prepare_folder(path); !why.ok())
    return why;
  if (auto why = remove_stale(io, path); !why.ok())
    return why;
  error_code ec;
  unix_acceptor out{io};
  out.open(asio::local::stream_protocol{}, ec);
  keep_from_children(out);
  // On Linux the file gets the mode of its socket: no moment without it.
  if (!ec && ::fchmod(out.native_handle(), 0600) != 0)
    ec = {errno, boost::system::system_category()};
  if (!ec)
    out.bind(asio::local::stream_protocol::endpoint{path}, ec);
  if (!ec)
    out.listen(asio::socket_base::max_listen_connections, ec);
  if (ec)
    return failed("socket " + path, ec, "name another path with --socket");
  return out;
}

result<std::unique_ptr<asio::ssl::context>> load_tls(const std::string& cert,
                                                     const std::string& key) {
  auto out =
    std::make_unique<asio::ssl::context>(asio::ssl::context::tls_server);
  error_code ec;
  out->set_options(asio::ssl::context::default_workarounds
                     | asio::ssl::context::no_tlsv1
                     | asio::ssl::context::no_tlsv1_1,
                   ec);
  out->use_certificate_chain_file(cert, ec);
  if (ec)
    return failed("certificate " + cert, ec, "expected a PEM file to read");
  out->use_private_key_file(key, asio::ssl::context::pem, ec);
  if (ec)
    return failed("key " + key, ec,
                  "expected the certificate's key, PEM, to read");
  return out;
}

asio::awaitable<void> accept_tcp(service& s, tcp_acceptor& from,
                                 asio::ssl::context* tls) {
  return accept(s, from, tls, false);
}

asio::awaitable<void> accept_unix(service& s, unix_acceptor& from) {
  return accept(s, from, nullptr, true);
}

} // namespace baton::http
