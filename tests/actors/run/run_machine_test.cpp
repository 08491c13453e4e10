// SPDX-License-Identifier: MIT
// Goal: what a driver does at each turn of a run's life.
// Method: events into the pure machine, effects out.
#include "messages/exit_marker.hpp"
#include "tests/actors/run/run_machine_world.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::run;
using namespace baton::run::test;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(run_run_machine)

BOOST_AUTO_TEST_CASE(a_launch_stands_behind_its_record_and_only_there) {
  world w;
  auto m = w.make();

  auto first = m.start(w.now);
  auto records = pick<record_launch>(first);
  BOOST_REQUIRE(first.size() == 1 && records.size() == 1);
  BOOST_TEST(records[0].epoch.value == 3);
  BOOST_TEST(records[0].nonce_hash == hash_of_nonce(nonce));
  BOOST_TEST(records[0].sandbox_id == "new-box");
  BOOST_TEST(records[0].shared_id == "new-share");
  BOOST_TEST(m.on_tick(w.now + 1s).empty());
  // An answer that does not come: the same again, still no launch.
  auto again = m.on_tick(w.now + retry_interval);
  BOOST_TEST(pick<record_launch>(again).size() == 1);
  BOOST_TEST(pick<launch_agent>(again).empty());

  auto launch = m.on_recorded(m.record(), w.now);
  BOOST_TEST(pick<launch_agent>(launch).size() == 1);
  BOOST_TEST(m.on_recorded(m.record(), w.now).empty());
  auto follow = m.on_launched(sandbox::launch_outcome::already, w.now);
  BOOST_TEST(pick<follow_journal>(follow).size() == 1);
  BOOST_TEST(pick<read_more>(follow).size() == 1);
}

BOOST_AUTO_TEST_CASE(a_successor_probes_and_goes_on_where_the_log_stops) {
  for (auto state : {sandbox::agent_state::alive, sandbox::agent_state::exited,
                     sandbox::agent_state::lost}) {
    world w;
    w.s.sandbox.id = "box";
    w.s.last_seq = seq{4};
    w.s.end = position{99};
    w.s.inside_line = true;
    auto m = w.make();
    BOOST_TEST(pick<probe_agent>(m.start(w.now)).size() == 1);

    auto xs = m.on_probed(probed(state), w.now);

    BOOST_TEST(pick<record_launch>(xs).empty());
    auto follow = pick<follow_journal>(xs);
    BOOST_REQUIRE(follow.size() == 1);
    BOOST_TEST(follow[0].from.value == 99);
    BOOST_TEST(follow[0].inside_line);
    auto sent =
      pick<append_lines>(m.on_lines(position{99}, lines({"x\n"}), w.now));
    BOOST_REQUIRE(sent.size() == 1);
    BOOST_TEST(sent[0].first_seq.value == 5);
    BOOST_TEST(sent[0].begin.value == 99);
    BOOST_TEST(sent[0].has_begin);
  }
}

BOOST_AUTO_TEST_CASE(a_run_nobody_launched_is_launched_in_its_old_place) {
  world w;
  w.s.sandbox.id = "box";
  auto m = w.make();
  m.start(w.now);

  auto xs = m.on_probed(probed(sandbox::agent_state::not_launched), w.now);

  BOOST_TEST(pick<record_launch>(xs).size() == 1);
}

BOOST_AUTO_TEST_CASE(a_probe_that_fails_once_does_not_end_the_run) {
  world w;
  w.s.sandbox.id = "box";
  auto m = w.make();
  m.start(w.now);
  result<sandbox::probe_report> bad{errc::io_failed, "too many files"};

  BOOST_TEST(m.on_probed(bad, w.now).empty());
  BOOST_TEST(pick<probe_agent>(m.on_tick(w.now + 1s)).size() == 1);
  auto xs = m.on_probed(probed(sandbox::agent_state::alive), w.now);
  BOOST_TEST(pick<follow_journal>(xs).size() == 1);
}

BOOST_AUTO_TEST_CASE(a_shortage_of_ours_never_ends_the_run) {
  world w;
  w.s.sandbox.id = "box";
  auto m = w.make();
  m.start(w.now);
  result<sandbox::probe_report> bad{errc::unavailable, "too many open files"};
  for (std::size_t i = 0; i < 10 * probe_attempts_max; ++i) {
    BOOST_TEST(m.on_probed(bad, w.now).empty());
    BOOST_TEST(pick<probe_agent>(m.on_tick(w.now)).size() == 1);
  }
}

BOOST_AUTO_TEST_CASE(probes_that_keep_failing_end_the_run_in_bounded_time) {
  world w;
  w.s.sandbox.id = "box";
  auto m = w.make();
  m.start(w.now);
  result<sandbox::probe_report> bad{errc::io_failed, "no such device"};
  for (std::size_t i = 1; i < probe_attempts_max; ++i)
    BOOST_TEST(m.on_probed(bad, w.now).empty());

  auto xs = m.on_probed(bad, w.now);

  BOOST_TEST(pick<kill_agent>(xs).size() == 1);
  auto end = pick<finish_run>(xs);
  BOOST_REQUIRE(end.size() == 1);
  BOOST_TEST((end[0].outcome.error->code == errc::io_failed));
}

