// SPDX-License-Identifier: MIT
// Goal: the counters say what is durable: each claim once, takeovers by their
// cause, refusals by epoch, and as many live runs as there are.
// Method: the pure table on a memory store.
#include "actors/coordinator/counters.hpp"

#include "tests/actors/coordinator/table_harness.hpp"

using namespace baton;
using namespace baton::test;
using namespace std::chrono_literals;

namespace {

const counters& sum(const table_harness& t) {
  return t.table->counted().sum();
}

std::uint64_t takeovers(const table_harness& t, const std::string& cause) {
  return sum(t).takeovers.at(cause);
}

std::uint64_t all_takeovers(const table_harness& t) {
  std::uint64_t n = 0;
  for (const auto& [cause, count] : sum(t).takeovers)
    n += count;
  return n;
}

} // namespace

BOOST_AUTO_TEST_SUITE(coordinator_counters)

BOOST_AUTO_TEST_CASE(nothing_is_counted_before_it_is_durable) {
  table_harness t{rules};
  t.hello("a");
  t.ask(table_harness::create_of("r"));
  BOOST_TEST(sum(t).claims == 0u);
  BOOST_TEST(sum(t).live.at(run_status::running) == 0u);
  auto before = t.table->counted().version();

  t.flush();

  BOOST_TEST(sum(t).claims == 1u);
  BOOST_TEST(sum(t).live.at(run_status::running) == 1u);
  BOOST_TEST(t.table->counted().version() != before);
  BOOST_TEST(all_takeovers(t) == 0u);
}

BOOST_AUTO_TEST_CASE(runs_are_counted_by_status_from_one_to_the_next) {
  table_harness t{rules};
  t.create("r", true);
  t.create("s", true);
  t.get<run_view>(interrupt_run{run_id{"r"}});
  BOOST_TEST(sum(t).live.at(run_status::running) == 1u);
  BOOST_TEST(sum(t).live.at(run_status::interrupted) == 1u);
  t.get<claim_granted>(claim_run{run_id{"r"}, "d"});
  t.get<run_finished>(finish_of("r", 1, run_status::failed));
  t.get<run_view>(cancel_run{run_id{"s"}});
  BOOST_TEST(sum(t).live.at(run_status::running) == 0u);
  BOOST_TEST(sum(t).live.at(run_status::interrupted) == 0u);
  BOOST_TEST(sum(t).ended.at(run_status::failed) == 1u);
  BOOST_TEST(sum(t).ended.at(run_status::aborted) == 1u);
  t.get<run_removed>(remove_run{run_id{"r"}});
  BOOST_TEST(sum(t).ended.at(run_status::failed) == 1u);
}

BOOST_AUTO_TEST_CASE(takeovers_are_counted_by_cause_and_first_claims_are_none) {
  table_harness t{rules};
  t.hello("a");
  t.create("r");
  t.get<run_moved>(takeover_run{run_id{"r"}, {}});
  BOOST_TEST(takeovers(t, "takeover") == 1u);
  t.hello("b");
  t.table->on_node_down(node_id{"a"}, incarnation{1}, t.now);
  t.flush();
  BOOST_TEST(takeovers(t, "node_lost") == 1u);
  t.hello("b"); // It comes back without the claim.
  BOOST_TEST(takeovers(t, "restart") == 1u);

  t.create("x", true);
  auto claim = [&](bool steal) {
    t.get<claim_granted>(claim_run{run_id{"x"}, "d", 0, steal});
  };
  claim(false);
  BOOST_TEST(all_takeovers(t) == 3u);
  claim(true);
  BOOST_TEST(takeovers(t, "steal") == 1u);
  t.advance(11s);
  claim(false);
  BOOST_TEST(takeovers(t, "lease_lapsed") == 1u);
  t.get<claim_released>(release_claim{run_id{"x"}, epoch{3}});
  claim(false);
  BOOST_TEST(all_takeovers(t) == 5u);
  BOOST_TEST(sum(t).claims == 8u);
}

BOOST_AUTO_TEST_CASE(an_end_without_a_driver_is_a_claim_and_no_takeover) {
  table_harness t{rules};
  t.create("x", true);
  t.get<claim_granted>(claim_run{run_id{"x"}, "d"});
  t.advance(11s);
  t.get<run_view>(cancel_run{run_id{"x"}});
  BOOST_TEST(is_terminal(t.stored("x").status));
  BOOST_TEST(sum(t).claims == 2u);
  BOOST_TEST(all_takeovers(t) == 0u);
}

BOOST_AUTO_TEST_CASE(every_write_that_its_epoch_forbids_is_counted) {
  table_harness t{rules};
  t.create("x", true);
  t.get<claim_granted>(claim_run{run_id{"x"}, "d"});
  t.append("x", 1, 1, {"a\n"});
  BOOST_TEST(sum(t).fenced_writes == 0u);
  BOOST_TEST((t.refused(table_harness::append_of("x", 7, 2, {"b\n"})).code
              == errc::fenced));
  BOOST_TEST((t.refused(finish_of("x", 7)).code == errc::fenced));
  BOOST_TEST(
    (t.refused(renew_claim{run_id{"x"}, epoch{7}}).code == errc::fenced));
  BOOST_TEST((t.refused(table_harness::append_of("x", 1, 9, {"b\n"})).code
              == errc::gap));
  BOOST_TEST(sum(t).fenced_writes == 3u);
}

BOOST_AUTO_TEST_CASE(what_was_live_before_a_restart_is_live_after_it) {
  table_harness t{rules};
  t.create("r", true);
  t.create("s", true);
  t.get<run_view>(interrupt_run{run_id{"s"}});
  t.restart();
  t.flush();
  BOOST_TEST(sum(t).live.at(run_status::running) == 1u);
  BOOST_TEST(sum(t).live.at(run_status::interrupted) == 1u);
  BOOST_TEST(sum(t).claims == 0u);
}

BOOST_AUTO_TEST_CASE(a_board_gives_back_what_was_put_on_it) {
  counter_board board;
  BOOST_TEST(board.read().claims == 0u);
  counters x;
  x.claims = 3;
  board.put(x);
  BOOST_TEST(board.read().claims == 3u);
}

BOOST_AUTO_TEST_SUITE_END()
