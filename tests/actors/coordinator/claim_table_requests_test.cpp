// SPDX-License-Identifier: MIT
// Goal: what the coordinator answers to drivers: claims and appends.
// Method: as in claim_table_test.cpp.
#include "tests/actors/coordinator/table_harness.hpp"

using namespace baton;
using namespace baton::test;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(coordinator_claim_table_requests)

// -- claims of external drivers -----------------------------------------------

BOOST_AUTO_TEST_CASE(a_live_claim_is_held_for_everybody_until_it_lapses) {
  table_harness t{rules};
  t.create("r", true);
  auto grant = t.get<claim_granted>(claim_run{run_id{"r"}, "d", 5000});
  BOOST_TEST(grant.epoch.value == 1);
  BOOST_TEST(grant.next_seq.value == 1);
  BOOST_TEST(grant.ttl_ms == 5000);

  t.advance(1s);
  auto held = t.refused(claim_run{run_id{"r"}, "d"});
  BOOST_TEST((held.code == errc::held));
  BOOST_TEST((std::get<std::string>(held.details[0].value) == "d"));
  BOOST_TEST(std::get<std::uint64_t>(held.details[1].value) == 1);
  BOOST_TEST(std::get<std::uint64_t>(held.details[2].value) == 4000);

  t.advance(4s);
  BOOST_TEST(t.get<claim_granted>(claim_run{run_id{"r"}, "e"}).epoch.value
             == 2);
  BOOST_TEST(t.claims("r").back().cause == "lease_lapsed");
}

BOOST_AUTO_TEST_CASE(a_steal_takes_a_live_claim_and_fences_its_holder) {
  table_harness t{rules};
  t.create("r", true);
  t.get<claim_granted>(claim_run{run_id{"r"}, "d"});
  t.append("r", 1, 1, {"a\n"});

  auto grant = t.get<claim_granted>(claim_run{run_id{"r"}, "e", 0, true});

  BOOST_TEST(grant.epoch.value == 2);
  BOOST_TEST(grant.next_seq.value == 2);
  BOOST_TEST(grant.end.value == 2);
  BOOST_TEST((t.refused(table_harness::append_of("r", 1, 2, {"b\n"})).code
              == errc::fenced));
  BOOST_TEST(
    (t.refused(renew_claim{run_id{"r"}, epoch{1}}).code == errc::fenced));
  BOOST_TEST(
    (t.refused(release_claim{run_id{"r"}, epoch{1}}).code == errc::fenced));
  BOOST_TEST((t.refused(finish_of("r", 1)).code == errc::fenced));
  BOOST_TEST(t.claims("r").back().cause == "steal");
}

BOOST_AUTO_TEST_CASE(a_lapsed_claim_nobody_took_still_writes_and_is_renewed) {
  table_harness t{rules};
  t.create("r", true);
  t.get<claim_granted>(claim_run{run_id{"r"}, "d", 1000});
  t.advance(5s);

  t.append("r", 1, 1, {"a\n"});

  t.advance(999ms);
  BOOST_TEST((t.refused(claim_run{run_id{"r"}, "e"}).code == errc::held));
  t.get<claim_granted>(renew_claim{run_id{"r"}, epoch{1}});
  t.advance(999ms);
  BOOST_TEST((t.refused(claim_run{run_id{"r"}, "e"}).code == errc::held));
  t.advance(1ms);
  t.get<claim_granted>(claim_run{run_id{"r"}, "e"});
}

BOOST_AUTO_TEST_CASE(a_released_claim_is_free_and_its_epoch_is_spent) {
  table_harness t{rules};
  t.create("r", true);
  t.get<claim_granted>(claim_run{run_id{"r"}, "d"});

  t.get<claim_released>(release_claim{run_id{"r"}, epoch{1}});

  BOOST_TEST((t.refused(table_harness::append_of("r", 1, 1, {"a\n"})).code
              == errc::fenced));
  BOOST_TEST(t.get<claim_granted>(claim_run{run_id{"r"}, "d"}).epoch.value
             == 2);
}

