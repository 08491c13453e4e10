// SPDX-License-Identifier: MIT
#include "tests/crash/round.hpp"

#include "tests/messages/seeded.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <thread>

namespace baton::crash_test {
namespace {

/// On two cores; most of a round is waiting.
constexpr std::size_t rounds_at_once = 5;
/// Each passes every place; those at once may share their commits.
constexpr std::size_t extra_runs_max = 60;
constexpr std::size_t extra_runs_at_once = 2;

class round {
public:
  explicit round(const round_plan& plan)
    : plan_(plan), random_(plan.seed * 7'919 + 17) {}

  round_report play() {
    round_report out;
    out.plan = plan_;
    world_.start(plan_.lives.empty() ? "" : plan_.lives.front().crash_at);
    if (!plan_.lives.empty() && plan_.lives.front().crash_at.empty())
      world_.wait_ready();
    begin_load();
    for (std::size_t i = 0; i < plan_.lives.size(); ++i) {
      out.crashes += die(plan_.lives[i]) ? 1 : 0;
      world_.start(i + 1 < plan_.lives.size() ? plan_.lives[i + 1].crash_at
                                              : "");
    }
    world_.wait_ready();
    world_.open_gate();
    for (auto& run : runs_)
      run.finish();
    for (const auto& run : runs_)
      judge(world_, run);
    world_.expect_clean();
    if (plan_.seed % 4 == 0)
      expect_same_records_in_another_life();
    world_.stop();
    out.wrong = world_.wrong().take();
    return out;
  }

private:
  void add(const std::string& name, run_plan x) {
    x.id = name;
    x.seed = plan_.seed * 1'000 + runs_.size();
    runs_.emplace_back(world_, std::move(x));
  }

  void begin_load() {
    using enum run_plan::ending;
    add("slow", {.lines = 30, .pace_ms = 3, .gate_at = 8 + random_.below(15)});
    add("burst", {.lines = 300 + random_.below(300)});
    add("bare", {.lines = random_.below(8), .ends = bare});
    run_plan cancelled{.pace_ms = 5, .ends = forever};
    cancelled.cancel_at = 1 + random_.below(30);
    add("cancelled", cancelled);
    add("outside-1", {.lines = 60, .gate_at = 30, .external = true});
    add("outside-2", {.lines = 60, .pace_ms = 4, .external = true});
    add("slow-bare", {.lines = 12, .pace_ms = 1, .gate_at = 6, .ends = bare});
    add("short", {.lines = 1 + random_.below(5)});
    if (!plan_.busy)
      return;
    add("burst-2", {.lines = 1'000});
    add("slow-2", {.lines = 60, .pace_ms = 7, .gate_at = 30});
  }

  /// True when the daemon died as it was told to.
  bool die(const life& x) {
    if (x.crash_at.empty()) {
      auto early = world_.wait_dead(x.kill_after);
      if (early)
        world_.wrong().add("batond ended by itself: " + std::to_string(*early));
      world_.kill9();
      return !early;
    }
    std::vector<const tended_run*> extra;
    for (std::size_t added = 0; added < extra_runs_max || !extra.empty();) {
      if (auto how = world_.wait_dead(added == 0 ? 300ms : 60ms)) {
        if (*how != -SIGKILL)
          world_.wrong().add("batond ended with " + std::to_string(*how));
        return *how == -SIGKILL;
      }
      std::erase_if(extra, [](auto* run) { return run->is_over(); });
      if (added < extra_runs_max && extra.size() < extra_runs_at_once) {
        ++added;
        add("extra-" + std::to_string(runs_.size()),
            {.lines = 1 + random_.below(4)});
        extra.push_back(&runs_.back());
      }
    }
    world_.kill9();
    return false;
  }

  /// I5: nothing follows an end.
  void expect_same_records_in_another_life() {
    std::vector<std::string> before;
    for (const auto& run : runs_)
      before.push_back(record_of(world_, run));
    world_.kill9();
    world_.start();
    world_.wait_ready();
    for (std::size_t i = 0; i < before.size(); ++i)
      if (auto now = record_of(world_, runs_[i]); now != before[i])
        runs_[i].complain("I5: its record was " + before[i] + " and became "
                          + now);
  }

  round_plan plan_;
  test::seeded random_;
  world world_;
  // Its threads hold references.
  std::deque<tended_run> runs_;
};

} // namespace

round_report play(const round_plan& plan) {
  return round{plan}.play();
}

std::vector<round_report> play_all(const std::vector<round_plan>& plans) {
  std::vector<round_report> out(plans.size());
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> players;
  for (std::size_t i = 0; i < rounds_at_once; ++i)
    players.emplace_back([&] {
      for (auto at = next++; at < plans.size(); at = next++)
        out[at] = play(plans[at]);
    });
  players.clear();
  return out;
}

std::string to_text(const round_plan& plan) {
  auto out = "seed " + std::to_string(plan.seed);
  for (const auto& x : plan.lives)
    out +=
      ", "
      + (x.crash_at.empty()
           ? "kill -9 after " + std::to_string(x.kill_after.count()) + " ms"
           : x.crash_at);
  return out;
}

} // namespace baton::crash_test
