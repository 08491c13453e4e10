// SPDX-License-Identifier: MIT
// Goal: what the coordinator decides about runs, nodes and viewers.
// Method: the pure table on a memory store; the test chooses when commits
// become durable, and the harness checks that nothing is told before.
#include "tests/actors/coordinator/table_harness.hpp"

using namespace baton;
using namespace baton::test;
using namespace std::chrono_literals;

namespace {

record_launch launch_of(const std::string& id, std::uint64_t at) {
  return {run_id{id}, epoch{at}, "hash" + std::to_string(at), "box", {}};
}

} // namespace

BOOST_AUTO_TEST_SUITE(coordinator_claim_table)

// -- durability ---------------------------------------------------------------

BOOST_AUTO_TEST_CASE(nothing_is_told_before_it_is_durable) {
  table_harness t{rules};
  auto a = t.ask(table_harness::create_of("r", true));
  BOOST_TEST(!t.answered(a));
  BOOST_TEST((!t.table->find(run_id{"r"})));
  t.take_off();
  BOOST_TEST(!t.answered(a));
  auto b = t.ask(claim_run{run_id{"r"}, "d"});
  t.write();
  BOOST_TEST(!t.answered(a));
  BOOST_TEST((!t.table->find(run_id{"r"})));

  t.land();

  BOOST_TEST(t.answered(a));
  BOOST_TEST(!t.answered(b));
  BOOST_TEST(t.table->find(run_id{"r"})->record.state.epoch.value == 0);
  t.flush();
  BOOST_TEST(t.answered(b));
  BOOST_TEST(t.table->find(run_id{"r"})->record.state.epoch.value == 1);
}

BOOST_AUTO_TEST_CASE(a_refusal_waits_for_the_decisions_it_rests_on) {
  table_harness t{rules};
  t.create("r", true);
  t.get<claim_granted>(claim_run{run_id{"r"}, "d"});

  auto steal = t.ask(claim_run{run_id{"r"}, "e", 0, true});
  auto fenced = t.ask(table_harness::append_of("r", 1, 1, {"a\n"}));

  BOOST_TEST(!t.answered(fenced));
  t.flush();
  BOOST_TEST(t.answered(steal));
  BOOST_TEST(
    (std::get<refusal>(t.answers.at(fenced)).why.code == errc::fenced));
}

BOOST_AUTO_TEST_CASE(two_creates_before_the_first_is_durable_make_one_run) {
  table_harness t{rules};
  auto a = t.ask(table_harness::create_of("r"));
  auto b = t.ask(table_harness::create_of("r"));
  t.take_off();
  auto c = t.ask(table_harness::create_of("r"));
  t.flush();

  auto& first = std::get<run_created>(t.answers.at(a));
  BOOST_TEST(!first.existed);
  BOOST_TEST(first.view.record.state.no.value == 1);
  for (auto x : {b, c}) {
    auto& again = std::get<run_created>(t.answers.at(x));
    BOOST_TEST(again.existed);
    BOOST_TEST((again.view.record.state == first.view.record.state));
  }
  BOOST_TEST(t.store.live().value().size() == 1);
}

BOOST_AUTO_TEST_CASE(a_create_under_a_used_id_is_refused_unless_the_same) {
  table_harness t{rules};
  t.create("r", true);
  auto other = table_harness::create_of("r", true);
  other.spec.command.argv = {"other"};
  other.spec.sandbox.workspace.setup = {{"make"}};
  auto why = t.refused(other);
  BOOST_TEST((why.code == errc::run_id_reused));
  BOOST_TEST(why.message.find("another command, sandbox.workspace.setup;")
               != std::string::npos,
             why.message);
  BOOST_TEST_REQUIRE(why.details.size() == 1U);
  BOOST_TEST(why.details[0].name == "differs");
  BOOST_TEST(std::get<std::string>(why.details[0].value)
             == "command, sandbox.workspace.setup");

  t.get<claim_granted>(claim_run{run_id{"r"}, "d"});
  t.get<run_finished>(finish_of("r", 1));
  auto again = table_harness::create_of("r", true);
  again.spec.thread = thread_id{"elsewhere"};
  again.spec.labels["k"] = "v";
  auto found = t.get<run_created>(again);

  BOOST_TEST(found.existed);
  BOOST_TEST(is_terminal(found.view.record.state.status));
  BOOST_TEST(found.view.record.spec->thread.str() == "r");
  BOOST_TEST((t.refused(other).code == errc::run_id_reused));
}

