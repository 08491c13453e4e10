// SPDX-License-Identifier: MIT
// Goal: of many takeovers at the same instant each claim that is granted has
// its own epoch and one node, and one node drives (I1, I6; field case BR-003).
// Method: 50 runs on a node that is killed, and at once 30 requests a run at
// the two that are left.
#include "tests/cluster/judge.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <thread>

namespace baton::test {
namespace {

constexpr int runs_max = 50;
constexpr int askers_a_node = 15;

struct granted {
  std::string run;
  std::int64_t epoch = 0;
  std::string node;
};

/// What one client was told.
struct told {
  std::vector<granted> grants;
  std::map<int, int> statuses;
  std::string example;
};

void ask_for_all(const daemon& d, const std::vector<std::string>& runs,
                 told& out) {
  for (const auto& run : runs) {
    auto answer = d.request("POST", daemon::path(run, "/takeover"), "{}",
                            "Content-Type: application/json\r\n");
    out.statuses[answer.status] += 1;
    if (answer.status != 200) {
      out.example = answer.body;
      continue;
    }
    auto body = json::parse(answer.body).as_object();
    out.grants.push_back({run, body.at("epoch").to_number<std::int64_t>(),
                          json::value_to<std::string>(body.at("node"))});
  }
}

std::vector<told> ask_at_once(cluster& c,
                              const std::vector<std::string>& runs) {
  std::vector<told> out(2 * askers_a_node);
  std::vector<std::thread> clients;
  for (std::size_t i = 0; i < out.size(); ++i)
    clients.emplace_back(
      [&, i] { ask_for_all(c.node(i % 2 == 0 ? 0 : 2), runs, out[i]); });
  for (auto& x : clients)
    x.join();
  return out;
}

} // namespace

BOOST_AUTO_TEST_SUITE(cluster_races)

BOOST_AUTO_TEST_CASE(takeovers_at_once_make_claims_of_one_node_each) {
  cluster c{{.workers = 2}};
  std::vector<std::string> runs;
  for (int i = 0; i < runs_max; ++i)
    runs.push_back(c.count(1, 1, 1'000'000, 200));
  for (const auto& x : runs)
    c.coordinator().wait_for_entries(x, 3);
  c.node(1).kill9();
  auto start = std::chrono::steady_clock::now();
  auto answers = ask_at_once(c, runs);
  BOOST_TEST_MESSAGE("30 x 50 takeovers: " << seconds_since(start) << " s");
  std::map<std::string, std::map<std::int64_t, std::string>> grants;
  for (const auto& x : answers) {
    for (const auto& [status, count] : x.statuses)
      BOOST_TEST(status == 200,
                 count << " answers " << status << ": " << x.example);
    for (const auto& g : x.grants) {
      // Who asks while a claim is being made joins it.
      auto [at, is_new] = grants[g.run].emplace(g.epoch, g.node);
      BOOST_TEST((is_new || at->second == g.node),
                 g.run << ": epoch " << g.epoch << " is two nodes'");
    }
  }
  for (const auto& run : runs) {
    auto claims = claims_of(c.coordinator(), run);
    for (const auto& [epoch, node] : grants[run]) {
      auto row = std::ranges::find(claims, epoch, &claim::epoch);
      BOOST_TEST((row != claims.end() && row->holder == node));
    }
    auto entries = entries_at(c.coordinator(), run);
    c.coordinator().wait_for_entries(run, entries + 2);
    BOOST_TEST(holder_of(c.coordinator(), run) == claims.back().holder);
    c.end(run);
  }
  for (const auto& run : runs) {
    c.coordinator().wait_for_end(run);
    judge(c, run, -1);
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test
