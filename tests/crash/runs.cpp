// SPDX-License-Identifier: MIT
#include "tests/crash/runs.hpp"

#include "apps/baton/sse_parser.hpp"
#include "tests/crash/agent_output.hpp"

#include <boost/json.hpp>

#include <filesystem>

namespace baton::crash_test {
namespace {

namespace json = boost::json;
using clock = std::chrono::steady_clock;

constexpr auto end_patience = 90s;

std::string name_of(run_plan::ending x) {
  switch (x) {
  case run_plan::ending::plain:
    return "plain";
  case run_plan::ending::bare:
    return "bare";
  case run_plan::ending::forever:
    break;
  }
  return "forever";
}

std::string shown(const cli::http_response& x) {
  return std::to_string(x.head.code) + " " + x.body.substr(0, 300);
}

std::uint64_t number(const json::object& x, const char* name) {
  auto* v = x.if_contains(name);
  return v == nullptr ? 0 : v->to_number<std::uint64_t>();
}

} // namespace

tended_run::tended_run(const world& w, run_plan plan)
  : world_(w), plan_(std::move(plan)) {
  viewer_ = std::jthread{[this] {
    if (create()) {
      if (plan_.external)
        driver_ = std::jthread{[this] { drive(); }};
      watch();
    }
    over_ = true;
  }};
}

void tended_run::finish() {
  if (viewer_.joinable())
    viewer_.join();
  if (driver_.joinable())
    driver_.join();
}

// -- creating -----------------------------------------------------------------

std::string tended_run::request_json() const {
  json::object out{{"run_id", plan_.id}};
  if (plan_.external) {
    out["external"] = true;
    out["command"] = "outside";
  } else {
    out["command"] = json::array{json::string{BATON_CRASH_AGENT},
                                 json::string{notes()},
                                 json::string{std::to_string(plan_.seed)},
                                 json::string{std::to_string(plan_.lines)},
                                 json::string{std::to_string(plan_.pace_ms)},
                                 json::string{std::to_string(plan_.gate_at)},
                                 json::string{world_.gate()},
                                 json::string{name_of(plan_.ends)}};
  }
  return json::serialize(out);
}

bool tended_run::create() {
  auto answer = world_.ask({"POST", "/v1/runs", {}, request_json()});
  // 200: an earlier try was told to the store, but not to us.
  if (answer && (answer->head.code == 201 || answer->head.code == 200))
    return true;
  if (answer)
    complain("create: " + shown(*answer));
  return false;
}

// -- watching -----------------------------------------------------------------

void tended_run::watch() {
  auto until = clock::now() + end_patience;
  while (seen_.end.empty() && clock::now() < until)
    if (!watch_once())
      pause(10ms);
  if (seen_.end.empty())
    complain("its viewer saw no end, but " + std::to_string(seen_.last_seq)
             + " entries");
}

/// One connection, to its end; false when there was none.
bool tended_run::watch_once() {
  cli::http_request request{"GET", path("/events"), {}, {}};
  request.headers.emplace_back("Accept", "text/event-stream");
  if (seen_.last_seq > 0)
    request.headers.emplace_back("Last-Event-ID",
                                 std::to_string(seen_.last_seq));
  cli::sse_parser parser;
  auto take = [this](const cli::sse_event& x) {
    if (x.name == "end") {
      seen_.end = x.data;
      return false;
    }
    // I8: exactly the next one, whatever died in between.
    if (x.id != std::to_string(seen_.last_seq + 1))
      complain("I8: its viewer saw event " + x.id + " behind "
               + std::to_string(seen_.last_seq));
    seen_.last_seq += 1;
    seen_.entries.push_back(x.data);
    cancel_when_due(seen_.last_seq);
    return true;
  };
  auto got = world_.client().stream(request, 30s, [&](std::string_view bytes) {
    return parser.feed(bytes, take);
  });
  if (!got || got->head.code == 0)
    return false;
  if (got->head.code == 404)
    complain("I4: it was acknowledged and is unknown: " + got->error_body);
  return got->head.code == 200;
}

void tended_run::cancel_when_due(std::uint64_t seq) {
  if (!plan_.cancel_at || seq < *plan_.cancel_at || cancelled_)
    return;
  cancelled_ = true;
  auto answer = world_.ask({"POST", path("/cancel"), {}, {}});
  if (answer && answer->head.code != 202)
    complain("cancel: " + shown(*answer));
}

// -- driving from outside -----------------------------------------------------

/// True when there is a new epoch.
bool tended_run::claim(bool steal) {
  json::object wish{{"holder", "driver"}, {"ttl_ms", 60'000}, {"steal", steal}};
  auto answer = world_.ask({"POST", path("/claim"), {}, json::serialize(wish)});
  if (!answer)
    return false;
  // The grant of an earlier try was never told: take it.
  if (answer->head.code == 409 && !steal)
    return claim(true);
  if (answer->head.code != 200) {
    complain("claim: " + shown(*answer));
    return false;
  }
  auto epoch = number(json::parse(answer->body).as_object(), "epoch");
  if (!promised_.epochs.empty() && epoch <= promised_.epochs.back())
    complain("I6: epoch " + std::to_string(epoch) + " was granted behind "
             + std::to_string(promised_.epochs.back()));
  promised_.epochs.push_back(epoch);
  return true;
}

void tended_run::append(std::uint64_t first, const std::string& body) {
  cli::http_request request{"POST", path("/entries"), {}, body};
  request.headers = {
    {"Baton-Epoch", std::to_string(promised_.epochs.back())},
    {"Baton-Seq", std::to_string(first)},
    {"Baton-Position", std::to_string(promised_.acked.size())}};
  auto answer = world_.ask(request);
  if (!answer)
    return;
  if (answer->head.code != 200)
    return complain("append at " + std::to_string(first) + ": "
                    + shown(*answer));
  promised_.acked += body;
  auto told = json::parse(answer->body).as_object();
  if (number(told, "position") != promised_.acked.size())
    complain("append at " + std::to_string(first) + " ends at "
             + std::to_string(promised_.acked.size()) + ", was told "
             + shown(*answer));
  // What was acknowledged may be said once more, and changes nothing.
  if (first % 3 != 0)
    return;
  answer = world_.ask(request);
  if (answer
      && (answer->head.code != 200
          || answer->body.find("\"duplicate\":true") == std::string::npos))
    complain("the same append once more: " + shown(*answer));
}

void tended_run::drive() {
  if (!claim(false))
    return;
  test::seeded random{plan_.seed};
  for (std::uint64_t i = 0; i < plan_.lines;) {
    if (i >= plan_.gate_at)
      wait_until([this] { return std::filesystem::exists(world_.gate()); },
                 60s);
    auto n = std::min(1 + random.below(6), plan_.lines - i);
    std::string body;
    for (std::uint64_t k = 0; k < n; ++k)
      body += agent_line(plan_.seed, i + k);
    append(i + 1, body);
    i += n;
    // Another epoch now and then, as after a driver's own crash.
    if (random.below(8) == 0 && !claim(true))
      return;
    pause(millis{plan_.pace_ms});
  }
  cli::http_request last{
    "POST", path("/finish"), {}, R"({"status":"completed"})"};
  last.headers = {{"Baton-Epoch", std::to_string(promised_.epochs.back())}};
  auto answer = world_.ask(last);
  if (answer && answer->head.code != 200)
    complain("finish: " + shown(*answer));
  else if (answer)
    promised_.finished_status = "completed";
}

} // namespace baton::crash_test
