// SPDX-License-Identifier: MIT
// Goal: who is asked and who is forced, and when. Method: a clock by hand.
#include "actors/sandbox/ending_plan.hpp"

#include <boost/test/unit_test.hpp>

namespace baton::sandbox {
namespace {

BOOST_AUTO_TEST_SUITE(sandbox_ending_plan)

BOOST_AUTO_TEST_CASE(nothing_happens_by_itself) {
  ending_plan plan;
  BOOST_TEST((plan.step(1'000'000) == ending_step::wait));
  BOOST_TEST(plan.next_at() == ending_plan::never);
}

BOOST_AUTO_TEST_CASE(what_is_left_gets_two_seconds_and_is_asked_before) {
  ending_plan plan;
  plan.on_main_exit(100);
  BOOST_TEST(plan.next_at() == 1600);
  BOOST_TEST((plan.step(1599) == ending_step::wait));
  BOOST_TEST((plan.step(1600) == ending_step::ask));
  BOOST_TEST((plan.step(1601) == ending_step::wait));
  BOOST_TEST(plan.next_at() == 2100);
  BOOST_TEST((plan.step(2099) == ending_step::wait));
  BOOST_TEST((plan.step(2100) == ending_step::force));
  BOOST_TEST((plan.step(2101) == ending_step::force));
}

BOOST_AUTO_TEST_CASE(a_kill_asks_at_once_and_forces_two_seconds_later) {
  ending_plan plan;
  plan.on_kill(100);
  BOOST_TEST((plan.step(100) == ending_step::ask));
  BOOST_TEST((plan.step(2099) == ending_step::wait));
  BOOST_TEST((plan.step(2100) == ending_step::force));
}

BOOST_AUTO_TEST_CASE(a_kill_in_a_confinement_leaves_half_a_second_of_two) {
  ending_plan plan{ending_plan::confined_grace_ms};
  plan.on_kill(100);
  BOOST_TEST((plan.step(100) == ending_step::ask));
  BOOST_TEST(plan.next_at() == 1600);
  BOOST_TEST((plan.step(1599) == ending_step::wait));
  BOOST_TEST((plan.step(1600) == ending_step::force));
  // What its end leaves has the same time as everywhere.
  ending_plan other{ending_plan::confined_grace_ms};
  other.on_main_exit(100);
  BOOST_TEST((other.step(1600) == ending_step::ask));
  BOOST_TEST((other.step(2099) == ending_step::wait));
  BOOST_TEST((other.step(2100) == ending_step::force));
}

BOOST_AUTO_TEST_CASE(no_later_request_moves_a_deadline_back) {
  ending_plan plan;
  plan.on_kill(100);
  BOOST_TEST((plan.step(100) == ending_step::ask));
  plan.on_kill(1000);
  plan.on_main_exit(1500);
  BOOST_TEST((plan.step(2100) == ending_step::force));
}

BOOST_AUTO_TEST_CASE(a_kill_after_the_main_process_asks_at_once) {
  ending_plan plan;
  plan.on_main_exit(100);
  plan.on_kill(200);
  BOOST_TEST((plan.step(200) == ending_step::ask));
  BOOST_TEST((plan.step(2100) == ending_step::force));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace baton::sandbox
