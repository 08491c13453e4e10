// SPDX-License-Identifier: MIT
#include "actors/gateway/session.hpp"

#include "actors/gateway/api.hpp"
#include "actors/gateway/stream.hpp"

namespace baton::http {
namespace {

void count(service& s, std::string_view route, int http_status) {
  ++s.counters.requests[{std::string{route}, http_status}];
}

/// What stands against serving this request, from its head alone.
status check_access(const service& s, const connection& c, const routed& to,
                    const request_reader& request) {
  if (c.trusted())
    return {};
  auto needs = to.route ? scope_of(to.route->name) : scope::read;
  if (!s.options.tokens.empty())
    return authorize(s.options.tokens,
                     request.header("Authorization").value_or(""), needs);
  browser_headers from;
  from.host = request.header("Host").value_or("");
  from.origin = request.header("Origin").value_or("");
  from.fetch_site = request.header("Sec-Fetch-Site").value_or("");
  return check_browser(from, s.on_loopback);
}

/// The answer to a request that leads nowhere.
response answer_unrouted(const routed& to) {
  response out;
  out.http_status = to.http_status;
  if (!to.why.ok())
    out = error_response(to.why, to.http_status);
  if (!to.allow.empty())
    out.headers.emplace_back("Allow", to.allow);
  return out;
}

/// Sends the answer to a request whose body may still be on its way.
asio::awaitable<bool> send_early(service& s, connection& c,
                                 const request_reader& request, response r,
                                 bool head) {
  bool whole = request.is_done();
  bool keep = whole && request.keep_alive();
  auto text = render(r, {keep, head});
  bool good = co_await c.write(text, s.options.stuck_timeout);
  if (good && !whole)
    co_await c.linger();
  co_return good&& keep;
}

/// What could not be read: answered when there is a way to, then the end.
asio::awaitable<bool> send_failure(service& s, connection& c,
                                   const request_reader& request) {
  if (request.failure() == 0)
    co_return false;
  count(s, "none", request.failure());
  auto text =
    render(error_response(request.why(), request.failure()), {false, false});
  bool good = co_await c.write(text, s.options.stuck_timeout);
  if (good)
    co_await c.linger();
  co_return false;
}

/// True when the connection can carry another request.
asio::awaitable<bool> serve_request(service& s, std::shared_ptr<connection> c,
                                    std::string& buffer) {
  request_reader request{
    *c,
    buffer,
    {s.options.idle_timeout, s.options.header_timeout, s.options.body_timeout}};
  bool good = co_await request.read_head();
  if (!good)
    co_return co_await send_failure(s, *c, request);
  auto to = find_route(request.method(), request.target());
  bool head = request.method() == "HEAD";
  auto name = to.route ? to_string(to.route->name) : "none";
  auto access = check_access(s, *c, to, request);
  if (!access.ok() || !to.route) {
    auto r = access.ok() ? answer_unrouted(to) : error_response(access);
    count(s, name, r.http_status);
    co_return co_await send_early(s, *c, request, std::move(r), head);
  }
  good = co_await request.read_body();
  if (!good)
    co_return co_await send_failure(s, *c, request);
  if (to.route->name == route_name::events
      || to.route->name == route_name::journal) {
    auto end = co_await serve_stream(s, c, *to.route, request);
    count(s, name, end.http_status);
    co_return end.keep_alive;
  }
  auto r = co_await answer(s, *to.route, request);
  count(s, name, r.http_status);
  bool keep = request.keep_alive();
  auto text = render(r, {keep, head});
  good = co_await c->write(text, s.options.stuck_timeout);
  co_return good&& keep;
}

} // namespace

asio::awaitable<void> serve(service& s, std::shared_ptr<connection> c) {
  c->set_deadline(s.options.header_timeout);
  bool good = co_await c->handshake();
  std::string buffer;
  while (good)
    good = co_await serve_request(s, c, buffer);
  if (c->was_stuck())
    ++s.counters.readers_dropped;
  c->close();
}

} // namespace baton::http
