// SPDX-License-Identifier: MIT
// Goal: sandboxes and records go when they should and not before (field cases
// BR-039, BR-041, BR-047, BR-054), and a cancel outlives its nodes (I11).
// Method: real nodes, asked over HTTP; each case as its report tells it.
#include "tests/reclaim/traces.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <set>

namespace baton::test {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> brisk{"--grace", "200ms", "--sweep-interval",
                                     "500ms"};

std::string text(const json::object& x, const char* name) {
  return json::value_to<std::string>(x.at(name));
}

json::object with_workspace(const std::string& run, const std::string& command,
                            const std::string& thread,
                            const std::string& setup) {
  return {
    {"run_id", run},
    {"thread_id", thread},
    {"command", command},
    {"sandbox", {{"reuse", true}, {"workspace", {{"setup", {{setup}}}}}}}};
}

std::size_t lines_in(const std::string& path) {
  auto all = content_of(path);
  return static_cast<std::size_t>(std::ranges::count(all, '\n'));
}

} // namespace

BOOST_AUTO_TEST_SUITE(reclaim_sandboxes)

// BR-041
BOOST_AUTO_TEST_CASE(twenty_starts_over_three_nodes_share_one_sandbox) {
  cluster c{{.workers = 2, .lease = "5s", .more = brisk}};
  for (int round = 0; round < 3; ++round) {
    auto name = "k" + std::to_string(round);
    auto count = c.file(name + ".setups");
    std::set<std::string> seen;
    // (a) the key is new; (b) its sandbox is there.
    for (int part = 0; part < 2; ++part) {
      std::vector<std::string> runs;
      for (std::size_t i = 0; i < 20; ++i) {
        runs.push_back(name + "-" + std::to_string(part) + "-"
                       + std::to_string(i));
        auto got = c.node(i % 3).create_raw(with_workspace(
          runs.back(), "pwd", name, "echo x >>'" + count + "'; sleep 0.1"));
        BOOST_TEST(got.status == 201, got.body);
      }
      for (const auto& run : runs) {
        auto end = c.coordinator().wait_for_end(run);
        BOOST_TEST(text(end, "status") == "completed");
        seen.insert(text(end.at("sandbox").as_object(), "shared_id"));
      }
    }
    BOOST_TEST(seen.size() == 1U);
    BOOST_TEST(lines_in(count) == 1U);
  }
  BOOST_TEST(wait_until([&] {
    auto told = sandboxes_told(c.coordinator());
    return told && told->size() == 3;
  }));
}

// BR-039
BOOST_AUTO_TEST_CASE(runs_that_fail_before_their_agent_starts_leave_nothing) {
  cluster c{{.workers = 2, .lease = "1s", .more = brisk}};
  auto first = with_workspace("first", "echo 1 >kept", "t", "true");
  BOOST_TEST(c.node(1).create_raw(first).status == 201);
  c.coordinator().wait_for_end("first");
  std::vector<std::string> runs;
  for (int i = 0; i < 20; ++i) {
    auto run = "r" + std::to_string(i);
    json::object x{{"run_id", run}};
    switch (i % 4) {
    case 0:
      x["command"] = json::array{"/nonexistent/agent"};
      break;
    case 1:
      x["command"] = "echo never";
      x["sandbox"] = {{"workspace", {{"setup", {{"exit 1"}}}}}};
      break;
    case 2:
      x["command"] = "echo never";
      x["cwd"] = "/nonexistent";
      break;
    default:
      x["command"] = "sleep 0.3; exit 3";
    }
    if (i >= 10 && i % 4 != 1) {
      x["thread_id"] = "t";
      x["sandbox"] = first.at("sandbox");
    }
    BOOST_TEST(c.coordinator().create_raw(x).status == 201);
    runs.push_back(run);
    if (i == 11) {
      c.node(1).kill9();
      c.node(1).restart();
    }
  }
  for (const auto& run : runs) {
    auto end = c.coordinator().wait_for_end(run);
    BOOST_TEST(text(end, "status") == "failed", run);
    BOOST_TEST(!text(end.at("error").as_object(), "message").empty());
  }
  BOOST_TEST(wait_until([&] {
    auto told = sandboxes_told(c.coordinator());
    return told && told->size() == 1;
  }));
  auto again = first;
  again["run_id"] = "again";
  again["command"] = "cat kept";
  BOOST_TEST(c.node(2).create_raw(again).status == 201);
  BOOST_TEST(text(c.coordinator().wait_for_end("again"), "status")
             == "completed");
}

// BR-047
BOOST_AUTO_TEST_CASE(retention_goes_by_the_recorded_end_not_by_file_times) {
  daemon d;
  d.start({"--sweep-interval", "200ms", "--retain", "2s"});
  auto gate = d.file("gate");
  auto quiet = d.create("echo first; " + wait_for_file(gate) + "echo second");
  d.wait_for_entries(quiet, 1);
  for (const auto& path : sandboxes_on(d))
    fs::last_write_time(path + "/journal", fs::file_time_type::clock::now()
                                             - std::chrono::hours{24 * 90});
  auto over = d.create("echo done");
  d.wait_for_end(over);
  BOOST_TEST(
    wait_until([&] { return d.get(daemon::path(over)).status == 404; }));
  BOOST_TEST(d.log().find("removed what had been kept") != std::string::npos);
  BOOST_TEST(d.log().find(over) != std::string::npos);
  BOOST_TEST(d.get(daemon::path(quiet)).status == 200);
  write_file(gate, "");
  d.wait_for_entries(quiet, 2);
}

