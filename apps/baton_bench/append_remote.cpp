// SPDX-License-Identifier: MIT
// Durable appends from another process: a worker drives 16 runs over journals
// that are always ahead, in batches of 32, through BASP to a batond's store.
#include "apps/baton_bench/bench.hpp"
#include "apps/baton_bench/daemon.hpp"
#include "apps/baton_bench/generating_worker.hpp"
#include "apps/baton_bench/raw_store.hpp"
#include "apps/baton_bench/run_table.hpp"

#include <thread>

namespace baton::bench {
namespace {

using clock = std::chrono::steady_clock;
using micros = std::chrono::duration<double, std::micro>;

constexpr int runs = 16;
constexpr int batch_entries = 32;

struct remote_sample {
  double entries_per_second = 0;
  double coordinator_us = 0;
  double worker_us = 0;
};

remote_sample measure(const bench_options& options) {
  daemon coordinator{"c", options.directory, {"--cluster", "127.0.0.1:0"}};
  coordinator.start();
  auto worker = start_generating_worker(
    {"w", coordinator.cluster_address(), options.directory + "/worker-log"});
  create_generated_runs(coordinator, runs);
  wait_until_flowing(coordinator, runs, 1);
  auto begin = clock::now();
  auto before = count_entries(coordinator).sum;
  auto cpu_c = coordinator.process().cpu_time();
  auto cpu_w = worker->cpu_time();
  std::this_thread::sleep_for(options.duration);
  auto took = std::chrono::duration<double>(clock::now() - begin).count();
  auto after = count_entries(coordinator).sum;
  micros used_c = coordinator.process().cpu_time() - cpu_c;
  micros used_w = worker->cpu_time() - cpu_w;
  auto entries = static_cast<double>(after - before);
  return {entries / took, used_c.count() / entries, used_w.count() / entries};
}

} // namespace

std::vector<figure> append_remote(const bench_options& options) {
  std::vector<double> raw, raw_cpu, ours, coordinator_cpu, worker_cpu;
  in_turn(
    options,
    [&](const bench_options& x) {
      auto got = raw_throughput(x.directory, runs, batch_entries, x.duration);
      raw.push_back(got.entries_per_second);
      raw_cpu.push_back(got.cpu_us_per_entry);
    },
    [&](const bench_options& x) {
      auto got = measure(x);
      ours.push_back(got.entries_per_second);
      coordinator_cpu.push_back(got.coordinator_us);
      worker_cpu.push_back(got.worker_us);
    });
  auto raw_us = percentile(raw_cpu, 0.5);
  return {
    {"remote, 16 runs, batches of 32", "entries/s", percentile(ours, 0.5),
     percentile(raw, 0.5), true, 0.4},
    {"CPU of the coordinator per entry",
     "us",
     percentile(coordinator_cpu, 0.5),
     raw_us,
     false,
     {}},
    {"CPU of the worker per entry",
     "us",
     percentile(worker_cpu, 0.5),
     raw_us,
     false,
     {}},
  };
}

} // namespace baton::bench
