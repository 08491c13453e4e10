// SPDX-License-Identifier: MIT
// Goal: the end of a run is true (I5): lost, expired, cancelled, forged and
// merely quiet agents (field cases BR-009, BR-011, BR-013, BR-051).
#include "tests/support/agents.hpp"
#include "tests/support/run_log.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <signal.h>

#include <filesystem>

namespace baton::test {
namespace {

namespace fs = std::filesystem;

std::string text(const json::object& record, std::string_view name) {
  return json::value_to<std::string>(record.at(name));
}

std::string error_code(const json::object& record) {
  auto* error = record.if_contains("error");
  return error == nullptr ? "" : text(error->as_object(), "code");
}

/// R6.
void expect_nothing_left(const daemon& d, const json::object& record) {
  auto sandbox = text(record.at("sandbox").as_object(), "id");
  BOOST_TEST(wait_until([&] { return !fs::exists(sandbox); }, 10s));
  BOOST_TEST(wait_until([&] { return d.agents().empty(); }, 10s));
}

constexpr auto ignores_nothing_but_says_zero =
  "trap 'exit 0' TERM; echo ready; while :; do sleep 0.05; done";

} // namespace

BOOST_AUTO_TEST_SUITE(system_endings)

// BR-009 a.
BOOST_AUTO_TEST_CASE(agent_and_shim_killed_at_once_end_the_run_as_agent_lost) {
  daemon d;
  d.start();
  auto run = d.create("echo 1; echo 2; echo 3; sleep 600");
  auto viewer = d.view(run);
  BOOST_TEST(viewer.pump_until([&] { return viewer.events().size() == 3; }));

  auto all = d.agents();
  BOOST_TEST(all.size() >= 2u);
  for (auto signal : {SIGSTOP, SIGKILL})
    for (auto pid : all)
      ::kill(pid, signal);

  BOOST_TEST(viewer.pump_to_end(5s));
  BOOST_TEST(viewer.whole());
  BOOST_TEST(viewer.events().back().type == "end");
  auto record = d.wait_for_end(run);
  BOOST_TEST(text(record, "status") == "failed");
  BOOST_TEST(error_code(record) == "agent_lost");
  BOOST_TEST(!record.contains("exit_code"));
  expect_invariants(d, run);
  expect_nothing_left(d, record);
}

// BR-009 b.
BOOST_AUTO_TEST_CASE(an_unwatched_run_expires_and_is_never_completed) {
  daemon d;
  d.start({"--detached-ttl", "2s", "--sweep-interval", "1s"});
  auto run = d.create("echo 1; echo 2; echo 3; sleep 600");
  auto watched = d.create("echo 1; sleep 600");
  auto viewer = d.view(watched);
  auto record = d.wait_for_end(run, 15s);
  BOOST_TEST(text(record, "status") == "aborted");
  BOOST_TEST(error_code(record) == "expired");
  expect_invariants(d, run);
  viewer.pump(10ms);
  BOOST_TEST(d.status_of(watched) == "running");
  BOOST_TEST(d.request("POST", daemon::path(watched, "/cancel")).status == 202);
  d.wait_for_end(watched);
  expect_nothing_left(d, record);
}

// BR-011.
BOOST_AUTO_TEST_CASE(a_quiet_agent_is_left_alone_and_its_viewers_kept_alive) {
  daemon d;
  d.start({"--lease", "1s", "--detached-ttl", "1h"});
  auto late = d.create("sleep 14; echo '{\"late\":1}'");
  auto quiet = d.create("echo '{\"a\":1}'; sleep 17; echo '{\"b\":2}'");
  auto viewer = d.view(quiet);
  BOOST_TEST(viewer.pump_to_end());
  BOOST_TEST(viewer.comments() >= 1u);
  BOOST_TEST(viewer.events().size() == 3u);
  for (const auto& run : {late, quiet}) {
    auto record = d.wait_for_end(run);
    BOOST_TEST(text(record, "status") == "completed");
    BOOST_TEST(record.at("epoch").as_int64() == 1);
    expect_invariants(d, run);
  }
  BOOST_TEST(read_journal(d, quiet) == "{\"a\":1}\n{\"b\":2}\n");
  BOOST_TEST(read_journal(d, late) == "{\"late\":1}\n");
}

// BR-013.
BOOST_AUTO_TEST_CASE(lines_that_look_like_an_end_are_plain_data) {
  daemon d;
  d.start();
  auto donor = d.create("echo x; " + wait_for_file(d.file("donor")));
  d.wait_for_entries(donor, 1);
  auto sandbox = text(d.record(donor).at("sandbox").as_object(), "id");
  // Held open, so that it can be read after the sandbox is gone.
  std::ifstream journal{sandbox + "/journal", std::ios::binary};
  write_file(d.file("donor"), "");
  d.wait_for_end(donor);
  std::string stolen{std::istreambuf_iterator<char>{journal}, {}};
  BOOST_TEST_REQUIRE(stolen.starts_with("x\n"));
  BOOST_TEST_REQUIRE(stolen.size() > 10u);
  auto forged = std::string{"{\"__exit\":0}\n{\"__exit\":0,\"__nonce\":\"\"}\n"
                            "{\"exit\":0}\n"
                            "{\"type\":\"result\",\"subtype\":\"success\"}\n"}
                + stolen.substr(2);
  if (!forged.ends_with('\n'))
    forged += '\n';
  // And one that stands where it says that the output ends.
  auto nonce = stolen.substr(stolen.find("\"nonce\":"));
  forged += "{\"baton_exit\":{\"code\":0,\"journal_end\":"
            + std::to_string(forged.size()) + "," + nonce;
  if (!forged.ends_with('\n'))
    forged += '\n';

  auto run = d.create(print_bytes(d, "forged", forged)
                      + wait_for_file(d.file("go")) + "echo after; exit 7");
  auto lines = std::count(forged.begin(), forged.end(), '\n');
  d.wait_for_entries(run, lines);
  BOOST_TEST(!wait_until([&] { return d.status_of(run) != "running"; }, 3s));
  BOOST_TEST(fs::exists(text(d.record(run).at("sandbox").as_object(), "id")));
  write_file(d.file("go"), "");
  auto record = d.wait_for_end(run);
  BOOST_TEST(record.at("exit_code").as_int64() == 7);
  BOOST_TEST(read_journal(d, run) == forged + "after\n");
  expect_invariants(d, run);
}

// BR-051.
BOOST_AUTO_TEST_CASE(an_agent_that_exits_0_when_told_to_end_was_aborted) {
  daemon d;
  d.start();
  auto run = d.create(ignores_nothing_but_says_zero);
  auto moved = d.create(ignores_nothing_but_says_zero);
  d.wait_for_entries(run, 1);
  d.wait_for_entries(moved, 1);
  BOOST_TEST(d.request("POST", daemon::path(run, "/cancel")).status == 202);
  auto takeover = d.request("POST", daemon::path(moved, "/takeover"));
  BOOST_TEST(takeover.status == 200, takeover.body);
  BOOST_TEST(d.request("POST", daemon::path(moved, "/cancel")).status == 202);
  for (const auto& x : {run, moved}) {
    auto record = d.wait_for_end(x, 15s);
    BOOST_TEST(text(record, "status") == "aborted");
    BOOST_TEST(error_code(record) == "cancelled");
    BOOST_TEST(d.request("POST", daemon::path(x, "/cancel")).status == 202);
    expect_invariants(d, x);
    expect_nothing_left(d, record);
    BOOST_TEST(text(d.record(x), "finished_at") == text(record, "finished_at"));
  }
}

// BR-051.
BOOST_AUTO_TEST_CASE(an_agent_that_exits_0_when_it_expires_was_aborted) {
  daemon d;
  d.start({"--detached-ttl", "1s", "--sweep-interval", "1s"});
  auto run = d.create(ignores_nothing_but_says_zero);
  auto record = d.wait_for_end(run, 15s);
  BOOST_TEST(text(record, "status") == "aborted");
  BOOST_TEST(error_code(record) == "expired");
  expect_invariants(d, run);
  d.kill9();
  d.restart();
  BOOST_TEST(text(d.record(run), "finished_at") == text(record, "finished_at"));
}

BOOST_AUTO_TEST_CASE(a_cancel_reaches_the_whole_tree_within_seconds) {
  daemon d;
  d.start();
  auto run = d.create("trap '' TERM; (setsid sh -c \"trap '' TERM; sleep 600\" "
                      "&) ; (sleep 600 &); echo up; sleep 600");
  d.wait_for_entries(run, 1);
  BOOST_TEST(d.agents().size() >= 4u);
  BOOST_TEST(d.request("POST", daemon::path(run, "/cancel")).status == 202);
  auto record = d.wait_for_end(run, 15s);
  BOOST_TEST(text(record, "status") == "aborted");
  expect_nothing_left(d, record);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test
