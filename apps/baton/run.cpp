// SPDX-License-Identifier: MIT
// `baton run`: starts a run, prints what its agent prints, ends as it ends.
#include "apps/baton/api.hpp"
#include "apps/baton/daemon_facts.hpp"
#include "apps/baton/interrupts.hpp"
#include "apps/baton/log_follower.hpp"
#include "apps/baton/placement.hpp"
#include "apps/baton/render.hpp"
#include "apps/baton/run_request.hpp"
#include "apps/baton/verbs.hpp"
#include "apps/settings/settings.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <utility>

namespace baton::cli {

namespace {

using std::chrono::milliseconds;

/// A daemon that restarts or a worker without coordinator is back by then.
constexpr milliseconds create_limit{15'000};
constexpr milliseconds retry_delay{250};
/// A node that has just come is offered what waits within that time.
constexpr milliseconds placement_limit{1'000};
constexpr milliseconds placement_poll{100};
/// How long a second Ctrl-C means "cancel".
constexpr milliseconds cancel_window{1'000};

run_request_input gather(const context& c, const server_address& server) {
  run_request_input in;
  in.env = c.env();
  in.is_local = is_local(server);
  std::error_code ec;
  in.caller_cwd = std::filesystem::current_path(ec).string();
  in.now = now_for_people();
  ignore_result(::getrandom(in.random.data(), in.random.size(), 0),
                "without it the id is unique by its time");
  in.read_file = [](const std::string& path) {
    return read_text_file(path == "-" ? "/dev/stdin" : path);
  };
  return in;
}

/// Whoever waits is told what for.
void mention_coordinator(context& c, const http_client& client) {
  auto why = daemon_readiness(client);
  c.complain("run", "no coordinator is reachable from "
                      + to_text(client.options().server)
                      + (why.ok() ? std::string{} : ": " + why.message)
                      + "; trying for "
                      + std::to_string(create_limit.count() / 1000) + " s");
}

/// Repeats the identical request until it is known to have been taken.
result<api_answer> create(context& c, const http_client& client,
                          const interrupts& ctrl_c, const std::string& body) {
  auto until = std::chrono::steady_clock::now() + create_limit;
  auto is_mentioned = false;
  for (;;) {
    auto answer = call(client, "POST", "/v1/runs", body);
    if (answer.ok())
      return answer;
    auto code = answer.error().code;
    auto may_pass = code == errc::unavailable || code == errc::outcome_unknown;
    if (!may_pass || std::chrono::steady_clock::now() >= until)
      return answer;
    if (is_without_coordinator(answer.error())
        && !std::exchange(is_mentioned, true))
      mention_coordinator(c, client);
    if (ctrl_c.wait_for(1, retry_delay))
      return {errc::cancelled, "interrupted"};
  }
}

/// Says, once, what a run that nobody has launched waits for.
void mention_wait(context& c, const http_client& client,
                  const interrupts& ctrl_c, const run_options& o,
                  boost::json::value record) {
  auto until = std::chrono::steady_clock::now() + placement_limit;
  while (record.is_object() && waits(record.get_object())) {
    auto id = text_at(record.get_object(), "run_id");
    if (std::chrono::steady_clock::now() >= until) {
      auto nodes = fetch_list(client, "/v1/nodes", "nodes");
      if (nodes.ok())
        c.complain("run", waiting_text(record.get_object(), o.node, *nodes));
      return;
    }
    if (ctrl_c.wait_for(1, placement_poll))
      return;
    auto answer = call(client, "GET", run_path(id));
    // Whoever follows the run is told what is wrong.
    if (!answer)
      return;
    record = std::move(answer->body);
  }
}

/// The first Ctrl-C detached; a second one within a second cancels.
int leave(context& c, const http_client& client, const interrupts& ctrl_c,
          const std::string& id) {
  c.complain("run", "detached, " + id
                      + " goes on (come back with: baton "
                        "attach "
                      + id + "; Ctrl-C again now cancels it)");
  if (!ctrl_c.wait_for(2, cancel_window))
    return exit_interrupted;
  auto options = client.options();
  options.wake_fd = -1;
  auto answer = call(http_client{options}, "POST", run_path(id, "/cancel"));
  if (!answer.ok())
    c.complain("run",
               answer.error().message + " (" + id + " was not cancelled)");
  else
    c.complain("run", "cancelled " + id);
  return exit_interrupted;
}

/// The agent's exit code, or what it means that there is none.
int conclude(context& c, const std::string& id, const std::string& text) {
  boost::system::error_code ec;
  auto parsed = boost::json::parse(text, ec);
  if (ec || !parsed.is_object()) {
    c.complain("run", id
                        + " ended, but its record cannot be read (try: baton "
                          "inspect "
                        + id + ")");
    return exit_failed;
  }
  auto& record = parsed.get_object();
  auto code = integer_at(record, "exit_code");
  auto is_completed = text_at(record, "status") == "completed";
  if (!is_completed)
    c.complain("run", id + " " + end_text(record));
  if (code)
    return static_cast<int>(*code & 0xFF);
  return is_completed ? exit_done : exit_failed;
}

int follow(context& c, const http_client& client, const interrupts& ctrl_c,
           const std::string& id, std::uint64_t trimmed) {
  log_follower follower{client, ctrl_c, [&](const std::string& why) {
                          c.complain(
                            "run", why + " (" + id
                                     + " goes on; "
                                       "waiting for the daemon, which 'batond' "
                                       "or any baton command starts)");
                        }};
  if (trimmed > 0)
    c.complain("run", trimmed_text(id, trimmed));
  auto got =
    follower.journal_behind({id, trimmed, true}, [&](std::string_view bytes) {
      return c.out().write(bytes);
    });
  if (!got) {
    c.fail("run", got.error());
    return exit_failed;
  }
  switch (got->end) {
  case follow_end::interrupted:
    return leave(c, client, ctrl_c, id);
  case follow_end::stopped:
    if (c.finish("run") == exit_done)
      c.complain("run", "nobody reads stdout any more, " + id
                          + " goes on (come back with: baton attach " + id
                          + ")");
    return exit_failed;
  default:
    return conclude(c, id, got->record);
  }
}

/// Every failure of baton's own is one code here: the others are the agent's.
int fail_run(context& c, const status& why) {
  if (c.fail("run", why) == exit_interrupted)
    return exit_interrupted;
  return exit_failed;
}

} // namespace

int run(context& c, const run_options& o) {
  if (auto why = check_flags(o); !why.ok())
    return fail_run(c, why);
  interrupts ctrl_c;
  auto client = c.connect(start_policy::may_start, ctrl_c.fd());
  if (!client)
    return fail_run(c, client.error());
  auto request = make_run_request(o, gather(c, client->options().server));
  if (!request)
    return fail_run(c, request.error());
  auto answer = create(c, *client, ctrl_c, request->body);
  if (!answer)
    return fail_run(c, answer.error());
  auto body = answer->body.if_object();
  auto id = body ? text_at(*body, "run_id") : std::string{};
  if (id.empty())
    id = request->id;
  if (answer->code == 200 && o.id)
    c.complain("run", id
                        + " exists already, showing it (another --id starts "
                          "another run)");
  if (o.detach) {
    ignore_result(c.out().write(id + "\n"), "finish reports it");
    mention_wait(c, *client, ctrl_c, o, answer->body);
    return c.finish("run");
  }
  mention_wait(c, *client, ctrl_c, o, answer->body);
  return follow(c, *client, ctrl_c, id, body ? number_at(*body, "trimmed") : 0);
}

} // namespace baton::cli
