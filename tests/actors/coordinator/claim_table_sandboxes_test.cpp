// SPDX-License-Identifier: MIT
// Goal: each sandbox stands on the list from before it exists until it is known
// to be gone (I10), and there is one for each key (BR-041).
// Method: the pure table; the test plays the nodes, and kills the coordinator
// between any two steps.
#include "tests/actors/coordinator/table_harness.hpp"

#include "messages/instance_identity.hpp"

using namespace baton;
using namespace baton::test;
using namespace std::chrono_literals;

namespace {

record_launch launch_of(const std::string& id, std::uint64_t at,
                        const std::string& shared = {}) {
  return {run_id{id}, epoch{at}, "hash" + std::to_string(at), "box-" + id,
          shared};
}

create_run sharing(const std::string& id, bool destroy = false) {
  auto x = table_harness::create_of(id);
  x.spec.thread = thread_id{"t"};
  x.spec.sandbox.reuse = true;
  x.spec.sandbox.destroy_on_complete = destroy;
  return x;
}

std::optional<instance_record> listed(const table_harness& t,
                                      const std::string& id) {
  auto all = t.store.instances().value();
  for (const auto& x : all)
    if (x.id == id)
      return x;
  return std::nullopt;
}

bool stands(const table_harness& t, const std::string& id,
            instance_state wanted) {
  auto x = listed(t, id);
  return x && x->state == wanted;
}

/// The node does what it is told.
void obey(table_harness& t) {
  for (auto& [node, order] : t.take_orders<destroy_sandbox>())
    t.table->on_destroyed({order.what.key, order.what.id, errc::none, {}},
                          t.now);
  t.flush();
}

} // namespace

BOOST_AUTO_TEST_SUITE(coordinator_claim_table_sandboxes)

BOOST_AUTO_TEST_CASE(
  a_sandbox_is_listed_before_its_launch_and_until_it_is_gone) {
  table_harness t{rules};
  t.hello("n");
  t.create("r");
  auto view = t.table->find(run_id{"r"});
  BOOST_TEST((view->sandbox == sandbox_stage::none));
  auto told = t.get<launch_recorded>(launch_of("r", 1));
  BOOST_TEST((told.record.state.sandbox.key == own_key(told.record)));
  BOOST_TEST(stands(t, "box-r", instance_state::ready));
  BOOST_TEST((t.table->find(run_id{"r"})->sandbox == sandbox_stage::in_use));
  BOOST_TEST(t.take_orders<destroy_sandbox>().empty());

  auto end = t.get<run_finished>(finish_of("r", 1));

  BOOST_TEST(stands(t, "box-r", instance_state::must_destroy));
  BOOST_TEST((end.view.sandbox == sandbox_stage::must_destroy));
  obey(t);
  BOOST_TEST(!listed(t, "box-r").has_value());
  auto ended = t.store.load(run_id{"r"}).value();
  BOOST_TEST((t.table->instances().stage_of(ended) == sandbox_stage::gone));
}

BOOST_AUTO_TEST_CASE(a_run_that_never_launched_owes_nothing) {
  table_harness t{rules};
  t.create("r");
  t.get<run_view>(cancel_run{run_id{"r"}});
  t.hello("n");
  BOOST_TEST(t.store.instances()->empty());
  BOOST_TEST(t.take_orders<destroy_sandbox>().empty());
}

BOOST_AUTO_TEST_CASE(an_end_that_nobody_saw_keeps_it_until_the_run_is_removed) {
  table_harness t{rules};
  t.hello("n");
  t.create("r");
  t.get<launch_recorded>(launch_of("r", 1));
  auto end = finish_of("r", 1, run_status::failed);
  end.outcome.error = run_error{errc::journal_damaged, "why"};
  t.get<run_finished>(end);
  BOOST_TEST(stands(t, "box-r", instance_state::kept));
  t.restart();
  t.hello("n", 2);
  t.advance(1h);
  BOOST_TEST(t.take_orders<destroy_sandbox>().empty());

  t.get<run_removed>(remove_run{run_id{"r"}});

  BOOST_TEST(stands(t, "box-r", instance_state::must_destroy));
  obey(t);
  BOOST_TEST(t.store.instances()->empty());
}

