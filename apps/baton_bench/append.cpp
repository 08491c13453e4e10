// SPDX-License-Identifier: MIT
// Durable appends: 16 runs driven by run actors over a journal that is always
// ahead, and one external driver with one entry in flight.
#include "apps/baton_bench/bench.hpp"
#include "apps/baton_bench/bench_node.hpp"
#include "apps/baton_bench/generated_journal.hpp"
#include "apps/baton_bench/raw_store.hpp"
#include "messages/caf_types.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>

#include <thread>

namespace baton::bench {
namespace {

using clock = std::chrono::steady_clock;

constexpr int runs = 16;
constexpr int batch_entries = 32;

std::uint64_t durable_entries(const storage::store& store) {
  std::uint64_t sum = 0;
  for (int i = 0; i < runs; ++i)
    if (auto run = store.load(run_id{"run-" + std::to_string(i)}))
      sum += run->state.last_seq.value;
  return sum;
}

double entries_per_second(const bench_options& options) {
  bench_node node{options.directory + "-append"};
  for (int i = 0; i < runs; ++i)
    node.create(run_id{"run-" + std::to_string(i)}, false);
  auto begin = clock::now();
  auto before = durable_entries(node.store());
  std::this_thread::sleep_for(options.duration);
  auto after = durable_entries(node.store());
  auto took = std::chrono::duration<double>(clock::now() - begin).count();
  return static_cast<double>(after - before) / took;
}

/// One entry in flight: the next append leaves when the last is acknowledged.
struct pinger {
  run_id run;
  epoch held;
  clock::time_point end;
  std::vector<double>* samples;
  std::uint64_t next = 1;
  clock::time_point sent;
};

caf::behavior ping(caf::event_based_actor* self, caf::actor coordinator,
                   pinger start) {
  auto x = std::make_shared<pinger>(std::move(start));
  auto send = [=] {
    append_lines request;
    request.run = x->run;
    request.epoch = x->held;
    request.first_seq = seq{x->next++};
    request.lines.add(sample_line(), false);
    x->sent = clock::now();
    self->send(coordinator, std::move(request));
  };
  send();
  return {[=](const append_done&) {
    auto now = clock::now();
    x->samples->push_back(
      std::chrono::duration<double, std::micro>(now - x->sent).count());
    if (now < x->end)
      send();
    else
      self->quit();
  }};
}

std::vector<double> latencies(const bench_options& options) {
  bench_node node{options.directory + "-latency"};
  run_id id{"one"};
  auto held = node.create(id, true);
  std::vector<double> samples;
  caf::scoped_actor self{node.system()};
  auto driver = node.system().spawn(
    ping, node.handles().coordinator,
    pinger{id, held, clock::now() + options.duration, &samples, 1, {}});
  self->wait_for(driver);
  return samples;
}

} // namespace

std::vector<figure> append(const bench_options& options) {
  std::vector<double> raw, ours, raw_one, our_one;
  auto add = [](std::vector<double>& to, const std::vector<double>& more) {
    to.insert(to.end(), more.begin(), more.end());
  };
  in_turn(
    options,
    [&](const bench_options& x) {
      raw.push_back(
        raw_throughput(x.directory + "-append", runs, batch_entries, x.duration)
          .entries_per_second);
      add(raw_one, raw_write_latencies(x.directory + "-latency", x.duration));
    },
    [&](const bench_options& x) {
      ours.push_back(entries_per_second(x));
      add(our_one, latencies(x));
    });
  return {
    {"16 runs, batches of 32", "entries/s", percentile(ours, 0.5),
     percentile(raw, 0.5), true, 0.6},
    {"one entry in flight, p50", "us", percentile(our_one, 0.5),
     percentile(raw_one, 0.5), false, 1.5},
    {"one entry in flight, p99", "us", percentile(our_one, 0.99),
     percentile(raw_one, 0.99), false, 1.5},
  };
}

} // namespace baton::bench
