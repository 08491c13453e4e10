// SPDX-License-Identifier: MIT
// Goal: a run on a cluster ends with every byte once and every viewer served,
// whatever single node dies, is cut off or comes back. Method: the simulator's
// cluster, step by step, judged by its witness; schedules of many faults are
// tests/sim's.
#include "actors/sim/cluster.hpp"
#include "actors/sim/people.hpp"
#include "actors/sim/witness.hpp"
#include "storage/memory_store.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace baton;
using namespace baton::sim;

namespace {

constexpr std::size_t steps_max = 200'000;

coordinator::policy rules_with(std::chrono::milliseconds lease) {
  coordinator::policy out;
  out.lease = lease;
  return out;
}

agent_script half_a_minute_of_lines() {
  agent_script out;
  for (std::string piece :
       {"{\"n\":1}\n", "second\nthi", "rd\n", "4\n", "last"})
    out.pieces.push_back({std::chrono::seconds{6}, std::move(piece)});
  return out;
}

/// A cluster with one run that has begun on a worker, watched on every node.
class started_run {
public:
  explicit started_run(
    std::chrono::milliseconds lease = std::chrono::seconds{2})
    : all{{7,
           4,
           {},
           rules_with(lease),
           std::make_shared<storage::memory_store>()}} {
    all.agents->watch = &judge;
    all.disk.on_commit = [this](const storage::commit& c,
                                const storage::commit_outcome& got) {
      judge.on_commit(c, got);
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
      judge.nodes.insert(all.name(i));
      all.start(i);
    }
    all.agents->plan(id, half_a_minute_of_lines());
    create();
    BOOST_REQUIRE(run_until([this] { return !judge.runs().empty(); }));
    for (std::size_t i = 0; i < all.size(); ++i)
      watch(i);
    BOOST_REQUIRE(run_until([this] { return run().last_seq > 0; }));
  }

  ~started_run() {
    all.agents->watch = nullptr;
    all.disk.on_commit = {};
  }

  const durable_run& run() const { return judge.runs().at(id); }

  std::size_t driver() const {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all.name(i) == run().holder)
        return i;
    return all.size();
  }

  std::string last_cause() const { return run().claims.back().cause; }

  bool run_until(const std::function<bool()>& reached) {
    for (std::size_t i = 0; i < steps_max && !reached(); ++i)
      if (!all.step())
        break;
    return reached();
  }

  void watch(std::size_t i) {
    auto what = std::make_shared<viewing>();
    what->name = "viewer on " + all.name(i);
    what->run = id;
    seen[i] = what;
    auto& box = all.box(i);
    box.own(box.system().spawn(
      viewer, viewer_site{all.at(i), all.alive(i), &judge}, what));
  }

  /// To the run's end, for whoever still watches.
  void finish() {
    BOOST_TEST(run_until([this] {
      return is_terminal(run().status)
             && std::ranges::all_of(seen, [this](const auto& x) {
                  return !all.is_up(x.first) || x.second->ended;
                });
    }));
    BOOST_TEST(run().bytes == all.agents->of(id)->written);
    BOOST_TEST(all.network.unreadable == 0);
    if (judge.broken())
      BOOST_ERROR(judge.broken()->invariant + ": " + judge.broken()->text);
  }

  run_id id{"r"};
  cluster all;
  trace story;
  witness judge{story, *all.agents, [this] { return all.agenda.now(); }};
  std::map<std::size_t, std::shared_ptr<viewing>> seen;

private:
  /// A worker may not have joined yet: then its client asks again.
  void create() {
    create_run x;
    x.spec.id = id;
    x.spec.command = {true, {id.str()}};
    x.spec.wanted_node = node_id{all.name(2)};
    ask_at<run_created>(all.box(1).system(), all.at(1), all.alive(1), x,
                        [this](const result<run_created>& got) {
                          if (!got)
                            all.agenda.in(std::chrono::milliseconds{100},
                                          [this] { create(); });
                        });
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(cluster_cluster)

BOOST_AUTO_TEST_CASE(a_run_goes_to_its_end_and_is_seen_on_every_node) {
  started_run x;
  x.finish();
  BOOST_TEST(x.run().claims.size() == 1);
}

BOOST_AUTO_TEST_CASE(a_worker_keeps_a_short_lease_from_its_welcome_on) {
  started_run x{std::chrono::milliseconds{500}};
  x.finish();
  BOOST_TEST(x.run().claims.size() == 1);
}

BOOST_AUTO_TEST_CASE(a_stranger_who_understands_no_answer_ends_nobody) {
  started_run x;
  for (std::size_t i = 0; i < x.all.size(); ++i) {
    auto& box = x.all.box(i);
    box.own(
      box.system().spawn([to = x.all.at(i), id = x.id](
                           caf::event_based_actor* self) -> caf::behavior {
        append_lines entry;
        entry.run = id;
        entry.epoch.value = 99;
        entry.lines.add("of nobody\n", false);
        self->send(to, entry);
        self->send(to, std::string{"not a word of ours"});
        self->request(to, caf::infinite, watch_run{id})
          .then([self](const channel_opened& y) {
            self->send(y.channel,
                       caf::make_error(caf::sec::unexpected_message));
          });
        return {[](int) {}};
      }));
  }
  x.finish();
  BOOST_TEST(x.run().claims.size() == 1);
}

BOOST_AUTO_TEST_CASE(a_dead_workers_run_goes_on_elsewhere) {
  started_run x;
  x.all.kill(x.driver());
  x.finish();
  BOOST_TEST(x.last_cause() == "node_lost");
}

BOOST_AUTO_TEST_CASE(a_silent_workers_run_goes_on_when_its_lease_lapses) {
  started_run x;
  auto lost = x.driver();
  x.all.network.cut(lost, 0);
  x.all.network.cut(0, lost);
  BOOST_REQUIRE(x.run_until([&] { return x.driver() != lost; }));
  BOOST_TEST(x.last_cause() == "lease_lapsed");
  x.all.network.disconnect(lost, 0);
  x.all.network.heal(lost, 0);
  x.finish();
}

BOOST_AUTO_TEST_CASE(a_worker_that_hears_but_is_not_heard_loses_its_run) {
  started_run x;
  auto lost = x.driver();
  x.all.network.cut(lost, 0);
  BOOST_REQUIRE(x.run_until([&] { return x.driver() != lost; }));
  x.all.network.heal(lost, 0);
  x.finish();
}

BOOST_AUTO_TEST_CASE(a_short_loss_of_the_connection_costs_nothing) {
  started_run x;
  for (std::size_t i = 1; i < x.all.size(); ++i)
    x.all.network.disconnect(i, 0);
  x.finish();
}

BOOST_AUTO_TEST_CASE(epochs_survive_the_coordinator) {
  started_run x;
  x.all.kill(0);
  for (int i = 0; i < 200; ++i)
    x.all.step();
  x.all.start(0);
  x.watch(0);
  x.finish();
  // The holder came back with the claim it held.
  BOOST_TEST(x.run().claims.size() == 1);
}

BOOST_AUTO_TEST_SUITE_END()
