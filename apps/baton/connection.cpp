// SPDX-License-Identifier: MIT
#include "apps/baton/connection.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace baton::cli {

namespace {

using std::chrono::steady_clock;

// A peer that says nothing for 15 s is asked, and given up after 3 questions
// in 5 s each: 30 s until a dead machine is noticed.
constexpr int keepalive_idle_s = 15;
constexpr int keepalive_interval_s = 5;
constexpr int keepalive_count = 3;
constexpr unsigned user_timeout_ms = 30'000;

struct ssl_deleter {
  void operator()(SSL* x) const { ::SSL_free(x); }
  void operator()(SSL_CTX* x) const { ::SSL_CTX_free(x); }
};

class socket_fd {
public:
  explicit socket_fd(int fd = -1) : fd_(fd) {}
  ~socket_fd() {
    if (fd_ >= 0)
      ::close(fd_);
  }
  socket_fd(socket_fd&& x) noexcept : fd_(std::exchange(x.fd_, -1)) {}
  socket_fd& operator=(socket_fd&& x) noexcept {
    std::swap(fd_, x.fd_);
    return *this;
  }
  int get() const noexcept { return fd_; }

private:
  int fd_;
};

/// Waits until the socket is ready for `events`.
io_end wait(int fd, short events, int wake_fd, deadline until) {
  for (;;) {
    int timeout = -1;
    if (until != never) {
      auto left = std::chrono::ceil<std::chrono::milliseconds>(
        until - steady_clock::now());
      if (left.count() <= 0)
        return io_end::timed_out;
      timeout = static_cast<int>(std::min<std::int64_t>(left.count(), 60'000));
    }
    std::array<pollfd, 2> watched{{{fd, events, 0}, {wake_fd, POLLIN, 0}}};
    auto n = ::poll(watched.data(), wake_fd >= 0 ? 2 : 1, timeout);
    if (n < 0 && errno != EINTR)
      return io_end::failed;
    if (n > 0 && wake_fd >= 0 && watched[1].revents != 0)
      return io_end::woken;
    if (n > 0 && watched[0].revents != 0)
      return io_end::ok;
  }
}

std::string ssl_message() {
  auto code = ::ERR_get_error();
  ::ERR_clear_error();
  auto reason = code == 0 ? nullptr : ::ERR_reason_error_string(code);
  return std::string{"TLS: "} + (reason ? reason : "the peer gave up");
}

status cannot_connect(const client_options& options, io_end end,
                      const std::string& why) {
  if (end == io_end::woken)
    return make_status(errc::cancelled, "interrupted");
  return make_status(
    errc::unavailable,
    "cannot reach " + to_text(options.server) + ": "
      + (end == io_end::timed_out ? "no answer in time" : why));
}

result<socket_fd> connect_to(const client_options& options,
                             const sockaddr* where, socklen_t size,
                             deadline until) {
  socket_fd fd{
    ::socket(where->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (fd.get() < 0)
    return cannot_connect(options, io_end::failed, std::strerror(errno));
  if (::connect(fd.get(), where, size) == 0)
    return fd;
  if (errno != EINPROGRESS)
    return cannot_connect(options, io_end::failed, std::strerror(errno));
  auto end = wait(fd.get(), POLLOUT, options.wake_fd, until);
  int error = 0;
  socklen_t length = sizeof(error);
  ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  if (end != io_end::ok || error != 0)
    return cannot_connect(options, end, std::strerror(error));
  return fd;
}

result<socket_fd> connect_unix(const client_options& options, deadline until) {
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  auto& path = options.server.path;
  if (path.size() >= sizeof(where.sun_path))
    return make_status(errc::malformed,
                       "socket path: expected at most 107 bytes, found "
                         + std::to_string(path.size())
                         + " (name a shorter one with BATON_SOCKET or "
                           "--server unix://PATH)");
  std::copy(path.begin(), path.end(), where.sun_path);
  return connect_to(options, reinterpret_cast<sockaddr*>(&where), sizeof(where),
                    until);
}

void watch_for_death(int fd) {
  auto set = [&](int level, int name, auto value) {
    // Without these a dead peer is noticed later; nothing else changes.
    ::setsockopt(fd, level, name, &value, sizeof(value));
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, keepalive_idle_s);
  set(IPPROTO_TCP, TCP_KEEPINTVL, keepalive_interval_s);
  set(IPPROTO_TCP, TCP_KEEPCNT, keepalive_count);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, user_timeout_ms);
  set(IPPROTO_TCP, TCP_NODELAY, 1);
}

result<socket_fd> connect_tcp(const client_options& options, deadline until) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  auto rc = ::getaddrinfo(options.server.host.c_str(),
                          options.server.port.c_str(), &hints, &found);
  if (rc != 0)
    return cannot_connect(options, io_end::failed, ::gai_strerror(rc));
  std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner{found, ::freeaddrinfo};
  auto last = cannot_connect(options, io_end::failed, "no address");
  for (auto x = found; x != nullptr; x = x->ai_next) {
    auto fd = connect_to(options, x->ai_addr, x->ai_addrlen, until);
    if (fd.ok()) {
      watch_for_death(fd->get());
      return fd;
    }
    last = fd.error();
    if (last.code == errc::cancelled)
      break;
  }
  return last;
}

} // namespace

struct connection::state {
  socket_fd fd;
  std::unique_ptr<SSL_CTX, ssl_deleter> context;
  std::unique_ptr<SSL, ssl_deleter> ssl;
  int wake_fd = -1;

  /// Repeats `step` until it is done; it returns what SSL_* functions return.
  template <class Step>
  io_result tls(Step step, deadline until) {
    for (;;) {
      ::ERR_clear_error();
      auto n = step(ssl.get());
      if (n > 0)
        return {io_end::ok, static_cast<std::size_t>(n), {}};
      auto events = short{0};
      switch (::SSL_get_error(ssl.get(), n)) {
      case SSL_ERROR_WANT_READ:
        events = POLLIN;
        break;
      case SSL_ERROR_WANT_WRITE:
        events = POLLOUT;
        break;
      case SSL_ERROR_ZERO_RETURN:
        return {io_end::closed, 0, {}};
      default:
        return {io_end::failed, 0, ssl_message()};
      }
      auto end = wait(fd.get(), events, wake_fd, until);
      if (end != io_end::ok)
        return {end, 0, {}};
    }
  }

  /// The same for plain sockets.
  template <class Step>
  io_result plain(Step step, short events, deadline until) {
    for (;;) {
      auto n = step(fd.get());
      if (n > 0)
        return {io_end::ok, static_cast<std::size_t>(n), {}};
      if (n == 0)
        return {io_end::closed, 0, {}};
      if (errno != EAGAIN && errno != EINTR)
        return {io_end::failed, 0, std::strerror(errno)};
      auto end = wait(fd.get(), events, wake_fd, until);
      if (end != io_end::ok)
        return {end, 0, {}};
    }
  }

  status start_tls(const client_options& options, deadline until);
};

status connection::state::start_tls(const client_options& options,
                                    deadline until) {
  context.reset(::SSL_CTX_new(::TLS_client_method()));
  auto& host = options.server.host;
  auto& ca = options.ca_file;
  if (!context
      || ::SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1)
    return make_status(errc::io_failed, ssl_message());
  if (ca.empty())
    ::SSL_CTX_set_default_verify_paths(context.get());
  else if (::SSL_CTX_load_verify_file(context.get(), ca.c_str()) != 1)
    return make_status(errc::malformed, "cannot use the authorities in " + ca
                                          + ": " + ssl_message()
                                          + " (expected PEM certificates)");
  ::SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  ssl.reset(::SSL_new(context.get()));
  // An address is checked as one; only names may be sent as SNI.
  in6_addr parsed{};
  auto is_address = ::inet_pton(AF_INET, host.c_str(), &parsed) == 1
                    || ::inet_pton(AF_INET6, host.c_str(), &parsed) == 1;
  if (is_address) {
    ::X509_VERIFY_PARAM_set1_ip_asc(::SSL_get0_param(ssl.get()), host.c_str());
  } else {
    ::SSL_set1_host(ssl.get(), host.c_str());
    // What SSL_set_tlsext_host_name does, without its old-style cast.
    ::SSL_ctrl(ssl.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME,
               TLSEXT_NAMETYPE_host_name, const_cast<char*>(host.c_str()));
  }
  ::SSL_set_fd(ssl.get(), fd.get());
  auto shaken = tls([](SSL* s) { return ::SSL_connect(s); }, until);
  if (shaken.end == io_end::ok)
    return {};
  auto verdict = ::SSL_get_verify_result(ssl.get());
  if (verdict != X509_V_OK)
    shaken.why = std::string{"its certificate is not trusted: "}
                 + ::X509_verify_cert_error_string(verdict)
                 + " (name its authority with --ca-file)";
  return cannot_connect(options, shaken.end, shaken.why);
}

connection::connection(std::unique_ptr<state> s) : state_(std::move(s)) {}
connection::connection(connection&&) noexcept = default;
connection& connection::operator=(connection&&) noexcept = default;
connection::~connection() = default;

result<connection> connection::open(const client_options& options) {
  auto until = steady_clock::now() + options.connect_timeout;
  auto is_unix = options.server.via == transport::unix_socket;
  auto fd =
    is_unix ? connect_unix(options, until) : connect_tcp(options, until);
  if (!fd)
    return std::move(fd).error();
  auto s = std::make_unique<state>();
  s->fd = std::move(*fd);
  s->wake_fd = options.wake_fd;
  if (options.server.via == transport::tls)
    if (auto why = s->start_tls(options, until); !why.ok())
      return why;
  return connection{std::move(s)};
}

io_result connection::write_all(std::string_view bytes, deadline until) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    auto rest = bytes.substr(done);
    auto written =
      state_->ssl ? state_->tls(
        [&](SSL* s) {
          return ::SSL_write(
            s, rest.data(),
            static_cast<int>(std::min<std::size_t>(rest.size(), 1u << 20)));
        },
        until)
                  : state_->plain(
                    [&](int fd) {
                      return ::send(fd, rest.data(), rest.size(), MSG_NOSIGNAL);
                    },
                    POLLOUT, until);
    if (written.end != io_end::ok)
      return written;
    done += written.bytes;
  }
  return {io_end::ok, done, {}};
}

io_result connection::read_some(std::span<char> buffer, deadline until) {
  if (state_->ssl)
    return state_->tls(
      [&](SSL* s) {
        return ::SSL_read(s, buffer.data(), static_cast<int>(buffer.size()));
      },
      until);
  return state_->plain(
    [&](int fd) { return ::recv(fd, buffer.data(), buffer.size(), 0); }, POLLIN,
    until);
}

} // namespace baton::cli
