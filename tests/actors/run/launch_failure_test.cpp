// SPDX-License-Identifier: MIT
// Goal: a launch that fails, hangs or is cancelled ends its run, and no agent
// comes behind that end (I7, I11).
// Method: events into the pure machine, effects out.
#include "tests/actors/run/run_machine_world.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::run;
using namespace baton::run::test;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(run_launch_failure)

BOOST_AUTO_TEST_CASE(a_cancel_before_the_launch_launches_nothing) {
  world w;
  auto m = w.make();
  m.start(w.now);
  BOOST_TEST(m.on_cancel(w.now).empty());

  auto xs = m.on_recorded(m.record(), w.now);

  BOOST_TEST(pick<launch_agent>(xs).empty());
  auto end = pick<finish_run>(xs);
  BOOST_REQUIRE(end.size() == 1);
  BOOST_TEST((end[0].outcome.status == run_status::aborted));
}

BOOST_AUTO_TEST_CASE(a_cancel_ends_a_run_whose_launch_is_put_off) {
  world w;
  auto m = w.make();
  m.start(w.now);
  drive_refused put_off{m.record().id(), m.record().state.epoch,
                        errc::unavailable, "the shared sandbox must go first"};
  BOOST_TEST(m.on_refused(put_off, w.now).empty());
  BOOST_TEST(m.on_cancel(w.now).empty());
  BOOST_TEST(pick<record_launch>(m.on_tick(w.now + 1min)).size() == 1);

  auto end = pick<finish_run>(m.on_refused(put_off, w.now + 1min));

  BOOST_REQUIRE(end.size() == 1);
  BOOST_TEST((end[0].outcome.status == run_status::aborted));
  BOOST_TEST(m.on_recorded(m.record(), w.now + 1min).empty());
}

BOOST_AUTO_TEST_CASE(a_cancelled_run_that_is_taken_over_is_killed_or_ended) {
  world w;
  w.s.sandbox.id = "box";
  w.s.cancel_requested_at = wall_time{};
  auto alive = w.make();
  alive.start(w.now);
  auto xs = alive.on_probed(probed(sandbox::agent_state::alive), w.now);
  BOOST_TEST(pick<kill_agent>(xs).size() == 1);
  BOOST_TEST(pick<kill_agent>(alive.on_tick(w.now + 1s)).size() == 1);

  auto never = w.make();
  never.start(w.now);
  auto ys = never.on_probed(probed(sandbox::agent_state::not_launched), w.now);
  BOOST_TEST(pick<record_launch>(ys).empty());
  BOOST_TEST(pick<finish_run>(ys).size() == 1);
}

BOOST_AUTO_TEST_CASE(a_cancelled_run_ends_only_when_no_launch_can_follow) {
  world w;
  w.s.sandbox.id = "box";
  w.s.nonce_hashes = {"of an earlier driver"};
  w.s.cancel_requested_at = wall_time{};
  auto m = w.make();
  m.start(w.now);

  auto xs = m.on_probed(probed(sandbox::agent_state::not_launched), w.now);
  BOOST_TEST(pick<kill_agent>(xs).size() == 1);
  BOOST_TEST(pick<finish_run>(xs).empty());
  BOOST_TEST(pick<probe_agent>(m.on_tick(w.now + 1s)).size() == 1);

  // The kill failed: once more.
  xs = m.on_probed(probed(sandbox::agent_state::not_launched), w.now + 1s);
  BOOST_TEST(pick<kill_agent>(xs).size() == 1);
  BOOST_TEST(pick<probe_agent>(m.on_tick(w.now + 2s)).size() == 1);

  xs = m.on_probed(probed(sandbox::agent_state::alive), w.now + 2s);
  BOOST_TEST(pick<follow_journal>(xs).size() == 1);
  BOOST_TEST(pick<kill_agent>(xs).size() == 1);
}

BOOST_AUTO_TEST_CASE(a_cancel_amid_an_unclear_launch_closes_the_door_first) {
  world w;
  auto m = w.launching();
  m.on_cancel(w.now);
  m.on_launched(result<sandbox::launch_outcome>{errc::outcome_unknown, "slow"},
                w.now);
  BOOST_TEST(pick<probe_agent>(m.on_tick(w.now + 1s)).size() == 1);

  auto xs = m.on_probed(probed(sandbox::agent_state::not_launched), w.now + 1s);

  BOOST_TEST(pick<kill_agent>(xs).size() == 1);
  BOOST_TEST(pick<finish_run>(xs).empty());
}