BOOST_AUTO_TEST_CASE(launch_guards_of_ended_runs_go_without_a_restart) {
  daemon d;
  d.start();
  auto going = d.create("echo on; exec sleep 1000");
  d.wait_for_entries(going, 1);
  for (auto* command : {"true", "exit 3", "kill $$"})
    d.wait_for_end(d.create(command));
  BOOST_TEST(wait_until([&] { return guards_on(d).size() == 1; }));
  BOOST_TEST(d.request("POST", daemon::path(going, "/cancel")).status == 202);
  d.wait_for_end(going);
  BOOST_TEST(wait_until([&] { return guards_on(d).empty(); }));
}

// BR-054
BOOST_AUTO_TEST_CASE(an_attach_to_an_unknown_run_makes_nothing) {
  cluster c{{.workers = 2, .more = brisk}};
  for (std::size_t i = 0; i < c.size(); ++i)
    for (int n = 0; n < 3; ++n) {
      auto begun = std::chrono::steady_clock::now();
      auto got = c.node(i).get(daemon::path("no-such-run", "/events?live=1"));
      BOOST_TEST(got.status == 404);
      BOOST_TEST((std::chrono::steady_clock::now() - begun < 2s));
    }
  BOOST_TEST(c.coordinator().cli({"ps", "--all", "--json"}).out.empty());
  for (std::size_t i = 0; i < c.size(); ++i) {
    BOOST_TEST(sandboxes_on(c.node(i)).empty());
    BOOST_TEST(guards_on(c.node(i)).empty());
  }
  json::object x{{"run_id", "no-such-run"}, {"command", "echo it is"}};
  BOOST_TEST(c.node(1).create_raw(x).status == 201);
  BOOST_TEST(text(c.node(2).wait_for_end("no-such-run"), "status")
             == "completed");
}

// I11
BOOST_AUTO_TEST_CASE(a_cancel_outlives_driver_and_coordinator) {
  cluster c{{.workers = 2, .lease = "1s", .more = brisk}};
  enum class stage { not_heard, recorded, delivered };
  int n = 0;
  auto cancel = [&](std::size_t victim, stage when) {
    auto run = "c" + std::to_string(++n);
    json::object x{{"run_id", run},
                   {"command", "trap '' TERM; echo on; while :; do sleep 1; "
                               "done"},
                   {"node", "n1"}};
    BOOST_TEST(c.node(2).create_raw(x).status == 201);
    c.node(2).wait_for_entries(run, 1);
    if (when == stage::not_heard)
      c.node(victim).pause();
    BOOST_TEST(c.node(2).request("POST", daemon::path(run, "/cancel")).status
               == 202);
    if (when == stage::delivered)
      wait_for_record(c.node(2), run, [](const json::object& r) {
        return r.at("cancel").as_object().contains("delivered_at");
      });
    c.node(victim).kill9();
    c.node(victim).restart();
    auto end = c.coordinator().wait_for_end(run);
    BOOST_TEST(text(end, "status") == "aborted", run);
    BOOST_TEST(wait_for_record(c.coordinator(), run, [](const auto& r) {
      return text(r.at("cancel").as_object(), "stage") == "gone";
    }));
  };
  for (std::size_t victim : {1, 0})
    for (auto when : {stage::recorded, stage::delivered})
      cancel(victim, when);
  cancel(1, stage::not_heard);
  BOOST_TEST(wait_until([&] { return left_behind(c).empty(); }),
             left_behind(c));
}

BOOST_AUTO_TEST_CASE(viewers_of_a_node_that_died_or_froze_do_not_count) {
  cluster c{{.workers = 2, .lease = "1s", .more = brisk}};
  json::object x{
    {"run_id", "v"}, {"command", "echo on; exec sleep 1000"}, {"node", "n1"}};
  BOOST_TEST(c.node(1).create_raw(x).status == 201);
  c.node(1).wait_for_entries("v", 1);
  auto viewers = [&] {
    auto got = try_record(c.coordinator(), "v");
    return got ? got->at("viewers").to_number<int>() : -1;
  };
  auto stream = c.node(2).view("v");
  BOOST_TEST(wait_until([&] { return viewers() == 1; }));
  c.node(2).pause();
  BOOST_TEST(wait_until([&] { return viewers() == 0; }));
  BOOST_TEST(c.coordinator().record("v").contains("detached_since"));
  c.node(2).wake();
  BOOST_TEST(wait_until([&] { return viewers() == 1; }, 40s));
  c.node(2).kill9();
  BOOST_TEST(wait_until([&] { return viewers() == 0; }));
  c.node(1).request("POST", daemon::path("v", "/cancel"));
  c.coordinator().wait_for_end("v");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test