BOOST_AUTO_TEST_CASE(a_destruction_that_fails_is_retried_with_longer_pauses) {
  table_harness t{rules};
  t.hello("n");
  t.create("r");
  t.get<launch_recorded>(launch_of("r", 1));
  t.get<run_finished>(finish_of("r", 1));
  auto pause = 1'000ms;
  for (std::uint32_t n = 1; n <= 12; ++n) {
    auto orders = t.take_orders<destroy_sandbox>();
    BOOST_REQUIRE(orders.size() == 1);
    t.table->on_destroyed(
      {orders[0].second.what.key, "box-r", errc::io_failed, "the disk is away"},
      t.now);
    t.flush();
    auto debt = listed(t, "box-r");
    BOOST_REQUIRE(debt.has_value());
    BOOST_TEST(debt->attempts == n);
    BOOST_TEST(debt->last_error == "the disk is away");
    BOOST_TEST((debt->next_attempt == t.now.wall + pause));
    t.advance(pause - 1ms);
    t.flush();
    BOOST_TEST(t.take_orders<destroy_sandbox>().empty());
    t.advance(1ms);
    t.flush();
    pause = std::min<std::chrono::milliseconds>(2 * pause, 5min);
    t.table->on_beat({node_id{"n"}, incarnation{1}}, t.now);
  }
  BOOST_TEST(t.notices.size() == 1);
  BOOST_TEST(t.table->counted().sum().reclaimed.at("destroy_failed") == 12U);
  BOOST_TEST(t.table->counted().sum().reaped.at("reclaim_failed") == 1U);
}

BOOST_AUTO_TEST_CASE(a_debt_outlives_every_death_of_the_coordinator) {
  table_harness t{rules};
  t.hello("n");
  t.create("r");
  t.get<launch_recorded>(launch_of("r", 1));
  t.get<run_finished>(finish_of("r", 1));
  for (std::uint64_t life = 2; life < 5; ++life) {
    t.restart();
    t.flush();
    BOOST_TEST(stands(t, "box-r", instance_state::must_destroy));
    t.hello("n", life);
    t.flush();
    BOOST_TEST(t.take_orders<destroy_sandbox>().size() == 1);
  }
}

BOOST_AUTO_TEST_CASE(an_order_that_was_lost_with_its_node_is_given_again) {
  table_harness t{rules};
  t.hello("n");
  t.create("r");
  t.get<launch_recorded>(launch_of("r", 1));
  t.get<run_finished>(finish_of("r", 1));
  BOOST_TEST(t.take_orders<destroy_sandbox>().size() == 1);
  t.table->on_node_down(node_id{"n"}, incarnation{1}, t.now);
  t.flush();
  BOOST_TEST(t.take_orders<destroy_sandbox>().empty());
  auto debt = listed(t, "box-r");
  BOOST_REQUIRE(debt.has_value());
  BOOST_TEST(debt->last_error.find("'local'") != std::string::npos);
  BOOST_TEST(debt->last_error.find("'host'") != std::string::npos);

  t.hello("m");
  t.flush();

  auto orders = t.take_orders<destroy_sandbox>();
  BOOST_REQUIRE(orders.size() == 1);
  BOOST_TEST(orders[0].first == "m");
}

BOOST_AUTO_TEST_CASE(a_node_that_never_answers_costs_an_attempt) {
  table_harness t{rules};
  t.hello("n");
  t.create("r");
  t.get<launch_recorded>(launch_of("r", 1));
  t.get<run_finished>(finish_of("r", 1));
  BOOST_TEST(t.take_orders<destroy_sandbox>().size() == 1);
  t.advance(destroy_answer_timeout);
  t.flush();
  BOOST_TEST(listed(t, "box-r")->attempts == 1U);
  t.advance(1s);
  t.flush();
  BOOST_TEST(t.take_orders<destroy_sandbox>().size() == 1);
}

BOOST_AUTO_TEST_CASE(another_provider_or_host_touches_nothing) {
  table_harness t{rules};
  t.hello("n");
  t.create("r");
  t.get<launch_recorded>(launch_of("r", 1));
  t.table->on_node_down(node_id{"n"}, incarnation{1}, t.now);
  auto other = table_harness::hello_of("m");
  other.host_label = "elsewhere";
  t.get<node_welcome>(other);
  auto third = table_harness::hello_of("o");
  third.providers = {"bwrap"};
  t.get<node_welcome>(third);
  t.get<run_view>(cancel_run{run_id{"r"}});
  t.restart();
  t.get<node_welcome>(other);
  t.get<node_welcome>(third);
  t.flush();
  BOOST_TEST(t.take_orders<destroy_sandbox>().empty());
}

