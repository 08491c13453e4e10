// SPDX-License-Identifier: MIT
// Goal: no run is harmed by any sequence of faults (I1 to I5, I7 to I9).
// Method: seeded rounds of kills, pauses, ends, takeovers and moving viewers
// over 20 runs at a time; BATON_FAULT_ROUNDS and BATON_FAULT_SEED choose how
// many and which.
#include "tests/cluster/judge.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <set>

namespace baton::test {
namespace {

constexpr std::size_t runs_at_a_time = 20;
constexpr std::size_t viewers_at_a_time = 6;
constexpr std::size_t workers = 3;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  auto* text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

class storm {
public:
  explicit storm(std::uint64_t seed)
    : draw_(seed),
      world_({.workers = static_cast<int>(workers), .lease = "1s"}) {
    while (live_.size() < runs_at_a_time)
      start_run();
    while (viewers_.size() < viewers_at_a_time)
      start_viewer();
  }

  void round() {
    end_one_pause();
    auto kind = pick(100);
    if (kind < 20)
      kill_worker();
    else if (kind < 40)
      pause_worker();
    else if (kind < 52)
      stop_worker();
    else if (kind < 56)
      kill_coordinator();
    else if (kind < 60)
      pause_coordinator();
    else if (kind < 75)
      take_over();
    else if (kind < 90)
      move_viewer();
    else
      replace_run();
    look(millis{pick(250)});
  }

  /// Everything lives again; every run ends, and is judged.
  void settle() {
    say("settle");
    while (!paused_.empty())
      end_one_pause(true);
    for (std::size_t i = 0; i < world_.size(); ++i)
      BOOST_TEST(world_.node(i).wait_ready(),
                 "node " << i << ": " << world_.node(i).log());
    for (const auto& run : live_)
      world_.end(run);
    for (const auto& run : started_)
      wait_for_end(run);
    std::vector<watcher*> all;
    for (auto& x : viewers_)
      all.push_back(x.get());
    BOOST_TEST(pump_all(
      all,
      [&] {
        return std::ranges::all_of(all, [](auto* x) { return x->ended(); });
      },
      60s));
    for (const auto& run : started_)
      judge_one(run);
  }

  const std::string& story() const { return story_; }
  const std::map<std::string, int>& counts() const { return counts_; }

private:
  std::size_t pick(std::size_t below) {
    return std::uniform_int_distribution<std::size_t>{0, below - 1}(draw_);
  }

  void say(const std::string& what) {
    story_ += what + "\n";
    counts_[what.substr(0, what.find(' '))] += 1;
  }

  daemon& worker(std::size_t& i) {
    i = 1 + pick(workers);
    return world_.node(i);
  }

  bool is_up(std::size_t i) {
    return !paused_.contains(i) && world_.node(i).alive();
  }

  /// A node that may answer; the coordinator when no worker does.
  daemon& some_node() {
    for (int tries = 0; tries < 5; ++tries)
      if (auto i = pick(world_.size()); is_up(i) && world_.node(i).port() != 0)
        return world_.node(i);
    return world_.coordinator();
  }

  // -- blows ------------------------------------------------------------------

  /// The next life begins at once; that it gets ready is seen later.
  void begin(std::size_t i) {
    auto& d = world_.node(i);
    if (i == 0)
      d.restart();
    else
      d.begin(world_.worker_args(i));
    starting_.insert(i);
  }

  void see_who_started() {
    std::erase_if(starting_, [&](std::size_t i) {
      return is_up(i) && world_.node(i).wait_ready(0ms);
    });
  }

  void kill_worker() {
    std::size_t i = 0;
    auto& d = worker(i);
    if (paused_.erase(i) > 0)
      d.wake();
    say("kill n" + std::to_string(i));
    d.kill9();
    begin(i);
  }

  void pause_worker() {
    std::size_t i = 0;
    auto& d = worker(i);
    if (!is_up(i))
      return;
    say("pause n" + std::to_string(i));
    d.pause();
    paused_[i] = 2 + static_cast<int>(pick(12));
  }

  void stop_worker() {
    std::size_t i = 0;
    auto& d = worker(i);
    if (!is_up(i))
      return;
    say("stop n" + std::to_string(i));
    d.life().signal(SIGTERM);
    auto code = d.life().wait(15s).exit;
    // One that is told before it listens ends by the signal.
    BOOST_TEST((code == 0 || code == -SIGTERM || starting_.contains(i)),
               "exit " << code);
    begin(i);
  }

