// SPDX-License-Identifier: MIT
// From the append call to a live viewer that has the entry.
#include "apps/baton_bench/bench.hpp"
#include "apps/baton_bench/bench_node.hpp"
#include "apps/baton_bench/generated_journal.hpp"
#include "apps/baton_bench/raw_store.hpp"
#include "messages/caf_types.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>

namespace baton::bench {
namespace {

using clock = std::chrono::steady_clock;
using start_atom = caf::atom_constant<caf::atom("start")>;

struct tailer {
  run_id run;
  epoch held;
  clock::time_point end;
  std::vector<double>* samples;
  caf::actor coordinator;
  caf::actor channel;
  seq seen;
  clock::time_point sent;
};

/// Viewer and driver in one: appends the next entry when the last arrived.
caf::behavior view(caf::event_based_actor* self, tailer start) {
  auto x = std::make_shared<tailer>(std::move(start));
  auto append = [=] {
    append_lines request;
    request.run = x->run;
    request.epoch = x->held;
    request.first_seq = seq{x->seen.value + 1};
    request.lines.add(sample_line(), false);
    x->sent = clock::now();
    self->send(x->coordinator, std::move(request));
  };
  auto ask = [=] {
    self->request(x->channel, caf::infinite, next_entries{x->seen})
      .then([=](const entry_page& page) {
        x->samples->push_back(
          std::chrono::duration<double, std::micro>(clock::now() - x->sent)
            .count());
        x->seen = page.entries.items.back()->seq;
        self->send(self, start_atom::value);
      });
  };
  self->send(self, start_atom::value);
  return {
    [=](start_atom) {
      if (clock::now() >= x->end)
        return self->quit();
      ask();
      append();
    },
    [](const append_done&) {},
  };
}

std::vector<double> latencies(const bench_options& options) {
  bench_node node{options.directory + "-tail"};
  run_id id{"one"};
  auto held = node.create(id, true);
  std::vector<double> samples;
  caf::scoped_actor self{node.system()};
  caf::actor channel;
  self
    ->request(node.handles().coordinator, std::chrono::seconds{30},
              watch_run{id})
    .receive([&](channel_opened& x) { channel = x.channel; },
             [](const caf::error&) {});
  auto viewer =
    node.system().spawn(view, tailer{id,
                                     held,
                                     clock::now() + options.duration,
                                     &samples,
                                     node.handles().coordinator,
                                     channel,
                                     {},
                                     {}});
  self->wait_for(viewer);
  return samples;
}

} // namespace

std::vector<figure> tail(const bench_options& options) {
  std::vector<double> raw, ours;
  auto add = [](std::vector<double>& to, const std::vector<double>& more) {
    to.insert(to.end(), more.begin(), more.end());
  };
  in_turn(
    options,
    [&](const bench_options& x) {
      add(raw, raw_write_latencies(x.directory + "-tail", x.duration));
    },
    [&](const bench_options& x) { add(ours, latencies(x)); });
  return {
    {"append to viewer, p50", "us", percentile(ours, 0.5), percentile(raw, 0.5),
     false, 2.0},
    {"append to viewer, p99", "us", percentile(ours, 0.99),
     percentile(raw, 0.99), false, 5.0},
  };
}

} // namespace baton::bench
