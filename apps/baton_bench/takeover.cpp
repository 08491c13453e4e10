// SPDX-License-Identifier: MIT
// How long a run stands still when the node that drives it goes: from the
// signal to the first entry of the next epoch at a live viewer's, which a
// coordinator serves that lives on. Agents print a line every 2 ms.
#include "apps/baton_bench/bench.hpp"
#include "apps/baton_bench/daemon.hpp"
#include "apps/baton_bench/give_up.hpp"
#include "apps/baton_bench/log_watch.hpp"
#include "apps/baton_bench/printing_agent.hpp"

#include <algorithm>
#include <csignal>
#include <thread>
#include <utility>

namespace baton::bench {
namespace {

using namespace std::chrono_literals;
using clock = log_watch::clock;

constexpr auto interval = 2ms;
constexpr std::uint64_t short_log = 1'000;
constexpr std::uint64_t long_log = 1'000'000;
/// That come before a signal, so that the run is known to be under way.
constexpr std::uint64_t entries_before = 20;
constexpr auto patience = 30s;
constexpr auto poll_interval = 10ms;

struct bench_run {
  std::string id;
  std::unique_ptr<log_watch> viewer;
};

class cluster_of_three {
public:
  cluster_of_three(const std::string& directory,
                   const std::vector<std::string>& flags)
    : coordinator_("c", directory + "/c",
                   with(flags, "--cluster", "127.0.0.1:0")) {
    coordinator_.start();
    auto join = with(flags, "--join", coordinator_.cluster_address());
    a_.emplace("a", directory + "/a", join);
    b_.emplace("b", directory + "/b", join);
    a_->start();
    b_->start();
  }

  ~cluster_of_three() {
    a_->stop();
    b_->stop();
    coordinator_.stop();
  }

  daemon& coordinator() { return coordinator_; }
  daemon& a() { return *a_; }

  /// On node a, with that many entries in its log.
  bench_run start_run(std::uint64_t entries) {
    bench_run out{"r" + std::to_string(++runs_), nullptr};
    json::array command;
    for (const auto& x : printing_agent(entries, interval))
      command.emplace_back(x);
    coordinator_.post(
      "/v1/runs",
      {{"run_id", out.id}, {"command", std::move(command)}, {"node", "a"}});
    auto now = wait_for_log(out.id, entries);
    out.viewer =
      std::make_unique<log_watch>(coordinator_.client().options(), out.id, now);
    return out;
  }

  /// Returns when node a drives it.
  void bring_home(const bench_run& run) {
    auto until = clock::now() + patience;
    while (!coordinator_.move(run.id, "a")) {
      if (clock::now() > until)
        give_up("run '" + run.id + "' could not be moved to node a");
      std::this_thread::sleep_for(poll_interval);
    }
  }

  /// Milliseconds from the signal to node a until the first entry of whoever
  /// takes the run.
  double stands_still(const bench_run& run, int signal) {
    auto& viewer = *run.viewer;
    if (!viewer.wait_for_entries(entries_before, patience))
      give_up("run '" + run.id
              + "' stands still before anything was done: " + viewer.broken());
    auto epoch = number(coordinator_.get("/v1/runs/" + run.id), "epoch");
    auto begin = clock::now();
    a_->process().send_signal(signal);
    auto came = viewer.wait_for_epoch_above(epoch, patience);
    if (!came)
      give_up("nobody went on with run '" + run.id
              + "' for 30 s: " + viewer.broken());
    if (auto why = viewer.broken(); !why.empty())
      give_up("the log of run '" + run.id + "' is not whole: " + why);
    return std::chrono::duration<double, std::milli>(*came - begin).count();
  }

private:
  /// Its length then. A long one takes as long as it takes: only one that
  /// stands still has failed.
  std::uint64_t wait_for_log(const std::string& run, std::uint64_t entries) {
    std::uint64_t now = 0;
    auto until = clock::now() + patience;
    while (now < entries) {
      auto before = std::exchange(
        now, number(coordinator_.get("/v1/runs/" + run), "entries"));
      if (now > before)
        until = clock::now() + patience;
      if (clock::now() > until)
        give_up("expected a log of " + std::to_string(entries)
                + " entries, found that it stands still at "
                + std::to_string(now));
      std::this_thread::sleep_for(poll_interval);
    }
    return now;
  }

  static std::vector<std::string> with(std::vector<std::string> flags,
                                       const char* name,
                                       const std::string& value) {
    flags.insert(flags.end(), {name, value});
    return flags;
  }

  daemon coordinator_;
  std::optional<daemon> a_;
  std::optional<daemon> b_;
  int runs_ = 0;
};

void end_and_restart(daemon& node) {
  if (!node.process().wait(patience))
    give_up("node '" + node.name() + "' did not end");
  node.start();
}

/// A fresh run each round: its log stays short.
std::vector<double> short_rounds(cluster_of_three& nodes, int signal,
                                 int rounds) {
  std::vector<double> out;
  for (int i = 0; i < rounds; ++i) {
    auto run = nodes.start_run(short_log);
    out.push_back(nodes.stands_still(run, signal));
    end_and_restart(nodes.a());
    run.viewer.reset();
    nodes.coordinator().cancel(run.id);
  }
  return out;
}

std::vector<double> long_round(cluster_of_three& nodes, const bench_run& run) {
  nodes.bring_home(run);
  auto took = nodes.stands_still(run, SIGKILL);
  end_and_restart(nodes.a());
  return {took};
}

std::vector<double> paused_rounds(cluster_of_three& nodes, int rounds) {
  std::vector<double> out;
  auto run = nodes.start_run(short_log);
  for (int i = 0; i < rounds; ++i) {
    out.push_back(nodes.stands_still(run, SIGSTOP));
    nodes.a().process().send_signal(SIGCONT);
    nodes.bring_home(run);
  }
  run.viewer.reset();
  nodes.coordinator().cancel(run.id);
  return out;
}

} // namespace

std::vector<figure> takeover(const bench_options& options) {
  std::vector<double> killed, killed_long, ended;
  {
    cluster_of_three nodes{options.directory + "/default", {}};
    auto large = nodes.start_run(long_log);
    auto add = [](std::vector<double>& to, const std::vector<double>& more) {
      to.insert(to.end(), more.begin(), more.end());
    };
    // In turns, so that both see the machine in the same moods.
    for (int i = 0; i < options.rounds; ++i) {
      add(killed, short_rounds(nodes, SIGKILL, 1));
      add(killed_long, long_round(nodes, large));
    }
    large.viewer.reset();
    nodes.coordinator().cancel(large.id);
    ended = short_rounds(nodes, SIGTERM, options.rounds);
  }
  cluster_of_three nodes{options.directory + "/lease", {"--lease", "2s"}};
  auto paused = paused_rounds(nodes, std::max(options.rounds / 4, 1));
  return {
    {"kill -9, log of 1,000, p50",
     "ms",
     percentile(killed, 0.5),
     {},
     false,
     1000},
    {"kill -9, log of 1,000, p99",
     "ms",
     percentile(killed, 0.99),
     {},
     false,
     3000},
    {"kill -9, log of 1,000,000 beside 1,000, p50", "ms",
     percentile(killed_long, 0.5), percentile(killed, 0.5), false, 1.2},
    {"SIGTERM hands over, p50", "ms", percentile(ended, 0.5), {}, false, {}},
    {"SIGTERM hands over, p99", "ms", percentile(ended, 0.99), {}, false, 200},
    {"SIGSTOP, lease of 2 s, longest",
     "ms",
     percentile(paused, 1),
     {},
     false,
     4000},
  };
}

} // namespace baton::bench
