// SPDX-License-Identifier: MIT
// Goal: sandboxes, sweeps, trims and the stages of a cancel as `baton` shows
// them. Method: the built program against a scripted server.
#include "tests/apps/baton/cli_process.hpp"
#include "tests/apps/baton/scripted_server.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>

using namespace baton::test;

namespace {

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

bool has_path(const seen_request& r, std::string_view path) {
  return r.target.substr(0, r.target.find('?')) == path;
}

std::string error(const std::string& code, const std::string& message) {
  return R"({"error":{"code":")" + code + R"(","message":")" + message
         + R"("}})";
}

cli_process client(const scripted_server& server,
                   std::vector<std::string> args) {
  return cli_process{std::move(args),
                     {"BATON_SERVER=" + server.url(), "HOME=/nonexistent"}};
}

} // namespace

BOOST_AUTO_TEST_SUITE(apps_baton_upkeep)

BOOST_AUTO_TEST_CASE(gc_says_that_nothing_was_removed_when_nobody_sweeps) {
  scripted_server server{"", [&](const seen_request&, const peer& p) {
                           p.answer(404, error("not_found", "no resource"));
                         }};
  auto baton = client(server, {"gc"});
  BOOST_TEST(baton.wait() == 125);
  BOOST_TEST(baton.err().find("nothing was removed") != std::string::npos);
  BOOST_TEST(baton.out().empty());
}

BOOST_AUTO_TEST_CASE(gc_shows_each_thing_with_its_reason_and_who_was_silent) {
  scripted_server server{
    "", [&](const seen_request& r, const peer& p) {
      auto fate = contains(r.body, "true") ? "removed" : "removable";
      p.answer(200, R"({"found":[{"node":"n1","provider":"local","id":"b1",)"
                    R"("fate":")"
                      + std::string{fate}
                      + R"(","reason":"its run has ended"}],)"
                        R"("silent_nodes":["n2"]})");
    }};
  auto dry = client(server, {"gc", "--dry-run"});
  BOOST_TEST(dry.wait() == 0);
  BOOST_TEST(server.seen().back().body == R"({"remove":false})");
  BOOST_TEST(contains(dry.out(), "removable"));
  BOOST_TEST(contains(dry.out(), "its run has ended"));
  BOOST_TEST(contains(dry.err(), "node n2 did not answer"));
  auto real = client(server, {"gc", "--json"});
  BOOST_TEST(real.wait() == 0);
  BOOST_TEST(server.seen().back().body == R"({"remove":true})");
  BOOST_TEST(contains(real.out(), R"("fate":"removed")"));
}

BOOST_AUTO_TEST_CASE(gc_exits_with_1_when_something_could_not_be_removed) {
  scripted_server server{
    "", [&](const seen_request&, const peer& p) {
      p.answer(200, R"({"found":[{"node":"n","provider":"local","id":"b",)"
                    R"("fate":"failed","reason":"busy"}],"silent_nodes":[]})");
    }};
  auto baton = client(server, {"gc"});
  BOOST_TEST(baton.wait() == 1);
  BOOST_TEST(contains(baton.out(), "busy"));
}

BOOST_AUTO_TEST_CASE(gc_says_in_json_too_that_there_was_nothing) {
  scripted_server server{"", [&](const seen_request&, const peer& p) {
                           p.answer(200, R"({"found":[],"silent_nodes":[]})");
                         }};
  auto baton = client(server, {"gc", "--json"});
  BOOST_TEST(baton.wait() == 0);
  BOOST_TEST(baton.out() == "{\"found\":[],\"silent_nodes\":[]}\n");
}

namespace {

std::string sandbox(const std::string& key, const std::string& more) {
  return R"({"key":")" + key + R"(","provider":"local","id":"b1",)"
         + R"("thread_id":"01a229ed-3c04-783b-9372-a71001d76f25",)"
         + R"("host_label":"3d1219c7c4c5404aaa1f6d2a48adfda4",)"
         + R"("state":"must_destroy",)"
         + R"("created_at":"2026-11-29T15:00:00.000Z",)" + more + "}";
}

script listing(const std::vector<std::string>& list) {
  return [list](const seen_request& r, const peer& p) {
    if (r.method == "DELETE")
      return p.answer(202, R"({"state":"must_destroy"})");
    std::string all;
    for (const auto& x : list)
      all += (all.empty() ? "" : ",") + x;
    p.answer(200, R"({"sandboxes":[)" + all + "]}");
  };
}

} // namespace

