// SPDX-License-Identifier: MIT
// Goal: a wall clock that jumps, either way, is not believed before it has gone
// on evenly for a while. Method: sweeps at virtual times, with steps between.
#include "actors/coordinator/steady_wall.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::coordinator;
using namespace std::chrono_literals;

namespace {

using verdict = steady_wall::verdict;

struct clocks {
  explicit clocks(std::chrono::milliseconds retain = 24h) : watch(retain) {}

  /// A sweep after `d`, in which the wall clock steps by `step` besides.
  verdict sweep(std::chrono::milliseconds d,
                std::chrono::milliseconds step = 0ms) {
    now.mono += d;
    now.wall += d + step;
    return watch.look(now);
  }

  /// How many sweeps, 30 s apart, come before one that may remove.
  int sweeps_to_belief() {
    int n = 1;
    while (sweep(30s) != verdict::believed)
      ++n;
    return n;
  }

  steady_wall watch;
  instant now{mono_time{5min}, wall_time{240h}};
};

} // namespace

BOOST_AUTO_TEST_SUITE(coordinator_steady_wall)

BOOST_AUTO_TEST_CASE(after_a_start_an_hour_of_agreement_is_needed) {
  clocks c;
  BOOST_TEST((c.sweep(30s) == verdict::on_probation));
  BOOST_TEST((c.sweep(1h - 1ms) == verdict::on_probation));
  BOOST_TEST((c.sweep(1ms) == verdict::believed));
  BOOST_TEST((c.sweep(1000h) == verdict::believed));
}

BOOST_AUTO_TEST_CASE(what_is_kept_for_less_than_an_hour_needs_as_long) {
  for (auto retain : {1ms, 30'000ms, 3'599'999ms}) {
    clocks c{retain};
    BOOST_TEST((c.sweep(0s) == verdict::on_probation));
    BOOST_TEST((c.sweep(retain - 1ms) == verdict::on_probation));
    BOOST_TEST((c.sweep(1ms) == verdict::believed));
  }
}

BOOST_AUTO_TEST_CASE(every_jump_is_told_once_and_begins_the_hour_again) {
  struct {
    std::chrono::milliseconds step;
    bool is_jump;
  } const table[] = {
    {0ms, false},       {1s, false},      {-1s, false},      {1min, false},
    {-1min, false},     {60'001ms, true}, {-60'001ms, true}, {1h, true},
    {-1h, true},        {24h, true},      {-24h, true},      {24h * 365, true},
    {-24h * 365, true},
  };
  for (const auto& x : table)
    BOOST_TEST_CONTEXT(x.step.count()) {
      clocks c;
      c.sweeps_to_belief();
      auto got = c.sweep(30s, x.step);
      BOOST_TEST((got == (x.is_jump ? verdict::jumped : verdict::believed)));
      BOOST_TEST(c.watch.jump().count() == x.step.count());
      BOOST_TEST(c.sweeps_to_belief() == (x.is_jump ? 120 : 1));
    }
}

BOOST_AUTO_TEST_CASE(a_jump_during_the_hour_begins_it_again) {
  clocks c;
  c.sweep(0s);
  BOOST_TEST((c.sweep(59min, 24h) == verdict::jumped));
  BOOST_TEST((c.sweep(59min) == verdict::on_probation));
  BOOST_TEST((c.sweep(59s, -24h) == verdict::jumped));
  BOOST_TEST((c.sweep(1h - 1ms) == verdict::on_probation));
  BOOST_TEST((c.sweep(1ms) == verdict::believed));
}

BOOST_AUTO_TEST_CASE(a_jump_that_is_taken_back_before_the_next_sweep_is_none) {
  clocks c;
  c.sweeps_to_belief();
  c.now.wall += 24h;
  c.now.wall -= 24h;
  BOOST_TEST((c.sweep(30s) == verdict::believed));
}

BOOST_AUTO_TEST_CASE(many_small_steps_are_a_jump_too) {
  clocks c;
  c.sweeps_to_belief();
  BOOST_TEST((c.sweep(30s, 31s) == verdict::believed));
  BOOST_TEST((c.sweep(30s, 31s) == verdict::jumped));
}

BOOST_AUTO_TEST_SUITE_END()
