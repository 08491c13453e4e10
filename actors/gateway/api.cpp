// SPDX-License-Identifier: MIT
#include "actors/gateway/api.hpp"

#include "actors/gateway/append_body.hpp"
#include "actors/gateway/record_json.hpp"
#include "actors/gateway/request_json.hpp"
#include "actors/gateway/uuid7.hpp"

#include <fstream>

#include <unistd.h>

namespace baton::http {
namespace {

constexpr std::uint64_t page_runs_max = 1000;

response json_response(int http_status, std::string text) {
  response out;
  out.http_status = http_status;
  out.body = std::move(text) + "\n";
  return out;
}

response text_response(std::string text) {
  response out;
  out.content_type = "text/plain; charset=utf-8";
  out.body = std::move(text);
  return out;
}

/// Asks the coordinator and shows the answer, or the error.
template <class Reply, class Request>
asio::awaitable<response> relay(service& s, Request request, int http_status) {
  auto got = co_await s.asking.ask<Reply>(s.coordinator, std::move(request),
                                          s.timeout());
  if (!got)
    co_return error_response(got.error());
  co_return json_response(http_status, to_json(*got));
}

/// For requests that were understood no further.
template <class T>
asio::awaitable<response> refuse(result<T> why) {
  co_return error_response(why.error());
}

// -- runs ---------------------------------------------------------------------

asio::awaitable<response> create(service& s, const request_reader& request) {
  auto spec = parse_create(request.body(), s.options.providers);
  if (!spec)
    co_return error_response(spec.error());
  spec->started_at = s.options.env.now_wall();
  if (spec->id.empty())
    spec->id = run_id{uuid7(spec->started_at, s.options.env.random_bytes(10))};
  if (spec->thread.empty())
    spec->thread = thread_id{spec->id.str()};
  auto place = "/v1/runs/" + percent_encode(spec->id.str());
  create_run order{*std::move(spec)};
  auto got = co_await s.asking.ask<run_created>(s.coordinator, std::move(order),
                                                s.timeout());
  if (!got)
    co_return error_response(got.error());
  auto out = json_response(got->existed ? 200 : 201, to_json(got->view));
  out.headers.emplace_back("Location", place);
  co_return out;
}

result<list_runs> parse_list(const query& params) {
  auto why = check_names(params, {"thread_id", "status", "limit", "cursor"});
  if (!why.ok())
    return why;
  list_runs out;
  if (auto* thread = find_param(params, "thread_id")) {
    if (!is_valid_id(*thread))
      return result<list_runs>(errc::malformed,
                               "thread_id is '" + printable(*thread)
                                 + "', expected 1 to 512 bytes of UTF-8 "
                                   "without control characters");
    out.thread = thread_id{*thread};
  }
  if (auto* name = find_param(params, "status")) {
    auto found = run_status_from_string(*name);
    out.live_only = *name == "live";
    if (!found && !out.live_only)
      return result<list_runs>(
        errc::malformed, "status is '" + printable(*name)
                           + "', expected running, interrupted, completed, "
                             "failed, aborted or live");
    if (found)
      out.status = static_cast<std::uint8_t>(*found);
  }
  if (auto* text = find_param(params, "limit")) {
    auto limit = parse_number("limit", *text);
    if (!limit || *limit == 0 || *limit > page_runs_max)
      return result<list_runs>(errc::malformed, "limit is '" + printable(*text)
                                                  + "', expected 1 to 1000");
    out.limit = static_cast<std::uint32_t>(*limit);
  }
  if (auto* text = find_param(params, "cursor")) {
    auto after = parse_number("cursor", *text);
    if (!after)
      return after.error();
    out.after = run_no{*after};
  }
  return out;
}

asio::awaitable<response> remove(service& s, const route& to) {
  remove_run order{run_id{to.id}};
  auto got = co_await s.asking.ask<run_removed>(s.coordinator, std::move(order),
                                                s.timeout());
  if (!got)
    co_return error_response(got.error());
  co_return json_response(200, R"({"removed":true})");
}

/// cancel, interrupt, resume: `Order` about the run, no body.
template <class Order>
asio::awaitable<response> change(service& s, const route& to,
                                 const request_reader& request,
                                 int http_status) {
  auto why = parse_nothing(request.body());
  if (!why.ok())
    co_return error_response(why);
  Order order{run_id{to.id}};
  co_return co_await relay<run_view>(s, std::move(order), http_status);
}

// -- claims -------------------------------------------------------------------

asio::awaitable<response> take_claim(service& s, const route& to,
                                     const request_reader& request) {
  auto body = parse_claim(request.body());
  if (!body)
    co_return error_response(body.error());
  claim_run order{run_id{to.id}, body->holder, body->ttl_ms, body->steal};
  co_return co_await relay<claim_granted>(s, std::move(order), 200);
}

asio::awaitable<response> keep_claim(service& s, const route& to,
                                     const request_reader& request) {
  auto epoch = parse_epoch(request.header("Baton-Epoch"));
  if (!epoch)
    co_return error_response(epoch.error());
  renew_claim order{run_id{to.id}, *epoch};
  co_return co_await relay<claim_granted>(s, std::move(order), 200);
}

asio::awaitable<response> drop_claim(service& s, const route& to,
                                     const request_reader& request) {
  auto epoch = parse_epoch(request.header("Baton-Epoch"));
  if (!epoch)
    co_return error_response(epoch.error());
  release_claim order{run_id{to.id}, *epoch};
  auto got = co_await s.asking.ask<claim_released>(
    s.coordinator, std::move(order), s.timeout());
  if (!got)
    co_return error_response(got.error());
  co_return json_response(200, R"({"released":true})");
}

asio::awaitable<response> show_claims(service& s, const route& to) {
  // In this order: what the record tells is no older than the claims.
  get_claims order{run_id{to.id}};
  auto claims = co_await s.asking.ask<claim_history>(
    s.coordinator, std::move(order), s.timeout());
  if (!claims)
    co_return error_response(claims.error());
  baton::get_run about{run_id{to.id}};
  auto view = co_await s.asking.ask<run_view>(s.coordinator, std::move(about),
                                              s.timeout());
  if (!view)
    co_return error_response(view.error());
  co_return json_response(200, to_json(*claims, view->record.state.last_seq));
}

asio::awaitable<response> move_run(service& s, const route& to,
                                   const request_reader& request) {
  auto node = parse_takeover(request.body());
  if (!node)
    co_return error_response(node.error());
  takeover_run order{run_id{to.id}, *std::move(node)};
  co_return co_await relay<run_moved>(s, std::move(order), 200);
}

asio::awaitable<response> add_entries(service& s, const route& to,
                                      const request_reader& request) {
  append_headers headers{request.header("Baton-Epoch"),
                         request.header("Baton-Seq"),
                         request.header("Baton-Position")};
  auto order = parse_append(run_id{to.id}, headers, request.body(),
                            s.options.line_bytes_max);
  if (!order)
    co_return error_response(order.error());
  co_return co_await relay<append_done>(s, *std::move(order), 200);
}

asio::awaitable<response> end_run(service& s, const route& to,
                                  const request_reader& request) {
  auto epoch = parse_epoch(request.header("Baton-Epoch"));
  if (!epoch)
    co_return error_response(epoch.error());
  auto outcome = parse_finish(request.body());
  if (!outcome)
    co_return error_response(outcome.error());
  finish_run order{run_id{to.id}, *epoch, seq{}, *std::move(outcome)};
  auto got = co_await s.asking.ask<run_finished>(s.coordinator,
                                                 std::move(order), s.timeout());
  if (!got)
    co_return error_response(got.error());
  co_return json_response(200, to_json(got->view));
}

// -- logs and sandboxes -------------------------------------------------------

asio::awaitable<response> trim_log(service& s, const route& to,
                                   const request_reader& request) {
  auto before = parse_trim(request.body());
  if (!before)
    co_return error_response(before.error());
  trim_run order{run_id{to.id}, *before};
  co_return co_await relay<run_view>(s, std::move(order), 200);
}

asio::awaitable<response> drop_sandbox(service& s, const route& to) {
  instance_key key{to.id};
  baton::remove_sandbox order{key};
  auto got = co_await s.asking.ask<sandbox_list>(s.coordinator,
                                                 std::move(order), s.timeout());
  if (!got)
    co_return error_response(got.error());
  // It was destroyed before the answer was written.
  if (got->sandboxes.empty())
    co_return json_response(202, gone_json(key));
  co_return json_response(202, to_json(got->sandboxes.front()));
}

asio::awaitable<response> sweep(service& s, const request_reader& request) {
  auto remove = parse_gc(request.body());
  if (!remove)
    co_return error_response(remove.error());
  collect_garbage order{*remove};
  co_return co_await relay<garbage_report>(s, std::move(order), 200);
}

// -- the node -----------------------------------------------------------------

response readiness(service& s) {
  auto why = s.ready ? s.ready() : status{};
  return why.ok() ? text_response("ok\n") : error_response(why, 503);
}

std::uint64_t resident_bytes() {
  std::ifstream file{"/proc/self/statm"};
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

response show_metrics(service& s) {
  s.counters.resident_bytes = resident_bytes();
  s.counters.version = s.options.version;
  auto text = metrics_page(s.counters);
  if (s.options.more_metrics)
    text += s.options.more_metrics();
  auto out = text_response(std::move(text));
  out.content_type = "text/plain; version=0.0.4; charset=utf-8";
  return out;
}

asio::awaitable<response> just(response r) {
  co_return r;
}

bool takes_query(route_name name) {
  return name == route_name::list_runs;
}

/// The routes of one run.
asio::awaitable<response> answer_run(service& s, const route& to,
                                     const request_reader& request) {
  using enum route_name;
  run_id run{to.id};
  switch (to.name) {
  case get_run:
    return relay<run_view>(s, baton::get_run{run}, 200);
  case remove_run:
    return remove(s, to);
  case claims:
    return show_claims(s, to);
  case cancel:
    return change<cancel_run>(s, to, request, 202);
  case takeover:
    return move_run(s, to, request);
  case interrupt:
    return change<interrupt_run>(s, to, request, 200);
  case resume:
    return change<resume_run>(s, to, request, 200);
  case trim:
    return trim_log(s, to, request);
  case claim:
    return take_claim(s, to, request);
  case renew:
    return keep_claim(s, to, request);
  case release:
    return drop_claim(s, to, request);
  case append:
    return add_entries(s, to, request);
  default:
    return end_run(s, to, request);
  }
}

} // namespace

asio::awaitable<response> answer(service& s, const route& to,
                                 const request_reader& request) {
  using enum route_name;
  if (!takes_query(to.name))
    if (auto why = check_names(to.params, {}); !why.ok())
      return just(error_response(why));
  switch (to.name) {
  case livez:
    return just(text_response("ok\n"));
  case readyz:
    return just(readiness(s));
  case metrics:
    return just(show_metrics(s));
  case create_run:
    return create(s, request);
  case list_runs: {
    auto order = parse_list(to.params);
    if (!order)
      return refuse(std::move(order));
    return relay<run_page>(s, *std::move(order), 200);
  }
  case active_run:
    return relay<run_view>(s, get_active_run{thread_id{to.id}}, 200);
  case nodes:
    return relay<node_list>(s, list_nodes{}, 200);
  case sandboxes:
    return relay<sandbox_list>(s, list_sandboxes{}, 200);
  case remove_sandbox:
    return drop_sandbox(s, to);
  case gc:
    return sweep(s, request);
  default:
    return answer_run(s, to, request);
  }
}

} // namespace baton::http
