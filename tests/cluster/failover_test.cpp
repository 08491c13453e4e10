// SPDX-License-Identifier: MIT
// Goal: a driving node that is killed, that is paused beyond its lease, or that
// leaves in an orderly way costs its runs nothing (field cases BR-001, BR-045).
// Method: a counter, viewers on the nodes that stay, one blow at the driver.
#include "tests/cluster/judge.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <csignal>

namespace baton::test {
namespace {

using steady = std::chrono::steady_clock;

/// Until an entry of a claim above `epoch` is there; the seconds since `start`.
double wait_for_successor(watcher& viewer, std::int64_t epoch,
                          steady::time_point start) {
  auto came = viewer.pump_until([&] { return viewer.last_epoch() > epoch; });
  BOOST_TEST_REQUIRE(came,
                     "nobody took the run over; viewer " << viewer.fault());
  return seconds_since(start);
}

void expect_whole(cluster& c, const std::string& run, std::int64_t count,
                  const std::vector<watcher*>& viewers) {
  auto over = pump_all(
    viewers,
    [&] {
      for (auto* x : viewers)
        if (!x->ended())
          return false;
      return true;
    },
    60s);
  BOOST_TEST(over, "a viewer waits for the end");
  c.coordinator().wait_for_end(run);
  judge(c, run, count, {viewers.begin(), viewers.end()});
}

} // namespace

BOOST_AUTO_TEST_SUITE(cluster_failover)

BOOST_AUTO_TEST_CASE(a_killed_drivers_run_goes_on_and_viewers_see_no_seam) {
  cluster c{{.workers = 2, .lease = "5s"}};
  auto run = c.count(2, 1, 100, 40);
  watcher third{c.node(2), run};
  watcher first{c.coordinator(), run};
  BOOST_TEST_REQUIRE(third.pump_until([&] { return third.last() >= 20; }));
  BOOST_TEST(holder_of(c.node(2), run) == "n1");
  auto start = steady::now();
  c.node(1).kill9();
  auto took = wait_for_successor(third, 1, start);
  BOOST_TEST_MESSAGE("kill -9 to the successor's first entry: " << took
                                                                << " s");
  expect_whole(c, run, 100, {&third, &first});
  auto claims = claims_of(c.coordinator(), run);
  BOOST_TEST_REQUIRE(claims.size() == 2U);
  BOOST_TEST(claims[1].cause == "node_lost");
  BOOST_TEST(claims[1].holder != "n1");
  BOOST_TEST(third.breaks() == 0);
  BOOST_TEST(first.breaks() == 0);
  // The lost node comes back and serves what it never saw.
  c.node(1).restart();
  judge(c, run, 100);
}

BOOST_AUTO_TEST_CASE(a_paused_driver_that_wakes_stands_down) {
  cluster c{{.workers = 2, .lease = "2s"}};
  auto run = c.count(2, 1, 250, 40);
  watcher viewer{c.node(2), run};
  BOOST_TEST_REQUIRE(viewer.pump_until([&] { return viewer.last() >= 50; }));
  BOOST_TEST(holder_of(c.node(2), run) == "n1");
  auto start = steady::now();
  c.node(1).pause();
  viewer.pump(0ms);
  // Else it was not the driver that we paused.
  BOOST_TEST_REQUIRE(viewer.last_epoch() == 1);
  auto took = wait_for_successor(viewer, 1, start);
  BOOST_TEST_MESSAGE(
    "SIGSTOP to the successor's first entry, lease 2 s: " << took << " s");
  BOOST_TEST(last_cause(c.coordinator(), run) == "lease_lapsed");
  auto seen = viewer.last();
  BOOST_TEST(viewer.pump_until([&] { return viewer.last() > seen + 20; }));
  c.node(1).wake();
  expect_whole(c, run, 250, {&viewer});
  BOOST_TEST(
    wait_until([&] { return c.node(1).get("/readyz").status == 200; }));
  BOOST_TEST(
    wait_until([&] { return state_of(c.coordinator(), "n1") == "live"; }));
  judge(c, run, 250);
}

BOOST_AUTO_TEST_CASE(a_frozen_peer_delays_no_other_run) {
  cluster c{{.workers = 2, .lease = "6s"}};
  auto run = c.count(2, 1, 300, 50);
  watcher viewer{c.node(2), run};
  BOOST_TEST_REQUIRE(viewer.pump_until([&] { return viewer.last() >= 10; }));
  c.node(1).pause();
  std::vector<std::string> others;
  auto start = steady::now();
  for (int i = 0; i < 5; ++i)
    others.push_back(c.count(2, 2, 3, 1));
  for (const auto& x : others)
    c.node(2).wait_for_end(x);
  BOOST_TEST_MESSAGE("five runs beside a frozen peer: " << seconds_since(start)
                                                        << " s");
  // They ended before anybody had given the frozen node up.
  BOOST_TEST(epoch_of(c.node(2), run) == 1);
  wait_for_successor(viewer, 1, start);
  c.node(1).wake();
  expect_whole(c, run, 300, {&viewer});
  for (const auto& x : others)
    judge(c, x, 3);
}

BOOST_AUTO_TEST_CASE(a_driver_told_to_end_hands_its_runs_over) {
  cluster c{{.workers = 2}};
  std::vector<std::string> runs;
  for (int i = 0; i < 3; ++i)
    runs.push_back(c.count(2, 1, 150, 20));
  watcher viewer{c.node(2), runs[0]};
  BOOST_TEST_REQUIRE(viewer.pump_until([&] { return viewer.last() >= 20; }));
  auto start = steady::now();
  c.node(1).life().signal(SIGTERM);
  auto took = wait_for_successor(viewer, 1, start);
  BOOST_TEST_MESSAGE("SIGTERM to the successor's first entry: " << took
                                                                << " s");
  BOOST_TEST(took < 5.0);
  BOOST_TEST(c.node(1).life().wait(15s).exit == 0);
  BOOST_TEST_MESSAGE("SIGTERM to exit: " << seconds_since(start) << " s");
  BOOST_TEST(seconds_since(start) < 10.0);
  expect_whole(c, runs[0], 150, {&viewer});
  for (const auto& x : runs) {
    c.coordinator().wait_for_end(x);
    judge(c, x, 150);
    auto claims = claims_of(c.coordinator(), x);
    BOOST_TEST_REQUIRE(claims.size() == 2U);
    BOOST_TEST(claims[1].cause == "handover");
  }
}

BOOST_AUTO_TEST_CASE(runs_asked_for_on_two_nodes_at_once_start_once) {
  cluster c{{.workers = 2}};
  auto wanted = c.counter_request("r-dup", 5, 1);
  auto first = c.node(1).create_raw(wanted);
  auto second = c.node(2).create_raw(wanted);
  BOOST_TEST(first.status == 201);
  BOOST_TEST(second.status == 200);
  c.node(1).wait_for_end("r-dup");
  judge(c, "r-dup", 5);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test
