// SPDX-License-Identifier: MIT
// Goal: a picture shows a takeover as one draws it by hand, and stays one that
// can be looked at, however long the story.
#include "actors/sim/report_layout.hpp"

#include "tests/actors/sim/story.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>

using namespace baton;
using namespace baton::sim;

namespace {

std::size_t count(const report_layout& x, event_kind kind) {
  return static_cast<std::size_t>(
    std::ranges::count(x.marks, kind, &report_mark::kind));
}

const report_mark& first(const report_layout& x, event_kind kind) {
  return *std::ranges::find(x.marks, kind, &report_mark::kind);
}

} // namespace

BOOST_AUTO_TEST_SUITE(sim_report_layout)

BOOST_AUTO_TEST_CASE(an_empty_story_has_an_empty_picture) {
  auto x = lay_out(trace{});

  BOOST_TEST(x.marks.empty());
  BOOST_TEST(x.columns.empty());
  BOOST_TEST(x.height > 0);
}

BOOST_AUTO_TEST_CASE(lanes_stand_in_the_order_in_which_data_flows) {
  test::story s;
  s.told.lane_of(lane_kind::viewer, "sees nothing");
  s.takeover();
  auto x = lay_out(s.told);

  std::vector<std::size_t> lanes;
  for (const auto& column : x.columns)
    lanes.push_back(column.lane);
  BOOST_TEST(lanes == (std::vector{s.agent, s.n1, s.n2, s.coordinator}),
             boost::test_tools::per_element());
  BOOST_TEST(std::ranges::is_sorted(x.columns, {}, &report_column::x));
}

BOOST_AUTO_TEST_CASE(like_events_merge_and_key_events_part_them) {
  test::story s;
  s.takeover();
  auto x = lay_out(s.told);

  BOOST_TEST(count(x, event_kind::claim) == 2U);
  // Five of the first epoch, one of the second, the late one.
  BOOST_TEST(count(x, event_kind::append) == 3U);
  BOOST_TEST(first(x, event_kind::append).events == 5U);
  BOOST_TEST(first(x, event_kind::append).seq_last == 5U);
}

BOOST_AUTO_TEST_CASE(marks_of_a_lane_do_not_overlap_and_time_runs_down) {
  test::story s;
  s.takeover();
  for (int i = 0; i < 50; ++i)
    s.add(0, s.n1, event_kind::request);
  auto x = lay_out(s.told);

  std::map<std::size_t, int> last;
  int y = 0;
  for (const auto& m : x.marks) {
    BOOST_TEST(m.y >= y);
    y = m.y;
    if (auto i = last.find(m.lane); i != last.end())
      BOOST_TEST(m.y - i->second >= 16);
    last[m.lane] = m.y;
  }
  BOOST_TEST(x.height > y);
}

