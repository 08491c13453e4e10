// SPDX-License-Identifier: MIT
// What a thousand live runs cost a batond that drives none of them: two
// workers in processes of their own, each agent printing a line a second.
#include "apps/baton_bench/bench.hpp"
#include "apps/baton_bench/daemon.hpp"
#include "apps/baton_bench/generating_worker.hpp"
#include "apps/baton_bench/run_table.hpp"

#include <thread>

namespace baton::bench {
namespace {

using clock = std::chrono::steady_clock;

constexpr int runs = 1000;
constexpr std::chrono::milliseconds interval{1000};
constexpr double lines_per_second = runs;

} // namespace

std::vector<figure> live(const bench_options& options) {
  auto directory = options.directory + "/live";
  daemon coordinator{"c", directory, {"--cluster", "127.0.0.1:0"}};
  coordinator.start();
  auto join = coordinator.cluster_address();
  auto a = start_generating_worker({"a", join, directory + "/a-log", interval});
  auto b = start_generating_worker({"b", join, directory + "/b-log", interval});
  create_generated_runs(coordinator, runs);
  wait_until_flowing(coordinator, runs, 2);
  auto before = count_entries(coordinator).sum;
  auto begin = clock::now();
  auto cpu = coordinator.process().cpu_time();
  // Beats and saves of the running time belong to it, each several times.
  std::this_thread::sleep_for(5 * options.duration);
  std::chrono::duration<double> used = coordinator.process().cpu_time() - cpu;
  std::chrono::duration<double> took = clock::now() - begin;
  auto after = count_entries(coordinator).sum;
  return {
    {"1,000 live runs, durable", "entries/s",
     static_cast<double>(after - before) / took.count(), lines_per_second, true,
     0.95},
    {"1,000 live runs, CPU of the coordinator",
     "% of a core",
     100 * used / took,
     {},
     false,
     50},
  };
}

} // namespace baton::bench