BOOST_AUTO_TEST_CASE(a_time_to_live_out_of_range_is_malformed) {
  table_harness t{rules};
  t.create("r", true);
  for (std::uint64_t ttl : {99u, 600'001u})
    BOOST_TEST(
      (t.refused(claim_run{run_id{"r"}, "d", ttl}).code == errc::malformed));
  BOOST_TEST((t.refused(claim_run{run_id{"r"}, ""}).code == errc::malformed));
  BOOST_TEST(t.get<claim_granted>(claim_run{run_id{"r"}, "d", 100}).ttl_ms
             == 100);
}

BOOST_AUTO_TEST_CASE(an_outsider_who_guesses_the_epoch_cannot_touch_our_run) {
  table_harness t{rules};
  t.hello("a");
  t.create("r");
  auto run = run_id{"r"};

  BOOST_TEST((t.refused(claim_run{run, "d"}).code == errc::not_external));
  BOOST_TEST(
    (t.refused(renew_claim{run, epoch{1}}).code == errc::not_external));
  BOOST_TEST(
    (t.refused(release_claim{run, epoch{1}}).code == errc::not_external));
  t.table->on(9001, table_harness::append_of("r", 1, 1, {"forged\n"}), t.now,
              writer::outside);
  t.table->on(9002, finish_of("r", 1), t.now, writer::outside);
  t.flush();

  BOOST_TEST(t.log("r").empty());
  BOOST_TEST((t.stored("r").status == run_status::running));
  // The node that drives it goes on, and its end is counted once.
  t.append("r", 1, 1, {"true\n"});
  t.table->on_node_down(node_id{"a"}, incarnation{1}, t.now);
}

// -- appends ------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_repeated_append_waits_until_what_it_repeats_is_durable) {
  table_harness t{rules};
  t.create("r", true);
  t.get<claim_granted>(claim_run{run_id{"r"}, "d"});
  auto x = table_harness::append_of("r", 1, 1, {"a\n", "b\n"});

  auto first = t.ask(x);
  auto again = t.ask(x);
  t.take_off();
  auto more = t.ask(x);
  auto other = t.ask(table_harness::append_of("r", 1, 2, {"#\n"}));
  BOOST_TEST(!t.answered(again));
  t.flush();

  BOOST_TEST(!std::get<append_done>(t.answers.at(first)).duplicate);
  for (auto same : {again, more}) {
    auto& done = std::get<append_done>(t.answers.at(same));
    BOOST_TEST(done.duplicate);
    BOOST_TEST(done.last_seq.value == 2);
  }
  auto& no = std::get<refusal>(t.answers.at(other));
  BOOST_TEST((no.why.code == errc::mismatch));
  BOOST_TEST(t.log("r").size() == 2);
}

BOOST_AUTO_TEST_CASE(an_append_that_waited_is_fenced_by_a_claim_meanwhile) {
  table_harness t{rules};
  t.create("r", true);
  t.get<claim_granted>(claim_run{run_id{"r"}, "d"});
  auto x = table_harness::append_of("r", 1, 1, {"a\n"});
  t.ask(x);
  auto again = t.ask(table_harness::append_of("r", 1, 1, {"a\n", "b\n"}));
  t.take_off();
  t.ask(claim_run{run_id{"r"}, "e", 0, true});
  t.flush();

  BOOST_TEST((std::get<refusal>(t.answers.at(again)).why.code == errc::fenced));
  BOOST_TEST(t.log("r").size() == 1);
}

BOOST_AUTO_TEST_CASE(
  a_duplicate_is_acknowledged_where_it_ended_not_at_the_end) {
  table_harness t{rules};
  t.create("r", true);
  t.get<claim_granted>(claim_run{run_id{"r"}, "d"});
  t.append("r", 1, 1, {"a\n"});
  t.append("r", 1, 2, {"b\n"});

  auto again = t.append("r", 1, 1, {"a\n"});

  BOOST_TEST(again.duplicate);
  BOOST_TEST(again.last_seq.value == 1);
  BOOST_TEST(again.end.value == 2);
}

BOOST_AUTO_TEST_CASE(an_append_half_stored_appends_its_rest_once) {
  table_harness t{rules};
  t.create("r", true);
  t.get<claim_granted>(claim_run{run_id{"r"}, "d"});
  t.append("r", 1, 1, {"a\n", "b\n"});

  auto done = t.append("r", 1, 2, {"b\n", "c\n"});

  BOOST_TEST(!done.duplicate);
  BOOST_TEST(done.last_seq.value == 3);
  BOOST_TEST(done.end.value == 6);
  BOOST_TEST(t.log("r").back().data == "c\n");
}

BOOST_AUTO_TEST_CASE(duplicates_are_told_after_the_end_and_new_lines_are_not) {
  table_harness t{rules};
  t.create("r", true);
  t.get<claim_granted>(claim_run{run_id{"r"}, "d"});
  t.append("r", 1, 1, {"a\n"});
  t.get<run_finished>(finish_of("r", 1));

  BOOST_TEST(t.append("r", 1, 1, {"a\n"}).duplicate);
  BOOST_TEST(
    (t.refused(table_harness::append_of("r", 1, 1, {"a\n", "b\n"})).code
     == errc::terminal));
  BOOST_TEST(
    (t.refused(table_harness::append_of("r", 1, 1, {"#\n", "b\n"})).code
     == errc::mismatch));
  BOOST_TEST((t.refused(table_harness::append_of("r", 1, 9, {"b\n"})).code
              == errc::terminal));
  t.get<run_finished>(finish_of("r", 1));
  BOOST_TEST(
    (t.refused(finish_of("r", 1, run_status::failed)).code == errc::terminal));
}

BOOST_AUTO_TEST_CASE(entries_that_cannot_be_read_back_are_no_duplicates) {
  table_harness t{rules};
  t.create("r", true);
  t.get<claim_granted>(claim_run{run_id{"r"}, "d"});
  t.append("r", 1, 1, {"a\n", "b\n"});
  t.store.readable = seq{1};

  BOOST_TEST(
    (t.refused(table_harness::append_of("r", 1, 1, {"a\n", "#\n"})).code
     == errc::corrupt));
}

BOOST_AUTO_TEST_SUITE_END()
