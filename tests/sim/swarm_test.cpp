// SPDX-License-Identifier: MIT
// Goal: no invariant breaks, and a seed is one story. Method: 2,000 seeds, the
// first 1,000 of them twice; BATON_SIM_SEEDS=N runs N.
#include "actors/sim/trial.hpp"
#include "tests/sim/seeds.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>

using namespace baton;
using namespace baton::sim;

namespace {

constexpr std::uint64_t swarm_seeds = 2'000;
constexpr std::uint64_t repeated_seeds = 1'000;

std::uint64_t seeds_asked() {
  const auto* text = std::getenv("BATON_SIM_SEEDS");
  return text == nullptr ? swarm_seeds : std::strtoull(text, nullptr, 10);
}

std::string verdict(const outcome& x) {
  return x.broken
           ? x.broken->invariant + ": " + x.broken->text + "\n" + history_of(x)
           : "";
}

} // namespace

BOOST_AUTO_TEST_SUITE(sim_swarm)

BOOST_AUTO_TEST_CASE(no_invariant_breaks_and_a_seed_is_one_story) {
  auto n = seeds_asked();
  for (std::uint64_t seed = 1; seed <= n; ++seed)
    BOOST_TEST_CONTEXT("baton-sim --seed " << seed) {
      auto first = run_trial(draw_shape(seed, {}));
      BOOST_TEST(verdict(first) == "");
      if (seed > repeated_seeds)
        continue;
      auto second = run_trial(draw_shape(seed, {}));
      BOOST_TEST(to_hex(first.hash) == to_hex(second.hash));
    }
}

BOOST_AUTO_TEST_CASE(other_shapes_break_nothing_either) {
  for (std::size_t nodes : {1, 2, 5})
    for (std::uint64_t seed = 1; seed <= 30; ++seed)
      BOOST_TEST_CONTEXT("baton-sim --seed " << seed << " --nodes " << nodes) {
        shape_wishes wishes;
        wishes.nodes = nodes;
        wishes.runs = nodes;
        BOOST_TEST(verdict(run_trial(draw_shape(seed, wishes))) == "");
      }
}

BOOST_AUTO_TEST_CASE(each_fault_alone_breaks_nothing) {
  for (std::size_t i = 0; i < fault_kinds; ++i)
    for (std::uint64_t seed = 1; seed <= 15; ++seed) {
      auto kind = static_cast<fault_kind>(i);
      BOOST_TEST_CONTEXT("baton-sim --seed " << seed << " --faults "
                                             << to_string(kind)) {
        shape_wishes wishes;
        wishes.faults = std::vector<fault_kind>{kind};
        BOOST_TEST(verdict(run_trial(draw_shape(seed, wishes))) == "");
      }
    }
}

BOOST_AUTO_TEST_CASE(what_once_broke_stays_mended) {
  for (const auto& x : test::past_failures)
    BOOST_TEST_CONTEXT("seed " << x.seed << ": " << x.what)
  BOOST_TEST(verdict(run_trial(draw_shape(x.seed, {}))) == "");
}

BOOST_AUTO_TEST_SUITE_END()