// D6.
BOOST_AUTO_TEST_CASE(what_came_of_a_destruction_is_counted_and_only_once) {
  table_harness t{rules};
  t.hello("n");
  t.create("r");
  t.get<launch_recorded>(launch_of("r", 1));
  t.get<run_finished>(finish_of("r", 1));
  auto order = t.take_orders<destroy_sandbox>();
  BOOST_REQUIRE(order.size() == 1U);
  auto answer = [&](errc code, const std::string& id = "box-r") {
    t.table->on_destroyed({order[0].second.what.key, id, code, "why"}, t.now);
    t.flush();
  };
  // Destroyed, provider mismatch, failed.
  auto counted = [&] {
    const auto& all = t.table->counted().sum().reclaimed;
    return std::vector<std::uint64_t>{all.at("destroyed"),
                                      all.at("provider_mismatch"),
                                      all.at("destroy_failed")};
  };
  using counts = std::vector<std::uint64_t>;
  answer(errc::none, "another");
  BOOST_TEST((counted() == counts{0, 0, 0}));
  answer(errc::unsupported);
  BOOST_TEST((counted() == counts{0, 1, 0}));
  BOOST_TEST(stands(t, "box-r", instance_state::must_destroy));
  answer(errc::none);
  answer(errc::none);
  BOOST_TEST((counted() == counts{1, 1, 0}));
  BOOST_TEST(!listed(t, "box-r").has_value());
}

// -- shared -------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(runs_of_a_thread_share_the_first_sandbox_whoever_asks) {
  table_harness t{rules};
  t.hello("n");
  for (auto id : {"a", "b", "c"})
    t.get<run_created>(sharing(id));
  // All at once: none is durable when the next is decided.
  std::vector<token> asked;
  for (auto id : {"a", "b", "c"})
    asked.push_back(t.ask(launch_of(id, 1, std::string{"share-of-"} + id)));
  t.flush();

  for (auto to : asked) {
    const auto& told = std::get<launch_recorded>(t.answers.at(to));
    BOOST_TEST(told.record.state.sandbox.shared_id == "share-of-a");
    BOOST_TEST(
      (told.record.state.sandbox.key == shared_key(*told.record.spec)));
  }
  BOOST_TEST(t.store.instances()->size() == 4U);
}

BOOST_AUTO_TEST_CASE(the_shared_sandbox_stays_for_the_next_run_of_its_thread) {
  table_harness t{rules};
  t.hello("n");
  t.get<run_created>(sharing("a"));
  t.get<launch_recorded>(launch_of("a", 1, "s1"));
  t.get<run_finished>(finish_of("a", 1));
  obey(t);
  BOOST_TEST(stands(t, "s1", instance_state::ready));
  t.restart();
  t.hello("n", 2);
  t.get<run_created>(sharing("b"));

  auto told = t.get<launch_recorded>(launch_of("b", 1, "s2"));

  BOOST_TEST(told.record.state.sandbox.shared_id == "s1");
}

BOOST_AUTO_TEST_CASE(destroy_on_complete_takes_it_with_the_last_run_only) {
  table_harness t{rules};
  t.hello("n");
  for (auto id : {"a", "b"}) {
    t.get<run_created>(sharing(id, true));
    t.get<launch_recorded>(launch_of(id, 1, "s"));
  }
  t.get<run_finished>(finish_of("a", 1));
  obey(t);
  BOOST_TEST(stands(t, "s", instance_state::ready));
  t.get<run_finished>(finish_of("b", 1));
  BOOST_TEST(stands(t, "s", instance_state::must_destroy));
  obey(t);
  BOOST_TEST(t.store.instances()->empty());
}

