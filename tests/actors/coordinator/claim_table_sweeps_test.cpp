// SPDX-License-Identifier: MIT
// Goal: sweeps end what nobody watches, at the right time, and retire by the
// recorded end (D3-D5, BR-047). Method: the pure table and its clock.
#include "tests/actors/coordinator/table_harness.hpp"

using namespace baton;
using namespace baton::test;
using namespace std::chrono_literals;

namespace {

record_launch launch_of(const std::string& id, std::uint64_t at) {
  return {run_id{id}, epoch{at}, "hash" + std::to_string(at), "box-" + id, {}};
}

void sweep(table_harness& t) {
  t.table->on_sweep(t.now);
  t.flush();
  t.advance(0ms);
}

std::uint64_t reaped(const table_harness& t, const std::string& outcome) {
  return t.table->counted().sum().reaped.at(outcome);
}

} // namespace

BOOST_AUTO_TEST_SUITE(coordinator_claim_table_sweeps)

BOOST_AUTO_TEST_CASE(a_driven_run_is_producing_and_left_alone) {
  table_harness t{rules};
  t.hello("n");
  t.create("r");
  sweep(t);
  BOOST_TEST(reaped(t, "producing") == 1U);
  BOOST_TEST(t.take_orders<probe_sandbox>().empty());
  BOOST_TEST(t.table->counted().sum().last_sweep.has_value());
}

BOOST_AUTO_TEST_CASE(
  a_run_without_its_driver_is_finalized_once_its_end_is_seen) {
  for (auto verdict : {probe_verdict::finished, probe_verdict::producing,
                       probe_verdict::unknown}) {
    table_harness t{rules};
    t.hello("n");
    t.create("r");
    t.get<launch_recorded>(launch_of("r", 1));
    t.restart();
    t.hello("m"); // The holder may still come back: it has its lease.
    t.take_orders<drive_run>();
    sweep(t);
    auto probes = t.take_orders<probe_sandbox>();
    BOOST_REQUIRE(probes.size() == 1);
    BOOST_TEST(probes[0].first == "m");

    t.table->on_probed({run_id{"r"}, verdict, {}}, t.now);
    t.flush();
    t.advance(0ms);

    auto finished = verdict == probe_verdict::finished;
    BOOST_TEST(t.take_orders<drive_run>().size() == (finished ? 1U : 0U));
    BOOST_TEST(reaped(t, "finalized") == (finished ? 1U : 0U));
    BOOST_TEST(reaped(t, "producing")
               == (verdict == probe_verdict::producing ? 1U : 0U));
  }
}

BOOST_AUTO_TEST_CASE(a_probe_without_an_answer_is_an_anomaly) {
  table_harness t{rules};
  t.hello("n");
  t.create("r");
  t.get<launch_recorded>(launch_of("r", 1));
  auto quiet = rules;
  quiet.lease = 10min;
  table_harness u{quiet};
  u.hello("n");
  u.create("r");
  u.get<launch_recorded>(launch_of("r", 1));
  u.restart();
  u.hello("m");
  sweep(u);
  BOOST_TEST(u.take_orders<probe_sandbox>().size() == 1);
  u.advance(29s);
  sweep(u);
  BOOST_TEST(reaped(u, "budget_exceeded") == 0U);
  u.advance(1s);
  sweep(u);
  BOOST_TEST(reaped(u, "budget_exceeded") == 1U);
  BOOST_TEST(u.notices.size() == 1);
}

BOOST_AUTO_TEST_CASE(a_sweep_looks_at_25_runs_and_the_next_goes_on) {
  table_harness t{rules};
  t.hello("n");
  for (int i = 0; i < 60; ++i)
    t.create("r" + std::to_string(100 + i));
  for (std::uint64_t n : {25U, 50U, 75U}) {
    sweep(t);
    BOOST_TEST(reaped(t, "producing") == n);
  }
}

BOOST_AUTO_TEST_CASE(expiry_is_exact_and_spares_a_run_that_is_watched_again) {
  for (bool back : {false, true}) {
    table_harness t{rules};
    t.hello("n");
    t.create("r");
    t.advance(60s - 1ms);
    t.flush();
    BOOST_TEST(!t.stored("r").cancel_requested_at.has_value());
    if (back) {
      t.table->on_viewers(run_id{"r"}, 1, t.now);
      t.flush();
    }
    t.advance(1ms);
    sweep(t);
    BOOST_TEST(t.stored("r").cancel_requested_at.has_value() == !back);
    BOOST_TEST(reaped(t, "expired") == (back ? 0U : 1U));
  }
}

