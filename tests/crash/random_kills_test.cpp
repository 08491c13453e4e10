// SPDX-License-Identifier: MIT
// Goal: the same at no place in particular. Method: kill -9 at seeded times
// with ten busy runs, also while the next daemon is still starting.
#include "tests/crash/round.hpp"
#include "tests/messages/seeded.hpp"

#include <boost/test/unit_test.hpp>

namespace baton::crash_test {

BOOST_AUTO_TEST_SUITE(random_kills)

BOOST_AUTO_TEST_CASE(kills_at_any_time_lose_and_double_nothing) {
  std::vector<round_plan> plans;
  for (std::uint64_t i = 0; i < 25; ++i) {
    test::seeded random{i + 5'000};
    round_plan plan;
    plan.seed = i + 5'000;
    plan.busy = true;
    plan.lives.push_back({"", millis{20 + random.below(500)}});
    // In mid-restart.
    for (auto more = random.below(4); more > 0; --more)
      plan.lives.push_back({"", millis{random.below(250)}});
    plans.push_back(std::move(plan));
  }

  for (const auto& x : play_all(plans)) {
    for (const auto& what : x.wrong)
      BOOST_ERROR(to_text(x.plan) << ": " << what);
    BOOST_TEST(x.crashes == x.plan.lives.size());
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::crash_test
