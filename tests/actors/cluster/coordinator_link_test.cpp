// SPDX-License-Identifier: MIT
// Goal: a run on a cluster ends with every byte once and every viewer served,
// whatever nodes die, are cut off or come back. Method: coordinator, workers,
// links and feeds under CAF's test coordinator with a network between them;
// each fault on its own, then seeds that draw faults and schedule.
#include "tests/actors/cluster_world.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::test;

namespace {

const std::vector<std::string> script{
  "{\"n\":1}\n", "second\nthi", "rd\n", "4\n", "5\n", "6\n", "last"};

/// I2, I3, I6 and I7 from the disk and the world alone.
void check_run(cluster_world& w, const std::string& run) {
  auto* agent = w.agent_of(run);
  BOOST_REQUIRE(agent != nullptr);
  BOOST_TEST(agent->launches == 1);
  std::string text;
  std::uint64_t n = 0, end = 0, held = 0;
  for (const auto& e : w.log(run)) {
    text += e.data;
    BOOST_TEST(e.seq.value == ++n);
    BOOST_TEST(e.begin.value == end);
    BOOST_TEST(e.epoch.value >= held);
    end = e.end.value;
    held = e.epoch.value;
  }
  BOOST_TEST(text == agent->written);
  std::uint64_t last = 0;
  for (const auto& claim : w.claims(run)) {
    BOOST_TEST(claim.epoch.value > last);
    last = claim.epoch.value;
  }
}

void check_viewing(cluster_world& w, const std::string& run,
                   const viewing& seen) {
  BOOST_TEST(seen.ended);
  for (std::size_t i = 0; i < seen.seqs.size(); ++i)
    BOOST_TEST(seen.seqs[i] == i + 1); // I8
  BOOST_TEST(seen.bytes == w.agent_of(run)->written);
}

std::string holder(const cluster_world& w, const std::string& run) {
  return w.record(run).state.holder;
}

int driver_of(const cluster_world& w, const std::string& run) {
  return std::stoi(holder(w, run).substr(1));
}

/// A cluster with one run that has begun, watched on every node.
struct started_run {
  explicit started_run(std::uint64_t seed) : w(seed) {
    w.agents->script = script;
    w.create(1, "r");
    for (auto& x : seen) {
      x = std::make_shared<viewing>();
      w.watch(static_cast<int>(&x - seen.data()), "r", x);
    }
    BOOST_REQUIRE(w.sim.run_until(
      [this] { return w.record("r").state.last_seq.value > 0; }));
  }

  void finish() {
    BOOST_TEST(w.sim.run_until([this] {
      return w.ended("r") && std::ranges::all_of(alive_views(), [](auto& x) {
               return x->ended;
             });
    }));
    check_run(w, "r");
    for (auto& x : alive_views())
      check_viewing(w, "r", *x);
    BOOST_TEST(w.net.unreadable == 0);
  }

  std::vector<std::shared_ptr<viewing>> alive_views() const {
    std::vector<std::shared_ptr<viewing>> out;
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (i == 0 || w.is_alive(static_cast<int>(i)))
        out.push_back(seen[i]);
    return out;
  }

  cluster_world w;
  std::array<std::shared_ptr<viewing>, cluster_world::workers + 1> seen;
};

} // namespace

BOOST_AUTO_TEST_SUITE(cluster_cluster)

BOOST_AUTO_TEST_CASE(a_run_goes_to_its_end_and_is_seen_on_every_node) {
  started_run x{1};
  x.finish();
  BOOST_TEST(x.w.claims("r").size() == 1);
}

BOOST_AUTO_TEST_CASE(a_dead_workers_run_goes_on_elsewhere) {
  started_run x{2};
  x.w.kill(driver_of(x.w, "r"));
  x.finish();
  BOOST_TEST(x.w.claims("r").back().cause == "node_lost");
}

BOOST_AUTO_TEST_CASE(a_silent_workers_run_goes_on_when_its_lease_lapses) {
  started_run x{3};
  auto lost = driver_of(x.w, "r");
  x.w.net.cut(lost, 0);
  x.w.net.cut(0, lost);
  BOOST_REQUIRE(x.w.sim.run_until([&] { return driver_of(x.w, "r") != lost; }));
  BOOST_TEST(x.w.claims("r").back().cause == "lease_lapsed");
  x.w.net.disconnect(lost, 0);
  x.w.net.heal(lost, 0);
  x.finish();
}

BOOST_AUTO_TEST_CASE(a_worker_that_hears_but_is_not_heard_loses_its_run) {
  started_run x{4};
  auto lost = driver_of(x.w, "r");
  x.w.net.cut(lost, 0);
  BOOST_REQUIRE(x.w.sim.run_until([&] { return driver_of(x.w, "r") != lost; }));
  x.w.net.heal(lost, 0);
  x.finish();
}

BOOST_AUTO_TEST_CASE(a_short_loss_of_the_connection_costs_nothing) {
  started_run x{5};
  for (int i = 1; i <= cluster_world::workers; ++i)
    x.w.net.disconnect(i, 0);
  x.finish();
}

BOOST_AUTO_TEST_CASE(epochs_survive_the_coordinator) {
  started_run x{6};
  x.w.kill(0);
  for (int i = 0; i < 200; ++i)
    x.w.sim.step();
  x.w.start_coordinator();
  x.w.watch(0, "r", x.seen[0] = std::make_shared<viewing>());
  x.finish();
  // The holder came back with the claim it held.
  BOOST_TEST(x.w.claims("r").size() == 1);
}

BOOST_AUTO_TEST_CASE(any_schedule_of_faults_keeps_every_byte_once) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      started_run x{seed};
      auto& random = x.w.sim.random;
      for (int fault = 0; fault < 6; ++fault) {
        auto steps = random.below(120);
        for (std::uint64_t i = 0; i < steps; ++i)
          x.w.sim.step();
        auto node = static_cast<int>(1 + random.below(cluster_world::workers));
        switch (random.below(6)) {
        case 0:
          // One node must live.
          if (node != 1) {
            x.w.kill(node);
            x.w.start_worker(node);
          }
          break;
        case 1:
          x.w.net.cut(node, 0);
          break;
        case 2:
          x.w.net.cut(0, node);
          break;
        case 3:
          x.w.net.disconnect(node, 0);
          break;
        case 4:
          x.w.net.disconnect(node, 0);
          x.w.net.heal(node, 0);
          break;
        default:
          x.w.kill(0);
          x.w.start_coordinator();
          x.w.watch(0, "r", x.seen[0] = std::make_shared<viewing>());
        }
      }
      for (int i = 1; i <= cluster_world::workers; ++i) {
        x.w.net.disconnect(i, 0);
        x.w.net.heal(i, 0);
      }
      // Viewers of nodes that died and came back went with them.
      for (int i = 2; i <= cluster_world::workers; ++i)
        x.w.watch(i, "r",
                  x.seen[static_cast<std::size_t>(i)] =
                    std::make_shared<viewing>());
      x.finish();
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