BOOST_AUTO_TEST_CASE(sandboxes_show_state_owner_and_last_error_in_100_columns) {
  auto key = std::string(8, 'a') + std::string(56, '1');
  auto other = std::string(8, 'a') + std::string(56, '2');
  scripted_server server{
    "", listing({sandbox(key, R"("run_id":"r1","attempts":3,)"
                              R"("last_error":"host h1 is away")"),
                 sandbox(other, R"("attempts":0)")})};
  auto list = client(server, {"sandboxes"});
  BOOST_TEST(list.wait() == 0);
  BOOST_TEST(contains(list.out(), "must_destroy"));
  BOOST_TEST(contains(list.out(), "r1\n"));
  BOOST_TEST(contains(list.out(), "thread 01a229ed-3c04-783b-9372-"));
  BOOST_TEST(contains(list.out(), "tried 3 times, last: host h1 is away"));
  // A beginning that no other has, and no more.
  BOOST_TEST(contains(list.out(), "\naaaaaaaa1 "));
  for (std::size_t at = 0, end = 0; at < list.out().size(); at = end + 1) {
    end = list.out().find('\n', at);
    auto line = list.out().substr(at, end - at);
    BOOST_TEST(line.size() <= 102u, line); // The ellipsis has three bytes.
  }
}

BOOST_AUTO_TEST_CASE(a_sandbox_is_removed_by_a_beginning_that_no_other_has) {
  auto key = std::string(8, 'a') + std::string(56, '1');
  auto other = std::string(8, 'a') + std::string(56, '2');
  scripted_server server{"", listing({sandbox(key, R"("attempts":0)"),
                                      sandbox(other, R"("attempts":0)")})};
  auto remove = client(server, {"sandboxes", "rm", "aaaaaaaa2"});
  BOOST_TEST(remove.wait() == 0);
  BOOST_TEST(server.seen().back().target == "/v1/sandboxes/" + other);
  BOOST_TEST(remove.out() == other + "\n");
  auto whole = client(server, {"sandboxes", "rm", key});
  BOOST_TEST(whole.wait() == 0);
  BOOST_TEST(server.seen().back().target == "/v1/sandboxes/" + key);

  auto both = client(server, {"sandboxes", "rm", "aaa"});
  BOOST_TEST(both.wait() == 2);
  BOOST_TEST(contains(both.err(), "aaaaaaaa1, aaaaaaaa2"));
  auto none = client(server, {"sandboxes", "rm", "b"});
  BOOST_TEST(none.wait() == 1);
  BOOST_TEST(contains(none.err(), "'b'"));
  BOOST_TEST(server.seen().back().method == "GET");
}

BOOST_AUTO_TEST_CASE(trim_names_the_first_entry_to_keep) {
  scripted_server server{
    "", [&](const seen_request&, const peer& p) { p.answer(200, "{}"); }};
  auto baton = client(server, {"trim", "r/1", "--before", "41"});
  BOOST_TEST(baton.wait() == 0);
  BOOST_TEST(server.seen().back().target == "/v1/runs/r%2F1/trim");
  BOOST_TEST(server.seen().back().body == R"({"before":41})");
  BOOST_TEST(client(server, {"trim", "r"}).wait() == 2);
  BOOST_TEST(client(server, {"trim", "r", "--before", "x"}).wait() == 2);
}

BOOST_AUTO_TEST_CASE(a_trimmed_log_is_one_line_and_exit_1) {
  auto trimmed = error("trimmed", "run x: entries up to 4 were trimmed");
  scripted_server refusing{
    "", [&](const seen_request&, const peer& p) { p.answer(410, trimmed); }};
  for (std::string verb : {"logs", "attach"}) {
    auto baton = client(refusing, {verb, "--json", "x"});
    BOOST_TEST(baton.wait() == 1, verb);
    BOOST_TEST(baton.err()
               == "baton: " + verb + ": run x: entries up to 4 were trimmed\n");
  }
}

BOOST_AUTO_TEST_CASE(inspect_shows_the_stages_of_a_cancel) {
  scripted_server server{
    "", [&](const seen_request& r, const peer& p) {
      if (has_path(r, "/v1/runs/r1/claims"))
        return p.answer(200, R"({"claims":[]})");
      p.answer(200,
               R"({"run_id":"r1","status":"aborted","cancel_requested":true,)"
               R"("entries":9,"trimmed":4,)"
               R"("sandbox":{"provider":"local","state":"must_destroy"},)"
               R"("cancel":{"requested_at":"2026-11-29T15:00:00.000Z",)"
               R"("delivered_at":"2026-11-29T15:00:01.000Z",)"
               R"("stopped_at":"2026-11-29T15:00:02.000Z",)"
               R"("stage":"stopped"}})");
    }};
  auto human = client(server, {"inspect", "r1"});
  BOOST_TEST(human.wait() == 0);
  BOOST_TEST(contains(human.out(), "cancel:         stopped"));
  BOOST_TEST(contains(human.out(), "recorded:     2026-11-29T15:00:00.000Z"));
  BOOST_TEST(contains(human.out(), "delivered:    2026-11-29T15:00:01.000Z"));
  BOOST_TEST(contains(human.out(), "stopped:      2026-11-29T15:00:02.000Z"));
  BOOST_TEST(contains(human.out(), "sandbox:      must_destroy"));
  BOOST_TEST(contains(human.out(), "entries 1 to 4"));
}