BOOST_AUTO_TEST_CASE(ids_that_cannot_be_stored_are_refused_not_fatal) {
  table_harness t{rules};
  BOOST_TEST((t.refused(table_harness::create_of("")).code == errc::malformed));
  BOOST_TEST(
    (t.refused(table_harness::create_of("..")).code == errc::malformed));
  auto x = table_harness::create_of("r");
  x.spec.thread = thread_id{std::string{"a\0b", 3}};
  BOOST_TEST((t.refused(x).code == errc::malformed));
}

BOOST_AUTO_TEST_CASE(a_crash_forgets_only_what_was_not_told) {
  table_harness t{rules};
  t.create("kept", true);
  auto lost = t.ask(table_harness::create_of("lost", true));
  auto grant = t.ask(claim_run{run_id{"kept"}, "d"});
  t.take_off();
  t.restart();

  BOOST_TEST(!t.answered(lost));
  BOOST_TEST(!t.answered(grant));
  BOOST_TEST(t.get<claim_granted>(claim_run{run_id{"kept"}, "d"}).epoch.value
             == 1);
  BOOST_TEST(
    !t.get<run_created>(table_harness::create_of("lost", true)).existed);
}

// -- placement and takeover ---------------------------------------------------

BOOST_AUTO_TEST_CASE(a_launch_record_fixes_the_sandbox_and_is_told_back) {
  table_harness t{rules};
  t.hello("a");
  t.create("r");

  auto first = t.get<launch_recorded>(launch_of("r", 1));
  auto again = t.get<launch_recorded>(launch_of("r", 1));

  BOOST_TEST(first.record.state.sandbox.id == "box");
  BOOST_TEST(first.record.state.sandbox.host_label == "host");
  BOOST_TEST(again.record.state.nonce_hashes.size() == 1);
  t.get<run_moved>(takeover_run{run_id{"r"}, {}});
  BOOST_TEST((t.refused(launch_of("r", 1)).code == errc::fenced));
}

// -- cancel -------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(cancelling_a_driven_run_orders_its_node_to_kill) {
  table_harness t{rules};
  t.hello("a");
  t.create("r");
  t.get<launch_recorded>(launch_of("r", 1));

  auto view = t.get<run_view>(cancel_run{run_id{"r"}});
  t.get<run_view>(cancel_run{run_id{"r"}});

  BOOST_TEST(view.record.state.cancel_requested_at.has_value());
  BOOST_TEST((view.record.state.status == run_status::running));
  auto orders = t.take_orders<cancel_drive>();
  BOOST_REQUIRE(orders.size() == 1);
  BOOST_TEST(orders[0].second.epoch.value == 1);
  BOOST_TEST(t.append("r", 1, 1, {"a\n"}).cancel_requested);
  auto end = t.get<run_finished>(finish_of("r", 1)).view.record.state;
  BOOST_TEST((end.status == run_status::aborted));
  BOOST_TEST((end.error->code == errc::cancelled));
  t.get<run_view>(cancel_run{run_id{"r"}});
}

BOOST_AUTO_TEST_CASE(cancelling_an_unplaced_run_ends_it_at_once) {
  table_harness t{rules};
  t.create("r");

  auto view = t.get<run_view>(cancel_run{run_id{"r"}});

  BOOST_TEST((view.record.state.status == run_status::aborted));
  t.hello("a");
  BOOST_TEST(t.take_orders<drive_run>().empty());
}

BOOST_AUTO_TEST_CASE(a_cancelled_run_whose_node_dies_before_a_launch_ends) {
  table_harness t{rules};
  t.hello("a");
  t.create("r");
  t.get<run_view>(cancel_run{run_id{"r"}});
  BOOST_TEST((t.stored("r").status == run_status::running));

  t.table->on_node_down(node_id{"a"}, incarnation{1}, t.now);
  t.flush();

  BOOST_TEST((t.stored("r").status == run_status::aborted));
  BOOST_TEST((t.refused(launch_of("r", 1)).code == errc::fenced));
}