  void kill_coordinator() {
    if (paused_.erase(0) > 0)
      world_.coordinator().wake();
    say("kill-coordinator");
    world_.coordinator().kill9();
    pause(millis{pick(300)});
    begin(0);
  }

  void pause_coordinator() {
    if (!is_up(0))
      return;
    say("pause-coordinator");
    world_.coordinator().pause();
    pause(millis{100 + pick(1500)});
    world_.coordinator().wake();
  }

  void end_one_pause(bool at_once = false) {
    for (auto i = paused_.begin(); i != paused_.end();)
      if (--i->second <= 0 || at_once) {
        world_.node(i->first).wake();
        i = paused_.erase(i);
      } else {
        ++i;
      }
  }

  void take_over() {
    const auto& run = live_[pick(live_.size())];
    say("takeover");
    auto answer =
      world_.coordinator().request("POST", daemon::path(run, "/takeover"), "{}",
                                   "Content-Type: application/json\r\n", 10s);
    answers_[answer.status] += 1;
  }

  // -- runs -------------------------------------------------------------------

  void start_run() {
    auto run = "storm-" + std::to_string(started_.size());
    auto wanted =
      world_.counter_request(run, 1'000'000, 10 + static_cast<int>(pick(90)));
    auto done = wait_until(
      [&] {
        auto status = some_node().create_raw(wanted).status;
        return status == 201 || status == 200;
      },
      30s);
    BOOST_TEST_REQUIRE(done, "no node takes a new run");
    started_.push_back(run);
    live_.push_back(run);
  }

  void replace_run() {
    say("replace");
    auto at = live_.begin() + static_cast<std::ptrdiff_t>(pick(live_.size()));
    world_.end(*at);
    live_.erase(at);
    start_run();
  }

  void wait_for_end(const std::string& run) {
    auto ended = wait_for_record(
      world_.coordinator(), run,
      [](const json::object& x) { return x.contains("finished_at"); }, 60s);
    BOOST_TEST(ended, "I9: no end of "
                        << run << ": "
                        << json::serialize(world_.coordinator().record(run)));
  }

  void judge_one(const std::string& run) {
    auto record = world_.coordinator().record(run);
    // A launcher that was killed between its guard and exec.
    if (record.at("status").as_string() == "failed"
        && world_.launches(run) == 0) {
      BOOST_TEST(record.at("entries").to_number<int>() == 0);
      say("never-launched");
      return;
    }
    std::vector<const watcher*> its;
    for (const auto& x : viewers_)
      if (x->run() == run)
        its.push_back(x.get());
    judge(world_, run, -1, its);
  }

  // -- viewers ----------------------------------------------------------------

  void start_viewer() {
    viewers_.push_back(
      std::make_unique<watcher>(some_node(), live_[pick(live_.size())]));
  }

  void move_viewer() {
    say("viewer");
    viewers_[pick(viewers_.size())]->move_to(some_node());
  }

  void look(millis time) {
    std::vector<watcher*> all;
    for (auto& x : viewers_)
      all.push_back(x.get());
    pump_all(
      all, [] { return false; }, time);
    see_who_started();
  }

  std::mt19937_64 draw_;
  cluster world_;
  /// Paused nodes, and for how many more rounds.
  std::map<std::size_t, int> paused_;
  std::set<std::size_t> starting_;
  std::vector<std::string> started_;
  std::vector<std::string> live_;
  std::vector<std::unique_ptr<watcher>> viewers_;
  std::map<std::string, int> counts_;
  std::map<int, int> answers_;
  std::string story_;
};

} // namespace

BOOST_AUTO_TEST_SUITE(cluster_faults)

BOOST_AUTO_TEST_CASE(no_sequence_of_faults_harms_a_run) {
  auto seed = from_environment("BATON_FAULT_SEED", 20261129);
  auto rounds = from_environment("BATON_FAULT_ROUNDS", 200);
  BOOST_TEST_CONTEXT("BATON_FAULT_SEED=" << seed) {
    auto start = std::chrono::steady_clock::now();
    storm s{seed};
    for (std::uint64_t i = 0; i < rounds; ++i)
      s.round();
    BOOST_TEST_MESSAGE(rounds << " rounds: " << seconds_since(start) << " s");
    s.settle();
    BOOST_TEST_MESSAGE("with verdicts: " << seconds_since(start) << " s");
    for (const auto& [what, count] : s.counts())
      BOOST_TEST_MESSAGE(what << ": " << count);
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test