BOOST_AUTO_TEST_CASE(a_cancel_takes_the_shared_one_once_nobody_uses_it) {
  table_harness t{rules};
  t.hello("n");
  for (auto id : {"a", "b"}) {
    t.get<run_created>(sharing(id));
    t.get<launch_recorded>(launch_of(id, 1, "s"));
  }
  t.get<run_view>(cancel_run{run_id{"a"}});
  t.get<run_finished>(finish_of("a", 1));
  BOOST_TEST(stands(t, "s", instance_state::must_destroy));
  obey(t);
  BOOST_TEST(stands(t, "s", instance_state::must_destroy));
  // Nobody new gets into it.
  t.get<run_created>(sharing("c"));
  auto why = t.refused(launch_of("c", 1, "s3"));
  BOOST_TEST((why.code == errc::unavailable));

  t.restart();
  t.hello("n", 2);
  t.flush();
  auto epoch_of_b = t.stored("b").epoch.value;
  t.get<run_finished>(finish_of("b", epoch_of_b));
  obey(t);

  BOOST_TEST(!listed(t, "s").has_value());
  auto told =
    t.get<launch_recorded>(launch_of("c", t.stored("c").epoch.value, "s3"));
  BOOST_TEST(told.record.state.sandbox.shared_id == "s3");
}

BOOST_AUTO_TEST_CASE(a_run_goes_where_its_threads_sandbox_is) {
  table_harness t{rules};
  auto far = table_harness::hello_of("a-far");
  far.host_label = "elsewhere";
  t.hello("n");
  t.get<run_created>(sharing("a"));
  t.get<launch_recorded>(launch_of("a", 1, "s"));
  t.get<node_welcome>(far);
  t.take_orders<drive_run>();
  auto wish = sharing("b");
  wish.spec.wanted_node = node_id{"a-far"};
  t.get<run_created>(wish);
  auto orders = t.take_orders<drive_run>();
  BOOST_REQUIRE(orders.size() == 1);
  BOOST_TEST(orders[0].first == "n");
}

BOOST_AUTO_TEST_CASE(a_run_that_lost_the_race_on_another_host_is_moved) {
  table_harness t{rules};
  auto far = table_harness::hello_of("far");
  far.host_label = "elsewhere";
  t.get<node_welcome>(far);
  t.get<run_created>(sharing("b"));
  t.hello("n");
  auto first = sharing("a");
  first.spec.wanted_node = node_id{"n"};
  t.get<run_created>(first);
  t.get<launch_recorded>(launch_of("a", 1, "s"));
  t.take_orders<drive_run>();

  auto why = t.refused(launch_of("b", 1, "s-far"));

  BOOST_TEST((why.code == errc::fenced));
  BOOST_TEST(t.take_orders<stop_drive>().size() == 1);
  auto orders = t.take_orders<drive_run>();
  BOOST_REQUIRE(orders.size() == 1);
  BOOST_TEST(orders[0].first == "n");
  auto told = t.get<launch_recorded>(launch_of("b", 2, "s2"));
  BOOST_TEST(told.record.state.sandbox.shared_id == "s");
}

// -- people -------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_sandbox_in_use_is_not_removed_and_an_idle_one_is) {
  table_harness t{rules};
  t.hello("n");
  t.get<run_created>(sharing("a"));
  auto told = t.get<launch_recorded>(launch_of("a", 1, "s"));
  auto key = told.record.state.sandbox.key;
  BOOST_TEST((t.refused(remove_sandbox{key}).code == errc::not_terminal));
  BOOST_TEST((t.refused(remove_sandbox{instance_key{"none"}}).code
              == errc::unknown_sandbox));
  t.get<run_finished>(finish_of("a", 1));
  obey(t);

  auto now = t.get<sandbox_list>(remove_sandbox{key});

  BOOST_REQUIRE(now.sandboxes.size() == 1);
  BOOST_TEST((now.sandboxes[0].state == instance_state::must_destroy));
  obey(t);
  BOOST_TEST(t.get<sandbox_list>(list_sandboxes{}).sandboxes.empty());
}