BOOST_AUTO_TEST_CASE(a_cancelled_run_that_may_be_launched_goes_to_a_node) {
  table_harness t{rules};
  t.hello("a");
  t.create("r");
  t.get<launch_recorded>(launch_of("r", 1));
  t.table->on_node_down(node_id{"a"}, incarnation{1}, t.now);

  auto view = t.get<run_view>(cancel_run{run_id{"r"}});

  BOOST_TEST((view.record.state.status == run_status::running));
  t.take_orders<drive_run>();
  t.hello("b");
  auto orders = t.take_orders<drive_run>();
  BOOST_REQUIRE(orders.size() == 1);
  BOOST_TEST(orders[0].second.record.state.cancel_requested_at.has_value());
}

BOOST_AUTO_TEST_CASE(a_cancelled_external_run_ends_with_its_lease_or_driver) {
  table_harness t{rules};
  for (const char* id : {"lapse", "finish", "release", "unclaimed"})
    t.create(id, true);
  for (const char* id : {"lapse", "finish", "release"}) {
    t.get<claim_granted>(claim_run{run_id{id}, "d", 1000});
    t.get<run_view>(cancel_run{run_id{id}});
    BOOST_TEST((t.stored(id).status == run_status::running));
  }

  t.get<run_view>(cancel_run{run_id{"unclaimed"}});
  BOOST_TEST((t.stored("unclaimed").status == run_status::aborted));
  BOOST_TEST(t.get<claim_granted>(renew_claim{run_id{"finish"}, epoch{1}})
               .cancel_requested);
  t.get<run_finished>(finish_of("finish", 1));
  BOOST_TEST((t.stored("finish").status == run_status::aborted));
  t.get<claim_released>(release_claim{run_id{"release"}, epoch{1}});
  BOOST_TEST((t.stored("release").status == run_status::aborted));
  t.advance(1s);
  t.flush();
  BOOST_TEST((t.stored("lapse").status == run_status::aborted));
  BOOST_TEST((t.refused(table_harness::append_of("lapse", 1, 1, {"a\n"})).code
              == errc::fenced));
}

BOOST_AUTO_TEST_CASE(cancelling_what_ended_otherwise_is_terminal) {
  table_harness t{rules};
  t.create("r", true);
  t.get<claim_granted>(claim_run{run_id{"r"}, "d"});
  t.get<run_finished>(finish_of("r", 1));

  BOOST_TEST((t.refused(cancel_run{run_id{"r"}}).code == errc::terminal));
  BOOST_TEST((t.refused(cancel_run{run_id{"none"}}).code == errc::unknown_run));
}

// -- viewers and the detached clock -------------------------------------------