BOOST_AUTO_TEST_CASE(the_window_bounds_what_is_in_flight_and_acks_open_it) {
  world w;
  auto m = w.following();
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < window_batches; ++i) {
    auto xs = m.on_lines(position{at}, lines({"a\n", "b\n"}), w.now);
    at += 4;
    auto sent = pick<append_lines>(xs);
    BOOST_REQUIRE(sent.size() == 1);
    BOOST_TEST(sent[0].first_seq.value == 2 * i + 1);
    BOOST_TEST(pick<read_more>(xs).size()
               == (i + 1 < window_batches ? 1u : 0u));
  }

  BOOST_TEST(pick<read_more>(m.on_done(done(1), w.now)).empty());
  BOOST_TEST(pick<read_more>(m.on_done(done(2), w.now)).size() == 1);
  BOOST_TEST(pick<read_more>(m.on_done(done(8), w.now)).empty());
}

BOOST_AUTO_TEST_CASE(what_is_not_answered_is_sent_again_identically) {
  world w;
  auto m = w.following();
  m.on_lines(position{0}, lines({"a\n"}), w.now);
  auto b = pick<append_lines>(m.on_lines(position{2}, lines({"b\n"}), w.now));
  m.on_done(done(1), w.now);

  BOOST_TEST(m.on_tick(w.now + retry_interval - 1ms).empty());
  auto again = pick<append_lines>(m.on_tick(w.now + retry_interval));

  BOOST_REQUIRE(again.size() == 1);
  BOOST_TEST(again[0].first_seq.value == b[0].first_seq.value);
  BOOST_TEST(again[0].begin.value == b[0].begin.value);
  BOOST_TEST((again[0].lines == b[0].lines));
}

BOOST_AUTO_TEST_CASE(a_gap_resends_the_window_once_not_once_for_each_refusal) {
  world w;
  auto m = w.following();
  for (std::uint64_t i = 0; i < 3; ++i)
    m.on_lines(position{2 * i}, lines({"a\n"}), w.now);
  std::size_t sent = 0;
  for (int i = 0; i < 3; ++i)
    sent += m.on_refused(refused(errc::gap), w.now).size();

  sent += m.on_tick(w.now + 1s).size();

  BOOST_TEST(sent == 3);
}

BOOST_AUTO_TEST_CASE(a_fenced_driver_stops_and_never_writes_again) {
  for (auto code : {errc::fenced, errc::terminal, errc::unknown_run}) {
    world w;
    auto m = w.following();
    m.on_lines(position{0}, lines({"a\n"}), w.now);

    auto xs = m.on_refused(refused(code), w.now);

    BOOST_TEST(xs.size() == 1);
    BOOST_TEST(pick<stop>(xs).size() == 1);
    BOOST_TEST(m.stopped());
    BOOST_TEST(m.on_lines(position{2}, lines({"b\n"}), w.now).empty());
    BOOST_TEST(m.on_over({}, "", w.now).empty());
    BOOST_TEST(m.on_done(done(1), w.now).empty());
    BOOST_TEST(m.on_tick(w.now + 1h).empty());
  }
}

BOOST_AUTO_TEST_CASE(a_refusal_of_another_epoch_is_not_ours) {
  world w;
  auto m = w.following();

  BOOST_TEST(m.on_refused(refused(errc::fenced, 2), w.now).empty());
  BOOST_TEST(!m.stopped());
}

BOOST_AUTO_TEST_CASE(a_log_that_refuses_our_bytes_ends_the_run_and_the_agent) {
  world w;
  auto m = w.following();
  m.on_lines(position{0}, lines({"a\n"}), w.now);

  auto xs = m.on_refused(refused(errc::corrupt), w.now);

  BOOST_TEST(pick<kill_agent>(xs).size() == 1);
  auto end = pick<finish_run>(xs);
  BOOST_REQUIRE(end.size() == 1);
  BOOST_TEST(end[0].last_seq.value == 0);
  BOOST_TEST((end[0].outcome.error->code == errc::corrupt));
  BOOST_TEST(pick<stop>(m.on_finished()).size() == 1);
}

