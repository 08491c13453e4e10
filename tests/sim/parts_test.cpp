// SPDX-License-Identifier: MIT
// Goal: the world's parts do what the head of each says. Method: each alone,
// with the smallest machines that show it.
#include "actors/sim/agenda.hpp"
#include "actors/sim/disk.hpp"
#include "actors/sim/faults.hpp"
#include "actors/sim/machine.hpp"
#include "actors/sim/network.hpp"
#include "actors/sim/shape.hpp"
#include "actors/sim/trace.hpp"
#include "messages/claim_messages.hpp"
#include "storage/memory_store.hpp"
#include "storage/run_script.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::sim;
using namespace std::chrono_literals;

namespace {

/// Two machines, and an actor on the second that notes what it hears.
struct two_machines {
  two_machines() {
    net.attach(0, here);
    net.attach(1, there);
    ear = there.own(there.system().spawn([this](caf::event_based_actor*) {
      return caf::behavior{
        [this](const node_beat& x) { heard.push_back(x.node.str()); }};
    }));
    far = net.handle(0, 1, ear);
  }

  void say(const std::string& what) {
    caf::anon_send(far, node_beat{node_id{what}, {}});
  }

  void run() {
    auto work = [](machine& x) {
      while (x.ready() != 0)
        x.run(0);
    };
    work(here);
    work(there);
    while (auto next = when.next()) {
      when.pass_to(*next);
      when.run_next();
      work(here);
      work(there);
    }
  }

  agenda when;
  machine here{1, {}};
  machine there{2, {}};
  network net{when, {}, seeded{1}};
  caf::actor ear;
  caf::actor far;
  std::vector<std::string> heard;
};

using words = std::vector<std::string>;

} // namespace

BOOST_AUTO_TEST_SUITE(sim_parts)

BOOST_AUTO_TEST_CASE(things_happen_in_order_of_time_and_entry) {
  agenda x;
  std::string seen;
  x.at(2ms, 0, [&] { seen += 'c'; });
  x.at(1ms, 0, [&] { seen += 'a'; });
  x.at(1ms, 7, [&] { seen += 'x'; });
  x.at(1ms, 0, [&] { seen += 'b'; });
  x.forget(7);
  while (auto next = x.next()) {
    x.pass_to(*next);
    x.run_next();
  }
  BOOST_TEST(seen == "abc");
  BOOST_CHECK(x.now() == world_time{2ms});
}