BOOST_AUTO_TEST_CASE(an_unwatched_run_expires_at_its_time_to_live) {
  table_harness t{rules};
  t.create("r", true);
  t.advance(59'999ms);
  t.flush();
  BOOST_TEST((t.stored("r").status == run_status::running));

  t.advance(1ms);
  t.flush();

  BOOST_TEST((t.stored("r").status == run_status::aborted));
  BOOST_TEST((t.stored("r").error->code == errc::expired));
}

BOOST_AUTO_TEST_CASE(a_viewer_who_comes_back_stops_the_detached_clock) {
  table_harness t{rules};
  t.create("r", true);
  t.advance(59s);
  t.table->on_viewers(run_id{"r"}, 1, t.now);
  t.flush();
  BOOST_TEST(!t.stored("r").detached_since.has_value());
  t.advance(600s);
  t.flush();
  BOOST_TEST((t.stored("r").status == run_status::running));

  t.table->on_viewers(run_id{"r"}, 0, t.now);
  t.flush();
  BOOST_TEST(t.stored("r").detached_since.has_value());
  t.advance(59'999ms);
  t.flush();
  BOOST_TEST((t.stored("r").status == run_status::running));
  t.advance(1ms);
  t.flush();
  BOOST_TEST((t.stored("r").status == run_status::aborted));
}

BOOST_AUTO_TEST_CASE(a_driven_run_that_expires_is_cancelled_not_ended) {
  table_harness t{rules};
  t.hello("a");
  t.create("r");
  t.get<launch_recorded>(launch_of("r", 1));

  t.advance(60s);
  t.flush();

  BOOST_TEST(t.take_orders<cancel_drive>().size() == 1);
  BOOST_TEST((t.stored("r").cancel_cause == errc::expired));
  BOOST_TEST((t.stored("r").status == run_status::running));
}

BOOST_AUTO_TEST_CASE(an_interrupted_run_never_expires_until_it_is_resumed) {
  table_harness t{rules};
  t.create("r", true);
  t.advance(30s);
  t.get<run_view>(interrupt_run{run_id{"r"}});
  t.advance(600s);
  t.flush();
  BOOST_TEST((t.stored("r").status == run_status::interrupted));

  t.get<run_view>(resume_run{run_id{"r"}});
  t.advance(59'999ms);
  t.flush();
  BOOST_TEST((t.stored("r").status == run_status::running));
  t.advance(1ms);
  t.flush();
  BOOST_TEST((t.stored("r").status == run_status::aborted));
}

BOOST_AUTO_TEST_CASE(a_restart_continues_the_detached_clock_where_it_stood) {
  table_harness t{rules};
  t.create("r", true);
  t.create("other", true);
  t.advance(40s);
  t.get<claim_granted>(claim_run{run_id{"other"}, "d"}); // Saves the uptime.

  // A year passes while nothing runs, and the monotonic clock starts anew.
  t.now.wall += std::chrono::hours{24 * 365};
  t.now.mono = mono_time{5s};
  t.restart();

  t.advance(19'999ms);
  t.flush();
  BOOST_TEST((t.stored("r").status == run_status::running));
  t.advance(1ms);
  t.flush();
  BOOST_TEST((t.stored("r").status == run_status::aborted));
}

BOOST_AUTO_TEST_CASE(viewers_lost_in_a_restart_detach_the_run) {
  table_harness t{rules};
  t.create("r", true);
  t.table->on_viewers(run_id{"r"}, 2, t.now);
  t.flush();

  t.restart();
  t.flush();

  BOOST_TEST(t.stored("r").detached_since.has_value());
  t.advance(60s);
  t.flush();
  BOOST_TEST((t.stored("r").status == run_status::aborted));
}

BOOST_AUTO_TEST_CASE(a_run_that_must_not_outlive_its_viewers_is_cancelled) {
  table_harness t{rules};
  auto x = table_harness::create_of("r", true);
  x.spec.detach_on_disconnect = false;
  t.get<run_created>(x);
  t.table->on_viewers(run_id{"r"}, 1, t.now);
  t.flush();
  BOOST_TEST((t.stored("r").status == run_status::running));

  t.table->on_viewers(run_id{"r"}, 0, t.now);
  t.flush();

  BOOST_TEST((t.stored("r").status == run_status::aborted));
  BOOST_TEST((t.stored("r").error->code == errc::cancelled));
}

BOOST_AUTO_TEST_CASE(a_restart_leaves_its_viewers_time_to_come_back) {
  for (bool come_back : {true, false}) {
    table_harness t{rules};
    auto x = table_harness::create_of("r", true);
    x.spec.detach_on_disconnect = false;
    t.get<run_created>(x);
    t.table->on_viewers(run_id{"r"}, 1, t.now);
    t.flush();

    t.restart();
    t.flush();
    t.advance(rules.lease + rules.grace - 1ms);
    if (come_back)
      t.table->on_viewers(run_id{"r"}, 1, t.now);
    t.flush();
    BOOST_TEST((t.stored("r").status == run_status::running));
    t.advance(1ms);
    t.flush();

    BOOST_TEST((t.stored("r").status == run_status::running) == come_back);
    if (!come_back)
      BOOST_TEST((t.stored("r").error->code == errc::cancelled));
  }
}

BOOST_AUTO_TEST_CASE(a_run_nobody_has_watched_keeps_its_time_over_a_restart) {
  table_harness t{rules};
  auto x = table_harness::create_of("r", true);
  x.spec.detach_on_disconnect = false;
  t.get<run_created>(x);
  t.flush();

  t.restart();
  t.flush();
  t.advance(rules.lease + rules.grace);
  t.flush();

  BOOST_TEST((t.stored("r").status == run_status::running));
}

BOOST_AUTO_TEST_CASE(
  growth_is_published_when_durable_in_order_and_only_watched) {
  table_harness t{rules};
  t.create("r", true);
  t.get<claim_granted>(claim_run{run_id{"r"}, "d"});
  t.append("r", 1, 1, {"a\n"});
  BOOST_TEST(t.growth.empty());

  t.table->on_watch(run_id{"r"});
  t.ask(table_harness::append_of("r", 1, 2, {"b\n"}));
  t.take_off();
  t.ask(table_harness::append_of("r", 1, 3, {"c\n", "d\n"}));
  BOOST_TEST(t.growth.empty());
  t.flush();
  t.get<run_finished>(finish_of("r", 1));

  std::uint64_t n = 1;
  for (const auto& g : t.growth)
    for (const auto& e : g.entries.items)
      BOOST_TEST(e->seq.value == ++n);
  BOOST_TEST(n == 4);
  BOOST_TEST(is_terminal(t.changes.back().view.record.state.status));
}

// -- removal and reading ------------------------------------------------------

BOOST_AUTO_TEST_CASE(only_an_ended_run_is_removed_and_its_id_is_free_again) {
  table_harness t{rules};
  t.create("r", true);
  BOOST_TEST((t.refused(remove_run{run_id{"r"}}).code == errc::not_terminal));
  t.get<run_view>(cancel_run{run_id{"r"}});

  t.get<run_removed>(remove_run{run_id{"r"}});

  BOOST_TEST((t.refused(remove_run{run_id{"r"}}).code == errc::unknown_run));
  auto anew = t.create("r", true);
  BOOST_TEST(anew.record.state.no.value == 2);
}

BOOST_AUTO_TEST_CASE(
  a_create_during_a_removal_is_not_told_that_the_run_exists) {
  table_harness t{rules};
  t.create("r", true);
  t.get<run_view>(cancel_run{run_id{"r"}});
  auto gone = t.ask(remove_run{run_id{"r"}});
  auto anew = t.ask(table_harness::create_of("r", true));
  auto cancel = t.ask(cancel_run{run_id{"r"}});
  t.flush();

  BOOST_TEST(std::holds_alternative<run_removed>(t.answers.at(gone)));
  BOOST_TEST(
    (std::get<refusal>(t.answers.at(anew)).why.code == errc::unavailable));
  BOOST_TEST(
    (std::get<refusal>(t.answers.at(cancel)).why.code == errc::unknown_run));
  BOOST_TEST(!t.get<run_created>(table_harness::create_of("r", true)).existed);
}

BOOST_AUTO_TEST_CASE(reads_show_durable_state_in_creation_order) {
  table_harness t{rules};
  t.create("b", true);
  t.create("a", true);
  t.ask(table_harness::create_of("c", true));
  t.ask(claim_run{run_id{"a"}, "d"});

  BOOST_TEST(t.table->is_being_created(run_id{"c"}));
  BOOST_TEST(!t.table->is_being_created(run_id{"a"}));
  BOOST_TEST(!t.table->is_being_created(run_id{"none"}));
  auto live = t.table->live();
  BOOST_REQUIRE(live.size() == 2);
  BOOST_TEST(live[0].record.id().str() == "b");
  BOOST_TEST(live[1].record.id().str() == "a");
  BOOST_TEST(live[1].record.state.epoch.value == 0);
  t.flush();
  BOOST_TEST(t.table->live().size() == 3);
}

BOOST_AUTO_TEST_CASE(a_finish_pipelined_behind_its_create_is_told_in_full) {
  table_harness t{rules};
  t.ask(table_harness::create_of("r", true));
  t.ask(claim_run{run_id{"r"}, "d"});
  auto end = t.ask(finish_of("r", 1));
  t.flush();

  auto& view = std::get<run_finished>(t.answers.at(end)).view;
  BOOST_TEST(view.record.state.no.value == 1);
}

BOOST_AUTO_TEST_SUITE_END()
