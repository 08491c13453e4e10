// SPDX-License-Identifier: MIT
// How many stories the simulator tells in a minute, on one core.
#include "actors/sim/trial.hpp"
#include "apps/baton_bench/bench.hpp"
#include "apps/baton_bench/give_up.hpp"

namespace baton::bench {

std::vector<figure> sim(const bench_options& options) {
  using clock = std::chrono::steady_clock;
  auto begin = clock::now();
  std::uint64_t seeds = 0;
  double lived = 0, steps = 0;
  while (clock::now() - begin < options.duration) {
    auto got = sim::run_trial(sim::draw_shape(++seeds, {}));
    if (got.broken)
      give_up("baton-sim --seed " + std::to_string(seeds) + " breaks "
              + got.broken->invariant);
    lived += std::chrono::duration<double>(got.length).count();
    steps += static_cast<double>(got.steps);
  }
  auto took = std::chrono::duration<double>(clock::now() - begin).count();
  auto count = static_cast<double>(seeds);
  return {
    {"seeds, 3 nodes, 4 runs", "1/min", count * 60 / took, {}, true, 300},
    {"virtual time of a seed", "s", lived / count, {}, true, {}},
    {"steps", "1/s", steps / took, {}, true, {}},
  };
}

} // namespace baton::bench