BOOST_AUTO_TEST_CASE(a_quiet_stretch_is_folded) {
  test::story s;
  s.takeover();
  auto x = lay_out(s.told);

  auto fold = std::ranges::find(x.ticks, true, &report_tick::is_fold);
  BOOST_REQUIRE(fold != x.ticks.end());
  BOOST_TEST(fold->at_us == 2'000'000);
  BOOST_TEST(x.height < 1'000);
}

BOOST_AUTO_TEST_CASE(messages_are_links_between_lanes) {
  test::story s;
  s.takeover();
  auto x = lay_out(s.told);

  // Output to append, append to commit, commit to ack, at each of two nodes;
  // what a lane tells itself is none.
  BOOST_TEST(x.links.size() == 6U);
  for (const auto& link : x.links)
    BOOST_TEST(x.marks[link.from].lane != x.marks[link.to].lane);
}

BOOST_AUTO_TEST_CASE(a_loser_holds_on_until_it_is_refused) {
  test::story s;
  s.takeover();
  auto x = lay_out(s.told);

  BOOST_REQUIRE(x.bars.size() == 3U);
  const auto& held = x.bars[0];
  const auto& stale = x.bars[1];
  const auto& next = x.bars[2];
  BOOST_TEST((!held.stale && stale.stale && !next.stale));
  BOOST_TEST(held.y_to == next.y_from);
  BOOST_TEST(stale.y_from == held.y_to);
  BOOST_TEST(stale.y_to == first(x, event_kind::refused).y);
  BOOST_TEST(next.y_to == first(x, event_kind::finish).y);
}

BOOST_AUTO_TEST_CASE(a_lane_is_shaded_from_fault_to_healing) {
  test::story s;
  s.takeover();
  s.add(1'000, s.agent, event_kind::fault, 0, 0, "agent_kill");
  auto x = lay_out(s.told);

  BOOST_REQUIRE(x.bands.size() == 1U);
  BOOST_TEST(x.bands[0].y_from == first(x, event_kind::fault).y);
  BOOST_TEST(x.bands[0].y_to == first(x, event_kind::heal).y);
}

BOOST_AUTO_TEST_CASE(a_lane_is_shaded_until_what_is_wrong_there_is_healed) {
  using enum event_kind;
  test::story s;
  s.add(1'000, s.n1, fault, 0, 0, "pause_node");
  s.add(1'000, s.n1, fault, 0, 0, "clock_drift");
  s.add(1'000, s.n1, heal, 0, 0, "pause_node");
  s.add(1'000, s.n1, heal, 0, 0, "clock_drift");
  s.add(1'000, s.n2, fault, 0, 0, "cut");
  auto x = lay_out(s.told);

  BOOST_REQUIRE(x.bands.size() == 3U);
  BOOST_TEST(x.bands[0].y_from == x.marks[0].y);
  BOOST_TEST(x.bands[0].y_to == x.marks[2].y);
  BOOST_TEST(x.bands[1].y_from == x.marks[1].y);
  BOOST_TEST(x.bands[1].y_to == x.marks[3].y);
  // Never healed: to the end.
  BOOST_TEST(x.bands[2].y_from == x.marks[4].y);
  BOOST_TEST(x.bands[2].y_to > x.marks[4].y);
}

BOOST_AUTO_TEST_CASE(only_who_is_away_is_shaded_as_away) {
  using enum event_kind;
  for (const auto* kind :
       {"kill_coordinator", "pause_node", "cut", "late_append",
        "dies before its orders get through", "is gone for good", "slow_disk",
        "late_launch", "clock_drift", "viewer_storm", "cancel_storm",
        "steal_storm", "sweep_storm"}) {
    std::string name{kind};
    test::story s;
    s.add(1'000, s.coordinator, fault, 0, 0, name);
    auto x = lay_out(s.told);

    BOOST_REQUIRE(x.bands.size() == 1U);
    auto is_at_work = name.ends_with("_storm") || name == "slow_disk"
                      || name == "late_launch" || name == "clock_drift";
    BOOST_TEST(x.bands[0].is_away == !is_at_work, name);
  }
}

BOOST_AUTO_TEST_CASE(a_coordinator_that_dies_in_a_storm_is_seen_to) {
  using enum event_kind;
  test::story s;
  s.add(1'000, s.coordinator, fault, 0, 0, "viewer_storm");
  s.add(1'000, s.coordinator, fault, 0, 0, "kill_coordinator");
  s.add(1'000, s.coordinator, heal, 0, 0, "restarted");
  s.add(1'000, s.coordinator, heal, 0, 0, "viewer_storm");
  auto x = lay_out(s.told);

  BOOST_REQUIRE(x.bands.size() == 2U);
  BOOST_TEST(x.bands[0].is_away);
  BOOST_TEST(x.bands[0].y_from == x.marks[1].y);
  BOOST_TEST(x.bands[0].y_to == x.marks[2].y);
  BOOST_TEST(!x.bands[1].is_away);
  BOOST_TEST(x.bands[1].y_from == x.marks[0].y);
  BOOST_TEST(x.bands[1].y_to == x.marks[3].y);
}

// network::heal() and cluster::resume() do not count; storms do.
BOOST_AUTO_TEST_CASE(of_faults_that_overlap_the_first_healing_ends_all) {
  using enum event_kind;
  test::story s;
  for (const auto* kind : {"slow_disk", "viewer_storm"})
    for (auto what : {fault, fault, heal, heal})
      s.add(1'000, s.coordinator, what, 0, 0, kind);
  auto x = lay_out(s.told);

  BOOST_REQUIRE(x.bands.size() == 2U);
  BOOST_TEST(x.bands[0].y_from == x.marks[0].y);
  BOOST_TEST(x.bands[0].y_to == x.marks[2].y);
  BOOST_TEST(x.bands[1].y_from == x.marks[4].y);
  BOOST_TEST(x.bands[1].y_to == x.marks[7].y);
}

BOOST_AUTO_TEST_CASE(a_new_life_has_none_of_the_old_ones_ills) {
  using enum event_kind;
  test::story s;
  for (const auto* kind : {"clock_drift", "kill_node"})
    s.add(1'000, s.n1, fault, 0, 0, kind);
  s.add(1'000, s.n1, heal, 0, 0, "restarted");
  s.add(1'000, s.n2, fault, 0, 0, "kill_node");
  s.add(0, s.n2, fault, 0, 0, "is gone for good");
  s.add(1'000, s.coordinator, heal, 0, 0, "everything is whole again");
  auto x = lay_out(s.told);

  BOOST_REQUIRE(x.bands.size() == 3U);
  for (std::size_t i : {0U, 1U})
    BOOST_TEST(x.bands[i].y_to == x.marks[2].y);
  BOOST_TEST(x.bands[2].y_to > x.marks[5].y);
}

BOOST_AUTO_TEST_CASE(a_fault_that_is_only_set_shades_nothing_yet) {
  test::story s;
  event set{1'000, s.coordinator, event_kind::fault};
  set.text = "kill_coordinator";
  set.is_armed = true;
  s.told.add(set);
  s.now_us = 1'000;
  s.add(5'000, s.coordinator, event_kind::fault, 0, 0, "kill_coordinator");
  s.add(5'000, s.coordinator, event_kind::heal, 0, 0, "restarted");
  auto x = lay_out(s.told);

  BOOST_REQUIRE(x.bands.size() == 1U);
  BOOST_TEST(x.bands[0].y_from == x.marks[1].y);
  BOOST_TEST(x.bands[0].y_to == x.marks[2].y);
}

BOOST_AUTO_TEST_CASE(a_loser_holds_on_until_it_claims_again_or_dies) {
  using enum event_kind;
  test::story s;
  auto a = s.told.lane_of(lane_kind::driver, "a");
  auto b = s.told.lane_of(lane_kind::driver, "b");
  s.told.place(b, s.n2);
  s.add(1'000, a, claim, 1);
  s.add(1'000, b, claim, 2);
  s.add(1'000, a, claim, 3);
  s.add(1'000, s.n2, fault, 0, 0, "kill_node");
  auto x = lay_out(s.told);

  BOOST_REQUIRE(x.bars.size() == 5U);
  for (std::size_t i : {1U, 3U}) {
    BOOST_TEST(x.bars[i].stale);
    BOOST_TEST(x.bars[i].y_from == x.marks[i / 2 + 1].y);
    BOOST_TEST(x.bars[i].y_to == x.marks[i / 2 + 2].y);
  }
}

BOOST_AUTO_TEST_CASE(a_loser_that_never_learns_holds_on_to_the_end) {
  using enum event_kind;
  test::story s;
  s.add(1'000, s.n1, claim, 1, 0, "placement");
  s.add(1'000, s.n2, claim, 2, 0, "lease_lapsed");
  s.add(1'000, s.coordinator, finish, 2, 0, "completed");
  s.add(1'000, s.n2, note);
  auto x = lay_out(s.told);

  BOOST_REQUIRE(x.bars.size() == 3U);
  BOOST_TEST(x.bars[1].stale);
  BOOST_TEST(x.bars[1].y_from == x.marks[1].y);
  BOOST_TEST(x.bars[1].y_to > x.marks[3].y);
}

BOOST_AUTO_TEST_CASE(who_knows_that_it_lost_does_not_hold_on) {
  using enum event_kind;
  // Told to stop, before or after another's claim; dead with the coordinator,
  // or told by it without any network between; nobody held it, as the next
  // claim's cause says.
  test::story told, told_before, dead, beside, given_back;
  for (auto* s : {&told, &told_before, &given_back})
    s->add(1'000, s->n1, claim, 1, 0, "placement");
  beside.add(1'000, beside.n0, claim, 1, 0, "placement");
  auto driver = dead.told.lane_of(lane_kind::driver, "d1");
  dead.told.place(driver, dead.n0);
  dead.add(1'000, driver, claim, 1, 0, "external");
  told_before.add(1'000, told_before.n1, note, 1, 0, "told to stop");
  for (auto* s : {&told, &told_before, &dead, &beside})
    s->add(1'000, s->n2, claim, 2, 0, "takeover");
  given_back.add(1'000, given_back.n2, claim, 2, 0, "external");
  told.add(1'000, told.n1, note, 1, 0, "told to stop");
  dead.add(1'000, dead.coordinator, fault, 0, 0, "kill_coordinator");
  for (auto* s : {&told, &dead}) {
    auto x = lay_out(s->told);
    BOOST_REQUIRE(x.bars.size() == 3U);
    BOOST_TEST(x.bars[1].stale);
    BOOST_TEST(x.bars[1].y_to == x.marks[2].y);
  }
  for (auto* s : {&told_before, &beside, &given_back})
    for (const auto& bar : lay_out(s->told).bars)
      BOOST_TEST(!bar.stale);
}

BOOST_AUTO_TEST_CASE(the_text_of_what_broke_has_room_of_its_own) {
  using enum event_kind;
  test::story s;
  s.takeover();
  for (auto lane : {s.n1, s.n2, s.agent})
    s.add(0, lane, request);
  s.add(0, s.coordinator, violation, 0, 0, "I3: not what the agent wrote");
  for (auto lane : {s.n1, s.n2, s.agent})
    s.add(0, lane, request);
  auto x = lay_out(s.told);
  auto what = first(x, violation);

  for (const auto& m : x.marks)
    if (m.kind != violation)
      BOOST_TEST((m.y <= what.y - 32 || m.y >= what.y + 16));
}

BOOST_AUTO_TEST_CASE(a_long_story_merges_more) {
  test::story s;
  for (std::uint64_t seq = 1; seq <= 20'000; ++seq)
    s.entry(s.n1, 1, seq);
  auto x = lay_out(s.told);

  BOOST_TEST(x.marks.size() <= layout_limits{}.marks_wanted);
  BOOST_TEST(x.left_out == 0U);
}

BOOST_AUTO_TEST_CASE(of_a_story_full_of_key_events_the_end_is_shown) {
  test::story s;
  for (std::uint64_t e = 1; e <= 5'000; ++e)
    s.add(10, s.n1, event_kind::claim, e);
  auto x = lay_out(s.told);

  BOOST_TEST(x.marks.size() == layout_limits{}.marks_max);
  BOOST_TEST(x.left_out == 5'000 - layout_limits{}.marks_max);
  BOOST_TEST(x.marks.back().epoch == 5'000U);
}

BOOST_AUTO_TEST_SUITE_END()