BOOST_AUTO_TEST_CASE(a_workspace_is_shown_and_that_it_may_be_in_the_making) {
  auto record = [](int position) {
    return R"({"run_id":"r1","status":"running","node":"n1","position":)"
           + std::to_string(position)
           + R"(,"command":["c"],"sandbox":{"provider":"bwrap","reuse":true,)"
             R"("network":false,"workspace":{"source":{"git":)"
             R"({"url":"https://h/r","ref":"main"}},"setup_steps":2,)"
             R"("secrets":["KEY"]}}})";
  };
  int position = 0;
  scripted_server server{
    "", [&](const seen_request& r, const peer& p) {
      if (has_path(r, "/v1/runs/r1/claims"))
        return p.answer(200, R"({"claims":[]})");
      if (has_path(r, "/v1/runs/r1"))
        return p.answer(200, record(position));
      p.answer(200, R"({"runs":[)"
                      + (contains(r.target, "running") ? record(position) : "")
                      + "]}");
    }};
  auto human = client(server, {"inspect", "r1"});
  BOOST_TEST(human.wait() == 0);
  BOOST_TEST(contains(human.out(), "workspace:      git:https://h/r#main\n"));
  BOOST_TEST(contains(human.out(), "set-up:       2 steps\n"));
  BOOST_TEST(contains(human.out(), "network:      off\n"));
  BOOST_TEST(contains(human.out(), "reuse:        with the runs"));
  BOOST_TEST(contains(human.out(), "KEY"));
  BOOST_TEST(contains(human.out(), "stage:        set-up, or"));
  auto list = client(server, {"ps"});
  BOOST_TEST(list.wait() == 0);
  BOOST_TEST(contains(list.out(), "running (set-up?)"));

  position = 7;
  auto later = client(server, {"inspect", "r1"});
  BOOST_TEST(later.wait() == 0);
  BOOST_TEST(!contains(later.out(), "stage:"));
}

BOOST_AUTO_TEST_CASE(status_shows_which_node_it_is_and_its_http_address) {
  scripted_server server{
    "", [&](const seen_request& r, const peer& p) {
      if (has_path(r, "/metrics"))
        return p.answer(200, "# x\nbaton_build_info{version=\"1.2\"} 1\n"
                             "baton_node_info{node=\"a\\\"b\","
                             "http=\"127.0.0.1:7071\"} 1\n");
      if (has_path(r, "/v1/nodes"))
        return p.answer(200, R"({"nodes":[{"state":"live"}]})");
      p.answer(200, R"({"runs":[]})");
    }};
  auto baton = client(server, {"status"});
  BOOST_TEST(baton.wait() == 0);
  BOOST_TEST(contains(baton.out(), "http:    127.0.0.1:7071\n"));
  BOOST_TEST(contains(baton.out(), "node:    a\"b\n"));
  BOOST_TEST(contains(baton.out(), "version: 1.2\n"));
  BOOST_TEST(contains(baton.out(), "nodes:   1 live of 1\n"));
  auto json = client(server, {"status", "--json"});
  BOOST_TEST(json.wait() == 0);
  BOOST_TEST(contains(json.out(), R"("http":"127.0.0.1:7071")"));
}

BOOST_AUTO_TEST_CASE(
  a_worker_without_coordinator_is_told_at_once_and_waited_for) {
  std::atomic<bool> is_back{false};
  scripted_server server{
    "", [&](const seen_request& r, const peer& p) {
      if (has_path(r, "/readyz"))
        return p.answer(503, error("unavailable", "10.0.0.1:7071: refused"));
      if (is_back)
        return p.answer(400, error("malformed", "end of this test"));
      p.answer(503, error("unavailable", "this node has no coordinator right "
                                         "now; try again"));
    }};
  auto run = client(server, {"run", "--", "c"});
  BOOST_TEST(wait_until([&] { return contains(run.err(), "\n"); }));
  BOOST_TEST(contains(run.err(), "no coordinator is reachable"));
  BOOST_TEST(contains(run.err(), "10.0.0.1:7071: refused"));
  is_back = true;
  BOOST_TEST(run.wait() == 125);
  auto first = run.err().find("no coordinator");
  BOOST_TEST(run.err().find("no coordinator", first + 1) == std::string::npos);

  auto status = client(server, {"status"});
  BOOST_TEST(status.wait() == 1);
  BOOST_TEST(contains(status.out(), "no coordinator is reachable"));
  BOOST_TEST(!contains(status.out(), "0 live"));
  is_back = false;
  auto list = client(server, {"ps"});
  BOOST_TEST(list.wait() == 125);
  BOOST_TEST(contains(list.err(), "(baton status tells why)"));
}

BOOST_AUTO_TEST_SUITE_END()