BOOST_AUTO_TEST_CASE(what_lies_on_a_node_is_judged_by_records) {
  table_harness t{rules};
  t.hello("n");
  t.create("live");
  t.get<launch_recorded>(launch_of("live", 1));
  t.create("done");
  t.get<launch_recorded>(launch_of("done", 1));
  t.get<run_finished>(finish_of("done", 1));
  obey(t);
  auto found = [](std::string id, std::uint64_t no) {
    return local_sandbox{"local", std::move(id), run_no{no}, false, false, 0};
  };
  auto judge = [&](const local_sandbox& x, bool remove) {
    auto got = t.table->on_found(node_id{"n"}, x, remove, t.now);
    t.flush();
    return got ? got->what.fate : std::string{"known"};
  };
  BOOST_TEST(judge(found("box-live", 1), true) == "known");
  BOOST_TEST(judge(found("box-done", 2), false) == "removable");
  BOOST_TEST(t.take_orders<destroy_sandbox>().empty());
  BOOST_TEST(judge(found("box-done", 2), true) == "removable");
  BOOST_TEST(stands(t, "box-done", instance_state::must_destroy));
  obey(t);
  BOOST_TEST(!listed(t, "box-done").has_value());
  BOOST_TEST(judge(found("box-of-nobody", 99), true) == "kept");

  // The record of a live run's sandbox that got lost is made again.
  storage::instance_change gone{listed(t, "box-live")->key, std::nullopt};
  BOOST_TEST(t.store.change_instances({&gone, 1}).ok());
  t.restart();
  t.flush();
  BOOST_TEST(stands(t, "box-live", instance_state::ready));
}

// -- cancel -------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_cancel_goes_through_its_stages_and_each_is_durable) {
  table_harness t{rules};
  t.hello("n");
  t.create("r");
  t.get<launch_recorded>(launch_of("r", 1));
  t.get<run_view>(cancel_run{run_id{"r"}});
  t.restart();
  BOOST_TEST(t.stored("r").cancel_requested_at.has_value());
  t.hello("n", 2);
  t.flush();
  auto at = t.stored("r").epoch;
  t.table->on_cancel_delivered({run_id{"r"}, epoch{1}}, t.now);
  t.flush();
  BOOST_TEST(!t.stored("r").cancel_delivered_at.has_value());
  t.table->on_cancel_delivered({run_id{"r"}, at}, t.now);
  t.flush();
  BOOST_TEST(t.stored("r").cancel_delivered_at.has_value());
  t.restart();
  t.hello("n", 3);
  t.flush();

  t.get<run_finished>(finish_of("r", t.stored("r").epoch.value));

  BOOST_TEST((t.stored("r").status == run_status::aborted));
  BOOST_TEST(stands(t, "box-r", instance_state::must_destroy));
  obey(t);
  BOOST_TEST(t.store.instances()->empty());
}

// -- placing ------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_node_where_launches_fail_comes_last_for_a_minute) {
  table_harness t{rules};
  t.hello("a");
  t.hello("b");
  t.create("r");
  t.get<launch_recorded>(launch_of("r", 1));
  auto end = finish_of("r", 1, run_status::failed);
  end.outcome.error = run_error{errc::launch_failed, "why"};
  t.get<run_finished>(end);
  for (auto id : {"x", "y"})
    BOOST_TEST(t.create(id).record.state.holder == "b");
  t.advance(1min);
  BOOST_TEST(t.create("z").record.state.holder == "a");
}

BOOST_AUTO_TEST_CASE(a_run_whose_shared_sandbox_must_go_first_shows_it) {
  table_harness t{rules};
  t.hello("n");
  t.get<run_created>(sharing("a"));
  t.get<launch_recorded>(launch_of("a", 1, "shared"));
  auto key = t.stored("a").sandbox.key;
  t.get<run_created>(sharing("b"));
  auto stage = [&] { return t.table->find(run_id{"b"})->sandbox; };
  BOOST_TEST((stage() == sandbox_stage::none));

  // A cancel takes the shared sandbox with it.
  t.get<run_view>(cancel_run{run_id{"a"}});
  t.get<run_finished>(finish_of("a", 1, run_status::aborted));
  BOOST_TEST((stage() == sandbox_stage::must_destroy));
  BOOST_TEST((t.refused(launch_of("b", 1, "other")).code == errc::unavailable));
  BOOST_TEST((t.table->find(run_id{"b"})->record.spec->id == run_id{"b"}));

  t.advance(0ms);
  obey(t);
  BOOST_TEST(t.table->instances().find(key) == nullptr);
  BOOST_TEST((stage() == sandbox_stage::none));
  t.get<launch_recorded>(launch_of("b", 1, "other"));
  BOOST_TEST((stage() == sandbox_stage::in_use));
}

BOOST_AUTO_TEST_SUITE_END()
