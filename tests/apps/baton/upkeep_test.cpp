// SPDX-License-Identifier: MIT
// Goal: sandboxes, sweeps, trims and the stages of a cancel as `baton` shows
// them. Method: the built program against a scripted server.
#include "tests/apps/baton/cli_process.hpp"
#include "tests/apps/baton/scripted_server.hpp"

#include <boost/test/unit_test.hpp>

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

BOOST_AUTO_TEST_CASE(sandboxes_show_state_owner_and_last_error) {
  scripted_server server{
    "", [&](const seen_request& r, const peer& p) {
      if (r.method == "DELETE")
        return p.answer(202, R"({"key":"k1","state":"must_destroy"})");
      p.answer(200, R"({"sandboxes":[{"key":"k1","provider":"local",)"
                    R"("id":"b1","thread_id":"t1","run_id":"r1",)"
                    R"("host_label":"h1","state":"must_destroy",)"
                    R"("created_at":"2026-11-29T15:00:00.000Z",)"
                    R"("attempts":3,"last_error":"host h1 is away"}]})");
    }};
  auto list = client(server, {"sandboxes"});
  BOOST_TEST(list.wait() == 0);
  BOOST_TEST(contains(list.out(), "LAST ERROR"));
  BOOST_TEST(contains(list.out(), "must_destroy"));
  BOOST_TEST(contains(list.out(), "r1"));
  BOOST_TEST(contains(list.out(), "host h1 is away"));
  auto remove = client(server, {"sandboxes", "rm", "k1"});
  BOOST_TEST(remove.wait() == 0);
  BOOST_TEST(server.seen().back().target == "/v1/sandboxes/k1");
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

BOOST_AUTO_TEST_SUITE_END()
