// SPDX-License-Identifier: MIT
// Goal: what the coordinator decides when nodes come, go, fall silent and come
// back. Method: the pure table on a memory store, as in claim_table_test.cpp.
#include "tests/actors/coordinator/table_harness.hpp"

using namespace baton;
using namespace baton::test;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(coordinator_claim_table_nodes)

BOOST_AUTO_TEST_CASE(a_run_is_placed_at_once_or_when_a_node_comes) {
  table_harness t{rules};
  t.create("early");
  BOOST_TEST(t.stored("early").epoch.value == 0);

  t.hello("a");
  auto orders = t.take_orders<drive_run>();
  BOOST_REQUIRE(orders.size() == 1);
  BOOST_TEST(orders[0].first == "a");
  BOOST_TEST(orders[0].second.record.state.epoch.value == 1);

  t.create("late");
  BOOST_TEST(t.take_orders<drive_run>().size() == 1);
  BOOST_TEST(t.claims("late").front().cause == "placement");
}

BOOST_AUTO_TEST_CASE(a_node_that_comes_back_goes_on_with_the_claims_it_holds) {
  table_harness t{rules};
  t.hello("a");
  t.create("r");
  t.create("lost");
  t.take_orders<drive_run>();

  auto again = table_harness::hello_of("a");
  again.driving = {{run_id{"r"}, epoch{1}}};
  t.get<node_welcome>(again);

  // The order to drive the other one never arrived.
  auto orders = t.take_orders<drive_run>();
  BOOST_REQUIRE(orders.size() == 1);
  BOOST_TEST(orders[0].second.record.id().str() == "lost");
  BOOST_TEST(t.stored("r").epoch.value == 1);
  BOOST_TEST(t.stored("lost").epoch.value == 2);
  BOOST_TEST(t.table->nodes().all().at(node_id{"a"}).runs == 2);
}

BOOST_AUTO_TEST_CASE(holders_keep_their_epochs_over_a_coordinators_restart) {
  table_harness t{{std::chrono::seconds{10}, std::chrono::hours{9}}};
  t.hello("a");
  t.hello("b");
  t.create("r");
  t.append("r", 1, 1, {"one\n"});
  t.restart();
  // Nobody takes what a holder may come back for.
  t.hello("b");
  BOOST_TEST(t.take_orders<drive_run>().empty());

  auto back = table_harness::hello_of("a");
  back.driving = {{run_id{"r"}, epoch{1}}};
  t.get<node_welcome>(back);

  BOOST_TEST(t.take_orders<drive_run>().empty());
  BOOST_TEST(t.append("r", 1, 2, {"two\n"}).end.value == 8);
  // And the lease of its first hour is not run down against it.
  t.advance(std::chrono::hours{1});
  BOOST_TEST(t.stored("r").epoch.value == 1);
}

BOOST_AUTO_TEST_CASE(a_cancel_that_fell_into_the_loss_reaches_who_comes_back) {
  table_harness t{rules};
  t.hello("a");
  t.create("r");
  t.get<run_view>(cancel_run{run_id{"r"}});
  t.take_orders<cancel_drive>();

  auto back = table_harness::hello_of("a");
  back.driving = {{run_id{"r"}, epoch{1}}};
  t.get<node_welcome>(back);

  BOOST_TEST(t.take_orders<cancel_drive>().size() == 1);
}

BOOST_AUTO_TEST_CASE(who_comes_back_with_an_older_claim_is_stopped) {
  table_harness t{rules};
  t.hello("a");
  t.create("r");
  t.hello("b");
  t.table->on_node_down(node_id{"a"}, incarnation{1}, t.now);
  t.flush();
  BOOST_REQUIRE(t.stored("r").holder == "b");

  auto back = table_harness::hello_of("a");
  back.driving = {{run_id{"r"}, epoch{1}}};
  t.get<node_welcome>(back);

  auto stops = t.take_orders<stop_drive>();
  BOOST_REQUIRE(stops.size() == 1);
  BOOST_TEST(stops[0].first == "a");
  BOOST_TEST(stops[0].second.epoch.value == 1);
  BOOST_TEST(t.stored("r").holder == "b");
  BOOST_TEST(t.stored("r").epoch.value == 2);
}