BOOST_AUTO_TEST_CASE(retention_goes_by_the_recorded_end) {
  auto keep = rules;
  keep.retain = 24h;
  keep.detached_ttl = 1000h;
  table_harness t{keep};
  t.hello("n");
  for (auto id : {"old", "young", "live"})
    t.create(id);
  t.get<run_finished>(finish_of("old", 1));
  t.advance(12h);
  t.get<run_finished>(finish_of("young", 1));
  auto retire = [&] {
    std::vector<run_view> all;
    auto stored = t.store.list({}).value();
    for (auto& x : stored)
      all.push_back({x, 0, {}});
    auto n = t.table->retire(all, t.now);
    t.flush();
    return n;
  };
  t.advance(12h - 1ms);
  BOOST_TEST(retire() == 0U);
  t.advance(1ms);
  BOOST_TEST(retire() == 1U);
  BOOST_TEST(!t.store.load(run_id{"old"}).ok());
  BOOST_TEST(t.store.load(run_id{"young"}).ok());
  t.advance(1000h);
  retire();
  BOOST_TEST(!t.store.load(run_id{"young"}).ok());
  BOOST_TEST(t.store.load(run_id{"live"}).ok());
}

// D1.
BOOST_AUTO_TEST_CASE(the_last_viewer_who_leaves_detaches_and_no_more) {
  table_harness t{rules};
  t.hello("n");
  t.create("r");
  t.get<launch_recorded>(launch_of("r", 1));
  auto count = [&](std::uint32_t viewers) {
    t.table->on_viewers(run_id{"r"}, viewers, t.now);
    t.flush();
    return t.stored("r").detached_since;
  };
  BOOST_TEST(!count(2).has_value());
  t.advance(5s);
  BOOST_TEST(!count(1).has_value());
  t.advance(5s);
  auto left_at = t.now.wall;
  BOOST_TEST((count(0) == left_at));

  auto now = t.stored("r");
  BOOST_TEST((now.status == run_status::running));
  BOOST_TEST(!now.cancel_requested_at.has_value());
  BOOST_TEST(!now.sandbox.key.empty());
  auto listed = t.store.instances().value();
  BOOST_REQUIRE(listed.size() == 1U);
  BOOST_TEST((listed[0].state == instance_state::ready));
  BOOST_TEST(t.take_orders<destroy_sandbox>().empty());
  BOOST_TEST(t.take_orders<cancel_drive>().empty());
  BOOST_TEST(t.append("r", 1, 1, {"on\n"}).last_seq.value == 1U);

  // Only a viewer clears it: the reaper never does, whatever it learns.
  t.restart();
  t.hello("m");
  for (auto verdict : {probe_verdict::unknown, probe_verdict::producing,
                       probe_verdict::finished}) {
    sweep(t);
    t.table->on_probed({run_id{"r"}, verdict, {}}, t.now);
    t.flush();
    BOOST_TEST((t.stored("r").detached_since == left_at));
  }
  BOOST_TEST(!count(1).has_value());
}

// D3.
BOOST_AUTO_TEST_CASE(a_candidate_that_nobody_can_look_at_is_counted_as_such) {
  table_harness t{rules};
  // No node for one, no driver from outside for the other.
  t.create("placed");
  t.create("outside", true);
  sweep(t);
  BOOST_TEST(reaped(t, "not_claimed") == 1U);
  BOOST_TEST(reaped(t, "unknown") == 1U);
  BOOST_TEST(t.take_orders<probe_sandbox>().empty());
  // Watched ones are no candidates.
  for (auto id : {"placed", "outside"})
    t.table->on_viewers(run_id{id}, 1, t.now);
  t.flush();
  sweep(t);
  BOOST_TEST(reaped(t, "not_claimed") == 1U);
  BOOST_TEST(reaped(t, "unknown") == 1U);
}

// D2, D5: what a person asked for and what the reaper asked for end alike, by
// a driver, and the reason that came first stays.
BOOST_AUTO_TEST_CASE(a_cancel_is_no_status_whoever_asked) {
  for (bool by_person : {false, true}) {
    table_harness t{rules};
    t.hello("n");
    t.create("r");
    t.get<launch_recorded>(launch_of("r", 1));
    if (by_person)
      t.get<run_view>(cancel_run{run_id{"r"}});
    t.advance(60s);
    t.flush();
    auto asked = t.stored("r");
    BOOST_TEST((asked.status == run_status::running));
    BOOST_TEST(
      (asked.cancel_cause == (by_person ? errc::cancelled : errc::expired)));
    BOOST_TEST(t.take_orders<cancel_drive>().size() == 1U);
    t.get<run_finished>(finish_of("r", 1));
    BOOST_TEST((t.stored("r").status == run_status::aborted));
    t.advance(0ms);
    BOOST_TEST(t.take_orders<destroy_sandbox>().size() == 1U);
  }
}

BOOST_AUTO_TEST_SUITE_END()