BOOST_AUTO_TEST_CASE(the_end_follows_the_last_line_and_is_repeated_until_told) {
  world w;
  auto m = w.following();
  m.on_lines(position{0}, lines({"a\n", "b\n"}), w.now);

  auto end =
    pick<finish_run>(m.on_over({0, {}, position{4}, {}, {}}, "", w.now));
  BOOST_REQUIRE(end.size() == 1);
  BOOST_TEST(end[0].last_seq.value == 2);
  BOOST_TEST((end[0].outcome.status == run_status::completed));
  BOOST_TEST(*end[0].outcome.exit_code == 0);
  auto again = m.on_tick(w.now + retry_interval);
  BOOST_TEST(pick<append_lines>(again).size() == 1);
  BOOST_TEST(pick<finish_run>(again).size() == 1);

  BOOST_TEST(pick<stop>(m.on_finished()).size() == 1);
  BOOST_TEST(m.on_finished().empty());
}

BOOST_AUTO_TEST_CASE(an_agent_that_failed_is_told_with_code_signal_and_stderr) {
  world w;
  auto m = w.following();
  auto end =
    pick<finish_run>(m.on_over({137, 9, position{0}, {}, {}}, "oops", w.now));
  BOOST_REQUIRE(end.size() == 1);
  const auto& x = end[0].outcome;
  BOOST_TEST((x.status == run_status::failed));
  BOOST_TEST(*x.exit_code == 137);
  BOOST_TEST(*x.signal == 9);
  BOOST_TEST((x.error->code == errc::exit_nonzero));
  BOOST_TEST(x.error->message.find("oops") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_quoted_stderr_ends_with_its_last_word_not_with_blanks) {
  world w;
  auto message_of = [&](const std::string& tail) {
    auto m = w.following();
    auto end =
      pick<finish_run>(m.on_over({1, {}, position{0}, {}, {}}, tail, w.now));
    BOOST_REQUIRE(end.size() == 1);
    return end[0].outcome.error->message;
  };
  BOOST_TEST(message_of("a\nb: no such file\n")
             == "the agent exited with code 1; its stderr ends with: a\nb: no "
                "such file");
  BOOST_TEST(message_of("x \r\n\n") == message_of("x"));
  BOOST_TEST(message_of("\n \n") == "the agent exited with code 1");
  BOOST_TEST(message_of("") == "the agent exited with code 1");
}

BOOST_AUTO_TEST_CASE(a_command_that_cannot_run_has_no_exit_code) {
  world w;
  auto m = w.following();
  sandbox::exit_report x;
  x.code = 127;
  x.error = run_error{errc::launch_failed, "no such file"};
  auto end = pick<finish_run>(m.on_over(x, "", w.now));
  BOOST_REQUIRE(end.size() == 1);
  BOOST_TEST(!end[0].outcome.exit_code.has_value());
  BOOST_TEST((end[0].outcome.error->code == errc::launch_failed));
}

BOOST_AUTO_TEST_CASE(a_lost_agent_fails_the_run_and_what_is_left_is_killed) {
  world w;
  auto m = w.following();

  auto xs = m.on_broken(make_status(errc::agent_lost, "why"), w.now);

  BOOST_TEST(pick<kill_agent>(xs).size() == 1);
  auto end = pick<finish_run>(xs);
  BOOST_REQUIRE(end.size() == 1);
  BOOST_TEST(!end[0].outcome.exit_code.has_value());
  BOOST_TEST((end[0].outcome.error->code == errc::agent_lost));
  BOOST_TEST(pick<stop>(m.on_finished()).size() == 1);
}

BOOST_AUTO_TEST_CASE(a_damaged_journal_fails_the_run_and_its_agent_is_killed) {
  world w;
  auto m = w.following();

  auto xs = m.on_broken(make_status(errc::journal_damaged, "why"), w.now);

  BOOST_TEST(pick<kill_agent>(xs).size() == 1);
  BOOST_TEST(pick<finish_run>(xs).size() == 1);
  BOOST_TEST(pick<stop>(m.on_finished()).size() == 1);
}

BOOST_AUTO_TEST_CASE(an_acknowledgement_may_carry_the_cancel) {
  world w;
  auto m = w.following();
  m.on_lines(position{0}, lines({"a\n"}), w.now);

  BOOST_TEST(pick<kill_agent>(m.on_done(done(1, true), w.now)).size() == 1);
  BOOST_TEST(pick<kill_agent>(m.on_done(done(1, true), w.now)).empty());
  BOOST_TEST(pick<kill_agent>(m.on_tick(w.now + 1s)).size() == 1);
}

BOOST_AUTO_TEST_CASE(a_cancel_that_was_obeyed_is_told_until_the_end) {
  world w;
  auto m = w.following();

  BOOST_TEST(pick<cancel_delivered>(m.on_cancel(w.now)).size() == 1);
  auto again = pick<cancel_delivered>(m.on_tick(w.now + 1s));
  BOOST_REQUIRE(again.size() == 1);
  BOOST_TEST((again[0].epoch == epoch{3}));
  m.on_over({143, 15, position{0}, {}, {}}, "", w.now);
  BOOST_TEST(pick<cancel_delivered>(m.on_tick(w.now + 2s)).empty());
}

BOOST_AUTO_TEST_SUITE_END()