BOOST_AUTO_TEST_CASE(a_store_older_than_a_nodes_claim_is_refused) {
  table_harness t{rules};
  t.hello("a");
  t.create("r");

  auto back = table_harness::hello_of("a");
  back.driving = {{run_id{"r"}, epoch{7}}};
  auto why = t.refused(back);

  BOOST_TEST((why.code == errc::stale_store));
  BOOST_TEST(t.stored("r").epoch.value == 1);
}

BOOST_AUTO_TEST_CASE(an_id_that_is_used_again_never_sees_an_epoch_again) {
  table_harness t{rules};
  t.hello("a");
  t.hello("b");
  t.create("r");
  t.get<run_moved>(takeover_run{run_id{"r"}, {}});
  t.get<run_finished>(finish_of("r", 2));
  t.get<run_removed>(remove_run{run_id{"r"}});

  t.create("r");
  BOOST_TEST(t.stored("r").epoch.value == 3);
  BOOST_TEST((t.refused(finish_of("r", 1)).code == errc::fenced));
  BOOST_TEST((t.refused(finish_of("r", 2)).code == errc::fenced));
  // Who slept through it all is no proof of a newer store.
  auto back = table_harness::hello_of("a");
  back.driving = {{run_id{"r"}, epoch{1}}};
  t.get<node_welcome>(back);

  t.create("x", true);
  t.get<claim_granted>(claim_run{run_id{"x"}, "A", 0, false});
  auto held = t.stored("x").epoch;
  t.get<run_finished>(finish_of("x", held.value));
  t.get<run_removed>(remove_run{run_id{"x"}});
  t.create("x", true);
  BOOST_TEST(
    (t.refused(table_harness::append_of("x", held.value, 1, {"n\n"})).code
     == errc::fenced));
  auto next = t.get<claim_granted>(claim_run{run_id{"x"}, "B", 0, false});
  BOOST_TEST((next.epoch > held));
}

BOOST_AUTO_TEST_CASE(two_live_nodes_never_share_a_name) {
  table_harness t{rules};
  t.hello("a", 1);
  t.create("r");
  t.take_orders<drive_run>();

  BOOST_TEST((t.refused(table_harness::hello_of("a", 2)).code == errc::in_use));

  BOOST_TEST(t.take_orders<drive_run>().empty());
  BOOST_TEST(t.stored("r").epoch.value == 1);
  BOOST_TEST(!t.table->on_beat({node_id{"a"}, incarnation{2}}, t.now));
}