BOOST_AUTO_TEST_CASE(a_fast_clock_shows_more_and_its_timers_come_early) {
  machine x{1, {}};
  auto begin = x.clock();
  x.drift(0s, 500'000);
  x.at(2s);
  BOOST_CHECK(x.clock() - begin == 3s);
  auto idle = x.own(x.system().spawn([](caf::event_based_actor* self) {
    self->delayed_send(self, 3s, std::string{"wake"});
    return caf::behavior{[](const std::string&) {}};
  }));
  x.run(0);
  BOOST_REQUIRE(x.next_timer().has_value());
  BOOST_CHECK(*x.next_timer() == world_time{4s});
}

BOOST_AUTO_TEST_CASE(a_held_actor_waits_and_goes_on_when_released) {
  two_machines x;
  x.there.hold(x.ear.id());
  x.say("1");
  x.run();
  BOOST_TEST(x.heard == words{});
  x.there.release(x.ear.id());
  x.run();
  BOOST_TEST(x.heard == words{"1"});
}

BOOST_AUTO_TEST_CASE(messages_keep_their_order_on_the_way) {
  two_machines x;
  words said;
  for (int i = 0; i < 50; ++i) {
    said.push_back(std::to_string(i));
    x.say(said.back());
  }
  x.run();
  BOOST_TEST(x.heard == said);
  BOOST_TEST(x.net.unreadable == 0U);
}

BOOST_AUTO_TEST_CASE(what_is_sent_into_a_cut_arrives_when_it_is_healed) {
  two_machines x;
  x.net.cut(0, 1);
  x.say("late");
  x.run();
  BOOST_TEST(x.heard == words{});
  x.net.heal(0, 1);
  x.run();
  BOOST_TEST(x.heard == words{"late"});
}

BOOST_AUTO_TEST_CASE(what_is_under_way_is_lost_with_its_connection) {
  two_machines x;
  int lost = 0;
  x.net.on_lost = [&](network::route, const caf::message&) { ++lost; };
  x.say("lost");
  x.net.disconnect(0, 1);
  x.run();
  BOOST_TEST(x.heard == words{});
  BOOST_TEST(lost == 1);
}

BOOST_AUTO_TEST_CASE(those_who_hold_a_handle_learn_that_the_machine_is_dead) {
  two_machines x;
  bool told = false;
  auto watcher = x.here.own(
    x.here.system().spawn([&, far = x.far](caf::event_based_actor* self) {
      self->monitor(far);
      self->set_down_handler([&told](caf::down_msg&) { told = true; });
      return caf::behavior{[](int) {}};
    }));
  x.run();
  x.ear = nullptr;
  x.net.detach(1);
  x.run();
  BOOST_TEST(told);
}

BOOST_AUTO_TEST_CASE(behind_its_end_a_life_writes_nothing) {
  disk x{std::make_shared<storage::memory_store>()};
  int commits = 0;
  x.on_commit = [&](const storage::commit&, const storage::commit_outcome&) {
    ++commits;
  };
  storage::run_script run{"r"};
  auto life = x.open();
  std::vector<storage::commit> batch{run.create()};
  BOOST_TEST(life->commit_all(batch).ok());
  x.power_off();
  run.numbered(run_no{1});
  batch = {run.claim("n")};
  BOOST_TEST(!life->commit_all(batch).ok());
  BOOST_TEST(commits == 1);
  BOOST_TEST(x.contents().load(run_id{"r"}).value().state.epoch.value == 0U);
}

BOOST_AUTO_TEST_CASE(a_failing_commit_lands_or_not_and_is_the_last) {
  for (auto lands : {false, true}) {
    disk x{std::make_shared<storage::memory_store>()};
    storage::run_script run{"r"};
    auto life = x.open();
    x.fail_next(lands);
    std::vector<storage::commit> batch{run.create()};
    BOOST_TEST(!life->commit_all(batch).ok());
    BOOST_TEST(x.contents().load(run_id{"r"}).ok() == lands);
    BOOST_TEST(!life->commit_all(batch).ok());
  }
}

BOOST_AUTO_TEST_CASE(each_fault_has_a_name_of_its_own) {
  for (std::size_t i = 0; i < fault_kinds; ++i) {
    auto kind = static_cast<fault_kind>(i);
    BOOST_CHECK(fault_from_string(to_string(kind)) == kind);
  }
  BOOST_CHECK(!fault_from_string("kill"));
}

BOOST_AUTO_TEST_CASE(a_seed_is_a_shape) {
  for (std::uint64_t seed = 1; seed < 50; ++seed) {
    auto a = draw_shape(seed, {});
    auto b = draw_shape(seed, {});
    BOOST_TEST(to_string(a) == to_string(b));
    BOOST_TEST(a.plan.size() == b.plan.size());
    BOOST_TEST(to_string(a) != to_string(draw_shape(seed + 1, {})));
  }
}

BOOST_AUTO_TEST_CASE(every_part_of_an_event_is_in_the_hash) {
  auto hash_of = [](const event& x) {
    trace t;
    t.lane_of(lane_kind::node, "n1");
    t.lane_of(lane_kind::node, "n2");
    t.add(x);
    return t.hash();
  };
  event x{1, 0, event_kind::ack, "r", 1, 1, 1, "t", {}};
  std::set<std::uint64_t> seen{hash_of(x)};
  auto differs = [&](auto change) {
    auto y = x;
    change(y);
    BOOST_TEST(seen.insert(hash_of(y)).second);
  };
  differs([](event& y) { y.at_us = 2; });
  differs([](event& y) { y.lane = 1; });
  differs([](event& y) { y.kind = event_kind::lost; });
  differs([](event& y) { y.run = "s"; });
  differs([](event& y) { y.epoch = 2; });
  differs([](event& y) { y.seq_first = 2; });
  differs([](event& y) { y.seq_last = 2; });
  differs([](event& y) { y.text = "u"; });
}

BOOST_AUTO_TEST_CASE(what_is_told_otherwise_keeps_its_hash) {
  trace t;
  t.add({1, t.lane_of(lane_kind::node, "n1"), event_kind::violation, "r"});
  auto before = t.hash();
  t.retell(0, "", "I9: otherwise");
  BOOST_TEST(t.hash() == before);
  BOOST_TEST(t.events()[0].run == "");
  BOOST_TEST(t.events()[0].text == "I9: otherwise");
}

BOOST_AUTO_TEST_SUITE_END()
