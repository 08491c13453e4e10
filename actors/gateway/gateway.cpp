// SPDX-License-Identifier: MIT
#include "actors/gateway/gateway.hpp"

#include "actors/gateway/listener.hpp"
#include "actors/gateway/service.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>

#include <unistd.h>

#include <thread>

namespace baton {

namespace asio = boost::asio;

/// Members in the order of their making: coroutines, which end with `io`, use
/// what stands above it.
struct gateway::impl {
  explicit impl(gateway_options x) : options(std::move(x)) {}

  gateway_options options;
  std::unique_ptr<asio::ssl::context> tls;
  std::unique_ptr<http::service> state;
  std::unique_ptr<asio::io_context> io = std::make_unique<asio::io_context>(1);
  std::shared_ptr<http::reply_box> box = std::make_shared<http::reply_box>(*io);
  std::optional<http::tcp_acceptor> tcp;
  std::optional<http::unix_acceptor> local;
  std::string socket_path;
  std::uint16_t port = 0;
  std::thread thread;

  status open();
  void run();
  void stop();
};

status gateway::impl::open() {
  if (!options.tls_cert.empty() || !options.tls_key.empty()) {
    auto loaded = http::load_tls(options.tls_cert, options.tls_key);
    if (!loaded)
      return loaded.error();
    tls = *std::move(loaded);
  }
  if (!options.http_host.empty()) {
    auto opened = http::listen_tcp(*io, options.http_host, options.http_port);
    if (!opened)
      return opened.error();
    tcp.emplace(*std::move(opened));
    port = tcp->local_endpoint().port();
  }
  if (!options.socket_path.empty()) {
    auto opened = http::listen_unix(*io, options.socket_path);
    if (!opened)
      return opened.error();
    local.emplace(*std::move(opened));
    socket_path = options.socket_path;
  }
  return {};
}

void gateway::impl::run() {
  if (tcp) {
    state->on_loopback = tcp->local_endpoint().address().is_loopback();
    asio::co_spawn(*io, http::accept_tcp(*state, *tcp, tls.get()),
                   asio::detached);
  }
  if (local)
    asio::co_spawn(*io, http::accept_unix(*state, *local), asio::detached);
  thread = std::thread{[this] {
    auto work = asio::make_work_guard(*io);
    io->run();
  }};
}

void gateway::impl::stop() {
  if (!io)
    return;
  io->stop();
  if (thread.joinable())
    thread.join();
  if (!socket_path.empty())
    ::unlink(socket_path.c_str());
  tcp.reset();
  local.reset();
  // Ends the coroutines that wait for answers, then all others.
  box->close();
  io.reset();
}

gateway::gateway(std::unique_ptr<impl> x) : impl_(std::move(x)) {}

gateway::~gateway() {
  stop();
}

result<std::unique_ptr<gateway>> gateway::open(gateway_options options) {
  std::unique_ptr<gateway> out{
    new gateway{std::make_unique<impl>(std::move(options))}};
  if (auto why = out->impl_->open(); !why.ok())
    return why;
  return out;
}

void gateway::serve(caf::actor_system& system, caf::actor coordinator,
                    caf::actor reader, std::function<status()> ready,
                    std::function<std::string()> more_metrics) {
  auto& x = *impl_;
  if (more_metrics)
    x.options.more_metrics = std::move(more_metrics);
  x.state = std::make_unique<http::service>(
    *x.io, system, std::move(x.options), std::move(coordinator),
    std::move(reader), std::move(ready), x.box);
  x.run();
}

result<std::unique_ptr<gateway>> gateway::start(caf::actor_system& system,
                                                gateway_options options,
                                                caf::actor coordinator,
                                                caf::actor reader,
                                                std::function<status()> ready) {
  auto out = open(std::move(options));
  if (out)
    (*out)->serve(system, std::move(coordinator), std::move(reader),
                  std::move(ready));
  return out;
}

std::uint16_t gateway::port() const noexcept {
  return impl_->port;
}

void gateway::stop() {
  impl_->stop();
}

} // namespace baton
