// SPDX-License-Identifier: MIT
// Goal: a coordinator that freezes, dies or is started again loses nothing and
// takes nothing from anybody (I4, I6, I9; field case BR-005).
// Method: agents that go on printing while it is away.
#include "tests/cluster/judge.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>

namespace baton::test {
namespace {

bool all_ended(const std::vector<watcher*>& viewers) {
  return std::ranges::all_of(viewers, [](auto* x) { return x->ended(); });
}

void restart_all(cluster& c) {
  for (std::size_t i = 0; i < c.size(); ++i)
    if (c.node(i).alive())
      c.node(i).kill9();
  for (std::size_t i = 0; i < c.size(); ++i)
    c.node(i).restart();
}

} // namespace

BOOST_AUTO_TEST_SUITE(cluster_coordinator)

BOOST_AUTO_TEST_CASE(a_frozen_store_doubles_nothing_and_the_log_stays) {
  cluster c{{.workers = 2, .lease = "8s"}};
  auto run = c.count(2, 1, 250, 40);
  watcher viewer{c.node(2), run};
  BOOST_TEST_REQUIRE(viewer.pump_until([&] { return viewer.last() >= 50; }));
  c.coordinator().pause();
  pause(1500ms);
  c.node(1).kill9();
  pause(3500ms);
  c.coordinator().wake();
  BOOST_TEST(viewer.pump_to_end());
  c.coordinator().wait_for_end(run);
  judge(c, run, 250, {&viewer});
  auto claims = claims_of(c.coordinator(), run);
  BOOST_TEST(claims.size() == 2U);
  restart_all(c);
  judge(c, run, 250, {&viewer});
}

BOOST_AUTO_TEST_CASE(a_killed_coordinator_comes_back_to_what_it_left) {
  cluster c{{.workers = 2}};
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < 4; ++i)
    runs.push_back(c.count(1, 1 + i % 2, 400, 15));
  auto waiting = c.counter_request("waiting", 5, 1);
  waiting["node"] = "n3";
  BOOST_TEST(c.node(1).create_raw(waiting).status == 201);
  std::vector<std::unique_ptr<watcher>> held;
  std::vector<watcher*> viewers;
  for (std::size_t i = 0; i < 4; ++i) {
    held.push_back(std::make_unique<watcher>(c.node(2 - i % 2), runs[i]));
    viewers.push_back(held.back().get());
  }
  BOOST_TEST_REQUIRE(pump_all(viewers, [&] {
    return std::ranges::all_of(viewers, [](auto* x) { return x->last() > 50; });
  }));
  for (int round = 0; round < 2; ++round) {
    c.coordinator().kill9();
    BOOST_TEST(wait_until([&] {
      auto answer = c.node(1).get(daemon::path(runs[0]));
      return answer.status == 503 && answer.headers.contains("retry-after");
    }));
    pause(500ms);
    auto before = viewers[0]->last();
    auto start = std::chrono::steady_clock::now();
    c.coordinator().restart();
    BOOST_TEST(pump_all(viewers, [&] {
      return viewers[0]->ended() || viewers[0]->last() > before + 10;
    }));
    BOOST_TEST_MESSAGE("coordinator started to entries at a worker's viewer: "
                       << seconds_since(start) << " s");
  }
  BOOST_TEST(pump_all(
    viewers, [&] { return all_ended(viewers); }, 60s));
  for (std::size_t i = 0; i < 4; ++i) {
    BOOST_TEST(viewers[i]->breaks() == 0);
    judge(c, runs[i], 400, {viewers[i]});
    BOOST_TEST(claims_of(c.coordinator(), runs[i]).size() == 1U);
  }
  BOOST_TEST(c.coordinator().status_of("waiting") == "running");
  c.add_node().start(c.worker_args(3));
  c.node(3).wait_for_end("waiting");
  judge(c, "waiting", 5);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test
