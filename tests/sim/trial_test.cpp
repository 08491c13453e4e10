// SPDX-License-Identifier: MIT
// Goal: a seed's story is cut, reduced and told as it was. Method: whole
// worlds, and stories written by hand.
#include "actors/sim/trial.hpp"

#include "tests/sim/programs.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <memory>

using namespace baton;
using namespace baton::sim;
using namespace baton::test;

namespace {

/// Sends again at once, and waits for nothing.
additions hasty() {
  auto x = with_driver(
    [turn = std::make_shared<int>()](auto* self, const driver_site& where) {
      self->send(self, 1);
      if (++*turn % 50 != 0)
        return;
      append_lines lines;
      lines.run = where.run;
      lines.first_seq = seq{1};
      lines.lines.add(where.source, false);
      self->request(where.coordinator, caf::infinite, std::move(lines))
        .then([](const append_done&) {}, [](const caf::error&) {});
    });
  return {x.external_runs, x.drivers, {}};
}

/// Nor is anybody held up for a moment, which would let time pass.
shape without_runs_and_faults() {
  shape_wishes wishes;
  wishes.runs = 0;
  wishes.faults.emplace();
  auto out = draw_shape(1, wishes);
  out.sluggish = 0;
  return out;
}

} // namespace

BOOST_AUTO_TEST_SUITE(sim_trial)

BOOST_AUTO_TEST_CASE(a_broken_seed_is_made_small) {
  additions more;
  more.check = with_a_planted_bug().check;
  shape_wishes wishes;
  wishes.faults = std::vector<fault_kind>{
    fault_kind::kill_node, fault_kind::slow_disk, fault_kind::viewer_storm};
  wishes.external_runs = false;
  for (std::uint64_t seed = 1; seed < 100; ++seed) {
    auto failed = run_trial(draw_shape(seed, wishes), more);
    if (!failed.broken)
      continue;
    auto least = shrink(failed, more);
    BOOST_REQUIRE(least.broken.has_value());
    BOOST_TEST(least.broken->invariant == "check");
    // One dead node makes a second claim.
    BOOST_TEST(least.what.plan.size() == 1U);
    auto told = history_of(least);
    BOOST_TEST(told.find("violation") != std::string::npos);
    BOOST_TEST(told.find("coordinator coordinator") == std::string::npos);
    // The first claim, however long ago.
    BOOST_TEST(told.find("(placement)") != std::string::npos, told);
    BOOST_TEST(std::ranges::count(told, '\n') < 62);
    return;
  }
  BOOST_ERROR("no seed of a hundred kills a driver");
}

BOOST_AUTO_TEST_CASE(a_world_that_never_gets_on_is_told_as_such) {
  auto what = without_runs_and_faults();
  auto got = run_trial(what, hasty());

  BOOST_REQUIRE(got.broken.has_value());
  BOOST_TEST(got.broken->invariant == "I9");
  auto text = got.broken->text;
  BOOST_TEST(text.starts_with("after 500000 steps the world was still at 0."),
             text);
  BOOST_TEST(has(text, " s of its 60 s: somebody sends without a pause; in its "
                       "last second driver mine on n2 sent most, "),
             text);
  auto told = history_of(got);
  BOOST_TEST(has(told, "I9: " + text), told);
  BOOST_TEST(!has(told, "long ago"), told);
  world same{what, hasty()};
  same.run(steps_enough, true);
  BOOST_TEST(same.story().hash() == got.hash);
}

BOOST_AUTO_TEST_CASE(a_world_that_gets_on_no_more_is_told_as_such) {
  auto what = without_runs_and_faults();
  what.horizon = std::chrono::milliseconds{500};
  auto got = run_trial(what, hasty());

  BOOST_REQUIRE(got.broken.has_value());
  BOOST_TEST(
    got.broken->text.starts_with("after 500000 steps the world was only 0."),
    got.broken->text);
}

BOOST_AUTO_TEST_CASE(a_violation_of_no_run_is_told_of_all) {
  auto x = run_trial(draw_shape(1, {}));
  x.broken = violation{"I9", "", "nobody can tell who is in the cluster"};
  x.story.show({x.story.events().back().at_us, 0, event_kind::violation});
  auto told = history_of(x);

  for (const auto* run : {"r1", "r2", "r3", "r4"})
    BOOST_TEST(has(told, run), told);
  BOOST_TEST(has(told, "claim"), told);
  BOOST_TEST(has(told, "violation"), told);
  BOOST_TEST(std::ranges::count(told, '\n') <= 61);
}

BOOST_AUTO_TEST_CASE(one_event_that_is_left_out_is_one) {
  outcome x;
  x.broken = violation{"I3", "r", ""};
  auto lane = x.story.lane_of(lane_kind::node, "n1");
  for (std::int64_t i = 0; i < 61; ++i)
    x.story.show(
      {i, lane, i == 0 ? event_kind::refused : event_kind::fault, "r"});
  BOOST_TEST(history_of(x).starts_with("              (1 event)\n"),
             history_of(x));
}

BOOST_AUTO_TEST_CASE(a_picture_shows_what_a_driver_of_ones_own_does) {
  additions more;
  more.runs = {{run_id{"feed"}, "a line\n"}};
  more.drivers = {{"mine", one_line}};
  shape_wishes wishes;
  wishes.runs = 0;
  wishes.faults.emplace();
  auto got = run_trial(draw_shape(1, wishes), more, 20'000);
  auto count = [&](event_kind kind) {
    return std::ranges::count_if(got.story.events(), [&](const event& x) {
      return x.kind == kind
             && got.story.name_of(x.lane).starts_with("driver mine on n");
    });
  };

  BOOST_TEST(count(event_kind::append) == 2);
  BOOST_TEST(count(event_kind::ack) == 1);
  BOOST_TEST(count(event_kind::refused) == 1);
}

BOOST_AUTO_TEST_CASE(a_story_that_is_cut_short_is_not_judged_by_its_end) {
  auto got = run_trial(draw_shape(1, {}), {}, 100);
  BOOST_TEST(!got.broken.has_value());
  BOOST_TEST(got.steps == 100U);
  BOOST_TEST(got.is_cut);
  BOOST_TEST(!run_trial(draw_shape(1, {})).is_cut);
}

BOOST_AUTO_TEST_SUITE_END()
