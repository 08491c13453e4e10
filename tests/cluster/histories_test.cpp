// SPDX-License-Identifier: MIT
// Goal: what drivers from outside are told, through any node and across kill
// -9 of nodes, is what one run that does one thing at a time would tell them.
// Method: eight seeded clients race for the same runs over HTTP at three real
// nodes while a worker and the coordinator die and come back; each run's
// history is searched for an order that explains it.
#include "tests/cluster/racing_client.hpp"
#include "actors/sim/history/linearizability.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdlib>
#include <thread>

namespace baton::cluster_test {
namespace {

using history::operation;
using history::outcome;
using history::verb;
using histories = std::map<std::string, std::vector<operation>>;

constexpr int clients = 8;
constexpr int operations_each = 150;
constexpr int runs_a_lane = 15;

/// A coordinator, two workers of it, and the runs of a course.
class race {
public:
  explicit race(std::uint64_t seed) : seed_(seed) {
    auto& coordinator = nodes_[0];
    coordinator.start({"--node-id", "coordinator", "--cluster", "127.0.0.1:0"});
    for (auto* worker : {&nodes_[1], &nodes_[2]})
      worker->start({"--node-id", worker == &nodes_[1] ? "one" : "two",
                     "--join", coordinator.cluster_address()});
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      course_.nodes[i].name = nodes_[i].told("node");
      course_.nodes[i].port = nodes_[i].port();
    }
    for (std::size_t lane = 0; lane < course_.lanes.size(); ++lane)
      for (int i = 0; i < runs_a_lane; ++i)
        course_.lanes[lane].runs.push_back(
          create("lane-" + std::to_string(lane) + "-" + std::to_string(i)));
  }

  /// Returns when all clients are through; a worker dies after a quarter of
  /// the operations, the coordinator after half of them.
  void run() {
    std::vector<racing_client> racing;
    for (int i = 0; i < clients; ++i)
      racing.emplace_back(course_, i, seed_);
    {
      std::vector<std::jthread> threads;
      for (auto& client : racing)
        threads.emplace_back([&client] { client.race(operations_each); });
      kill_after(clients * operations_each / 4, 1);
      kill_after(clients * operations_each / 2, 0);
    }
    for (const auto& client : racing) {
      for (const auto& what : client.complaints())
        BOOST_ERROR(what);
      for (const auto& [run, told] : client.told())
        told_[run].insert(told_[run].end(), told.begin(), told.end());
    }
  }

  /// Adds to each history what each node shows at the end.
  void look_once_more() {
    std::vector<std::string> complaints;
    for (auto& [run, told] : told_)
      for (std::size_t node = 0; node < nodes_.size(); ++node)
        for (auto wants_log : {false, true}) {
          operation last;
          last.client = -1;
          last.wants_log = wants_log;
          auto is_answered = test::wait_until([&] {
            perform(course_, node, run, last, complaints);
            return last.got.what == outcome::ok || !complaints.empty();
          });
          BOOST_TEST(is_answered, course_.nodes[node].name << " shows " << run);
          told.push_back(last);
        }
    for (const auto& what : complaints)
      BOOST_ERROR(what);
  }

  const histories& told() const { return told_; }

private:
  std::string create(const std::string& run) {
    auto answer = nodes_[0].create_raw({{"run_id", run}, {"external", true}});
    BOOST_TEST_REQUIRE(answer.status == 201, answer.body);
    return run;
  }

  void kill_after(std::size_t operations, std::size_t node) {
    auto is_time = test::wait_until(
      [&] { return course_.operations >= operations; }, test::millis{120'000});
    BOOST_TEST(is_time, "the race stands still");
    nodes_[node].kill9();
    course_.nodes[node].port = 0;
    nodes_[node].restart();
    course_.nodes[node].port = nodes_[node].port();
  }

  std::uint64_t seed_;
  std::array<test::daemon, 3> nodes_;
  course course_;
  histories told_;
};

/// Every acknowledged line stands where it was acknowledged, under its epoch.
void expect_acknowledged(const std::string& run,
                         const std::vector<operation>& told) {
  const auto& log = told.back().got.log;
  BOOST_TEST_REQUIRE(log.has_value());
  for (const auto& x : told) {
    if (x.what != verb::append || x.got.what != outcome::ok)
      continue;
    for (std::size_t i = 0; i < x.lines.size(); ++i) {
      auto at = x.first_seq - 1 + i;
      if (at < log->size() && (*log)[at].line == x.lines[i]
          && ((*log)[at].epoch == x.epoch || *x.got.duplicate))
        continue;
      BOOST_ERROR(run << " lost line " << i << " of " << to_string(x));
      return;
    }
  }
}

/// More by BATON_HISTORY_RACES.
std::uint64_t races() {
  auto* more = std::getenv("BATON_HISTORY_RACES");
  return more != nullptr ? std::strtoull(more, nullptr, 10) : 3;
}

std::size_t count(const histories& all,
                  const std::function<bool(const operation&)>& is_counted) {
  std::size_t out = 0;
  for (const auto& [run, told] : all)
    out += static_cast<std::size_t>(std::ranges::count_if(told, is_counted));
  return out;
}

/// A race in which little happens proves little.
void expect_busy(const histories& all) {
  auto counted = [&](verb what, outcome got) {
    return count(all, [&](const operation& x) {
      return x.what == what && x.got.what == got;
    });
  };
  BOOST_TEST(counted(verb::claim, outcome::ok) > 20U);
  BOOST_TEST(counted(verb::append, outcome::ok) > 50U);
  BOOST_TEST(counted(verb::append, outcome::fenced) > 5U);
  BOOST_TEST(counted(verb::finish, outcome::ok) > 0U);
  BOOST_TEST(
    count(all,
          [](const operation& x) { return x.got.what == outcome::terminal; })
    > 0U);
  BOOST_TEST(
    count(all, [](const operation& x) { return x.got.duplicate == true; })
    > 0U);
  BOOST_TEST_MESSAGE(
    "grants " << counted(verb::claim, outcome::ok) << ", appends "
              << counted(verb::append, outcome::ok) << ", fenced "
              << counted(verb::append, outcome::fenced) << ", ends "
              << counted(verb::finish, outcome::ok) << ", without an answer "
              << count(all, [](const operation& x) {
                   return x.got.what == outcome::unknown;
                 }));
}

} // namespace

BOOST_AUTO_TEST_SUITE(cluster_histories)

BOOST_AUTO_TEST_CASE(drivers_that_race_through_dying_nodes_see_one_run_each) {
  for (std::uint64_t seed = 1; seed <= races(); ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      race racing{seed};

      racing.run();
      racing.look_once_more();

      expect_busy(racing.told());
      for (const auto& [run, told] : racing.told()) {
        expect_acknowledged(run, told);
        auto found = history::check(told);
        BOOST_TEST((found.what == history::verdict::linearizable),
                   run << ": " << found.text);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::cluster_test