// A shim that had not answered within 5 s on a starved machine failed its run.
BOOST_AUTO_TEST_CASE(a_launch_with_unclear_outcome_is_repeated_not_failed) {
  world w;
  auto m = w.launching();

  for (int i = 1; i < launch_attempts; ++i) {
    BOOST_TEST(
      m.on_launched(make_status(errc::outcome_unknown, "slow"), w.now).empty());
    BOOST_TEST(pick<launch_agent>(m.on_tick(w.now)).size() == 1);
    BOOST_TEST(pick<launch_agent>(m.on_tick(w.now)).empty());
  }
  auto copy = m;
  BOOST_TEST(
    pick<follow_journal>(m.on_launched(sandbox::launch_outcome::already, w.now))
      .size()
    == 1);
  auto xs = copy.on_launched(make_status(errc::outcome_unknown, "slow"), w.now);
  BOOST_TEST(pick<probe_agent>(xs).size() == 1);
  copy.on_probed(probed(sandbox::agent_state::lost), w.now);
  auto end =
    pick<finish_run>(copy.on_broken(make_status(errc::agent_lost, ""), w.now));
  BOOST_REQUIRE(end.size() == 1);
  BOOST_TEST((end[0].outcome.error->code == errc::launch_failed));
}

BOOST_AUTO_TEST_CASE(
  a_failed_launch_beside_an_unclear_one_ends_behind_a_probe) {
  world w;
  auto m = w.launching();
  m.on_launched(result<sandbox::launch_outcome>{errc::outcome_unknown, "slow"},
                w.now);
  BOOST_TEST(pick<launch_agent>(m.on_tick(w.now + 1s)).size() == 1);

  auto xs = m.on_launched(
    result<sandbox::launch_outcome>{errc::launch_failed, "locked"}, w.now);
  BOOST_TEST(pick<finish_run>(xs).empty());
  BOOST_TEST(pick<probe_agent>(xs).size() == 1);
  xs = m.on_probed(probed(sandbox::agent_state::not_launched), w.now);
  BOOST_TEST(pick<kill_agent>(xs).size() == 1);
  BOOST_TEST(pick<finish_run>(xs).empty());
  BOOST_TEST(pick<probe_agent>(m.on_tick(w.now + 2s)).size() == 1);
  // Behind the kill: the guard is taken, and nobody is there.
  xs = m.on_probed(probed(sandbox::agent_state::lost), w.now + 2s);
  BOOST_TEST(pick<follow_journal>(xs).size() == 1);

  auto end = pick<finish_run>(
    m.on_broken(make_status(errc::agent_lost, "why"), w.now + 4s));
  BOOST_REQUIRE(end.size() == 1);
  BOOST_TEST((end[0].outcome.error->code == errc::launch_failed));
}

BOOST_AUTO_TEST_CASE(a_guard_that_nobody_can_take_keeps_no_run_from_its_end) {
  world w;
  w.s.sandbox.id = "box";
  w.s.nonce_hashes = {"of an earlier driver"};
  w.s.cancel_requested_at = wall_time{};
  auto m = w.make();
  m.start(w.now);
  auto free = probed(sandbox::agent_state::not_launched);
  for (int i = 0; i < vain_kills_max; ++i) {
    BOOST_TEST(pick<finish_run>(m.on_probed(free, w.now)).empty());
    BOOST_TEST(pick<probe_agent>(m.on_tick(w.now)).size() == 1);
  }
  BOOST_TEST(pick<finish_run>(m.on_probed(free, w.now)).size() == 1);
}

BOOST_AUTO_TEST_CASE(an_agent_that_got_through_after_all_is_followed) {
  world w;
  w.s.sandbox.id = "box";
  w.s.nonce_hashes = {"of an earlier driver"};
  auto m = w.make();
  m.start(w.now);
  m.on_probed(probed(sandbox::agent_state::not_launched), w.now);
  m.on_recorded(m.record(), w.now);
  m.on_launched(result<sandbox::launch_outcome>{errc::launch_failed, "locked"},
                w.now);

  auto xs = m.on_probed(probed(sandbox::agent_state::alive), w.now);

  BOOST_TEST(pick<follow_journal>(xs).size() == 1);
  BOOST_TEST(pick<kill_agent>(xs).empty());
}

BOOST_AUTO_TEST_CASE(a_cancel_does_not_wait_for_a_launch_that_hangs) {
  world w;
  auto m = w.launching();

  BOOST_TEST(pick<kill_agent>(m.on_cancel(w.now)).size() == 1);
  BOOST_TEST(pick<kill_agent>(m.on_tick(w.now + 1s)).size() == 1);
}

BOOST_AUTO_TEST_CASE(a_launch_that_fails_ends_the_run) {
  world w;
  auto m = w.make();
  m.start(w.now);
  m.on_recorded(m.record(), w.now);

  auto end = pick<finish_run>(m.on_launched(
    result<sandbox::launch_outcome>{errc::launch_failed, "why"}, w.now));

  BOOST_REQUIRE(end.size() == 1);
  BOOST_TEST((end[0].outcome.error->code == errc::launch_failed));
}

BOOST_AUTO_TEST_CASE(a_workspace_that_cannot_be_had_keeps_its_code) {
  world w;
  auto m = w.make();
  m.start(w.now);
  m.on_recorded(m.record(), w.now);

  auto end = pick<finish_run>(m.on_launched(
    result<sandbox::launch_outcome>{errc::workspace_failed, "why"}, w.now));

  BOOST_REQUIRE(end.size() == 1);
  BOOST_TEST((end[0].outcome.error->code == errc::workspace_failed));
}

BOOST_AUTO_TEST_SUITE_END()