BOOST_AUTO_TEST_CASE(a_silent_node_loses_its_runs_when_its_lease_lapses) {
  table_harness t{rules};
  auto beating = table_harness::hello_of("a");
  beating.beats = true;
  t.get<node_welcome>(beating);
  t.hello("b");
  t.create("r");
  BOOST_REQUIRE(t.stored("r").holder == "a");
  t.advance(std::chrono::seconds{6});
  BOOST_TEST(t.table->on_beat({node_id{"a"}, incarnation{1}}, t.now));

  t.advance(std::chrono::milliseconds{9'999});
  t.flush();
  BOOST_TEST(t.stored("r").holder == "a");
  BOOST_TEST(
    (t.table->next_deadline() == t.now.mono + std::chrono::milliseconds{1}));
  t.advance(std::chrono::milliseconds{1});
  t.flush();

  BOOST_TEST(t.stored("r").holder == "b");
  BOOST_TEST(t.claims("r").back().cause == "lease_lapsed");
  // It has to introduce itself again.
  BOOST_TEST(!t.table->on_beat({node_id{"a"}, incarnation{1}}, t.now));
}

BOOST_AUTO_TEST_CASE(a_coordinator_that_slept_blames_no_node_for_it) {
  table_harness t{{std::chrono::seconds{10}, std::chrono::hours{9}}};
  auto beating = table_harness::hello_of("a");
  beating.beats = true;
  t.get<node_welcome>(beating);
  t.hello("b");
  t.create("r");

  t.advance(std::chrono::hours{1});
  t.flush();
  BOOST_TEST(t.stored("r").holder == "a");

  t.advance(std::chrono::seconds{10});
  t.flush();
  BOOST_TEST(t.stored("r").holder == "b");
}

BOOST_AUTO_TEST_CASE(a_node_that_leaves_hands_its_runs_over) {
  table_harness t{rules};
  t.hello("a");
  t.create("r");
  t.hello("b");
  t.take_orders<drive_run>();

  t.get<node_left>(node_leaving{node_id{"a"}, incarnation{1}});

  auto stops = t.take_orders<stop_drive>();
  auto drives = t.take_orders<drive_run>();
  BOOST_REQUIRE(stops.size() == 1);
  BOOST_REQUIRE(drives.size() == 1);
  BOOST_TEST(stops[0].first == "a");
  BOOST_TEST(drives[0].first == "b");
  BOOST_TEST(t.claims("r").back().cause == "handover");
}

BOOST_AUTO_TEST_CASE(a_node_that_leaves_the_last_takes_nothing_with_it) {
  table_harness t{rules};
  t.hello("a");
  t.create("r");

  t.get<node_left>(node_leaving{node_id{"a"}, incarnation{1}});

  BOOST_TEST((t.stored("r").status == run_status::running));
  t.hello("b");
  BOOST_TEST(t.stored("r").holder == "b");
}

BOOST_AUTO_TEST_CASE(takeovers_at_the_same_instant_make_one_claim) {
  table_harness t{rules};
  t.hello("a");
  t.hello("b");
  t.create("r");
  std::vector<token> asked;
  for (int i = 0; i < 30; ++i)
    asked.push_back(t.ask(takeover_run{run_id{"r"}, {}}));
  t.flush();

  for (auto x : asked) {
    auto* moved = std::get_if<run_moved>(&t.answers.at(x));
    BOOST_REQUIRE(moved != nullptr);
    BOOST_TEST(moved->epoch.value == 2);
    BOOST_TEST(moved->node.str() == "b");
  }
  BOOST_TEST(t.stored("r").epoch.value == 2);
}

BOOST_AUTO_TEST_CASE(a_new_life_of_a_node_gets_its_runs_at_a_new_epoch) {
  table_harness t{rules};
  t.hello("a", 1);
  t.create("r");
  t.append("r", 1, 1, {"one\n"});

  t.table->on_node_down(node_id{"a"}, incarnation{1}, t.now);
  t.hello("a", 2);

  auto orders = t.take_orders<drive_run>();
  BOOST_REQUIRE(orders.size() == 2);
  BOOST_TEST(orders[1].second.record.state.epoch.value == 2);
  BOOST_TEST(orders[1].second.tail == "one\n");
  BOOST_TEST(t.claims("r").back().cause == "restart");
  BOOST_TEST(t.claims("r").back().first_seq.value == 2);
  BOOST_TEST((t.refused(table_harness::append_of("r", 1, 2, {"x\n"})).code
              == errc::fenced));
}

BOOST_AUTO_TEST_CASE(a_lost_node_loses_its_runs_to_another_or_to_the_next) {
  table_harness t{rules};
  t.hello("a");
  t.create("r");
  t.hello("b");

  t.table->on_node_down(node_id{"a"}, incarnation{1}, t.now);
  t.flush();
  auto orders = t.take_orders<drive_run>();
  BOOST_TEST(orders.back().first == "b");
  BOOST_TEST(t.claims("r").back().cause == "node_lost");

  t.table->on_node_down(node_id{"b"}, incarnation{1}, t.now);
  t.flush();
  BOOST_TEST(t.take_orders<drive_run>().empty());
  t.hello("c");
  BOOST_TEST(t.take_orders<drive_run>().back().first == "c");
  BOOST_TEST(t.stored("r").epoch.value == 3);
  // Every count of runs on a node came back to what it drives.
  BOOST_TEST(t.table->nodes().all().at(node_id{"a"}).runs == 0);
  BOOST_TEST(t.table->nodes().all().at(node_id{"b"}).runs == 0);
  BOOST_TEST(t.table->nodes().all().at(node_id{"c"}).runs == 1);
}

BOOST_AUTO_TEST_CASE(a_run_that_waits_for_a_node_is_shown_without_one) {
  table_harness t{rules};
  auto shown = [&] {
    auto view = t.table->find(run_id{"r"});
    BOOST_TEST_REQUIRE(view.has_value());
    BOOST_TEST(t.table->live().front().record.state.holder
               == view->record.state.holder);
    return view->record.state.holder;
  };
  t.hello("a");
  t.create("r");
  BOOST_TEST(shown() == "a");

  t.table->on_node_down(node_id{"a"}, incarnation{1}, t.now);
  t.flush();
  BOOST_TEST(shown() == "");
  // The claim stands: it is only nobody's turn.
  BOOST_TEST(t.stored("r").holder == "a");

  t.hello("b");
  BOOST_TEST(shown() == "b");
  // Behind a restart the holder may still come, for a lease.
  t.restart();
  BOOST_TEST(shown() == "b");
  t.advance(rules.lease + rules.grace);
  BOOST_TEST(shown() == "");
}

BOOST_AUTO_TEST_CASE(a_takeover_stops_the_old_driver_and_starts_the_new) {
  table_harness t{rules};
  t.hello("a");
  t.hello("b");
  t.create("r");
  t.take_orders<drive_run>();

  auto moved = t.get<run_moved>(takeover_run{run_id{"r"}, {}});

  BOOST_TEST(moved.node.str() == "b");
  BOOST_TEST(moved.epoch.value == 2);
  auto stops = t.take_orders<stop_drive>();
  BOOST_REQUIRE(stops.size() == 1);
  BOOST_TEST(stops[0].first == "a");
  BOOST_TEST(stops[0].second.epoch.value == 1);
  BOOST_TEST(t.take_orders<drive_run>().front().first == "b");
  auto again = t.get<run_moved>(takeover_run{run_id{"r"}, node_id{"b"}});
  BOOST_TEST(again.epoch.value == 3);
}

BOOST_AUTO_TEST_CASE(a_takeover_that_cannot_be_names_why) {
  table_harness t{rules};
  t.create("r");
  t.create("x", true);
  BOOST_TEST(
    (t.refused(takeover_run{run_id{"r"}, {}}).code == errc::no_eligible_node));
  t.hello("a");
  BOOST_TEST((t.refused(takeover_run{run_id{"r"}, node_id{"zz"}}).code
              == errc::no_eligible_node));
  BOOST_TEST(
    (t.refused(takeover_run{run_id{"x"}, {}}).code == errc::unsupported));
  BOOST_TEST(
    (t.refused(takeover_run{run_id{"none"}, {}}).code == errc::unknown_run));
  t.get<run_finished>(finish_of("r", 1));
  BOOST_TEST((t.refused(takeover_run{run_id{"r"}, {}}).code == errc::terminal));
  BOOST_TEST(t.stored("r").epoch.value == 1);
}

BOOST_AUTO_TEST_CASE(
  after_a_restart_holders_have_lease_and_grace_to_come_back) {
  table_harness t{rules};
  t.hello("a");
  t.create("r");
  t.restart();

  t.hello("b");
  BOOST_TEST(t.take_orders<drive_run>().empty());
  t.advance(11'999ms);
  t.flush();
  BOOST_TEST(t.take_orders<drive_run>().empty());
  t.advance(1ms);
  t.flush();

  BOOST_TEST(t.take_orders<drive_run>().front().first == "b");
  BOOST_TEST(t.stored("r").epoch.value == 2);
}

BOOST_AUTO_TEST_CASE(a_lapse_without_a_node_leaves_the_run_to_the_next_hello) {
  table_harness t{rules};
  t.hello("a");
  t.create("r");
  t.restart();
  t.advance(12s);
  t.flush();

  t.hello("c");

  BOOST_TEST(t.take_orders<drive_run>().front().first == "c");
}

BOOST_AUTO_TEST_SUITE_END()
