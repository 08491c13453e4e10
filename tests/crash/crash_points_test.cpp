// SPDX-License-Identifier: MIT
// Goal: I2 to I8 hold wherever the daemon dies. Method: kill -9 at each named
// place, twenty times, each time at another passage and under another load;
// every fourth time the next daemon dies there too.
#include "messages/crash_point.hpp"
#include "tests/crash/round.hpp"
#include "tests/messages/seeded.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <map>
#include <string>

namespace baton::crash_test {
namespace {

/// BATON_CRASH_ROUNDS asks for another number.
std::uint64_t rounds_per_point() {
  auto* asked = std::getenv("BATON_CRASH_ROUNDS");
  return asked == nullptr ? 20 : std::strtoull(asked, nullptr, 10);
}

/// So that the passage comes while the load is on.
std::uint64_t passages_of(crash_point x) {
  switch (x) {
  case crash_point::before_append_commit:
  case crash_point::after_append_commit:
  case crash_point::mid_append:
    return 25;
  default:
    return 6;
  }
}

} // namespace

BOOST_AUTO_TEST_SUITE(crash_points)

BOOST_AUTO_TEST_CASE(a_kill_at_any_named_place_loses_and_doubles_nothing) {
  std::vector<round_plan> plans;
  for (std::uint64_t i = 0; i < rounds_per_point(); ++i)
    for (std::size_t p = 0; p < crash_point_names.size(); ++p) {
      auto name = std::string{crash_point_names[p]};
      auto seed = i * crash_point_names.size() + p;
      test::seeded random{seed};
      auto n = 1 + random.below(passages_of(static_cast<crash_point>(p)));
      round_plan plan;
      plan.seed = seed;
      plan.lives.push_back({name + ":" + std::to_string(n), {}});
      if (i % 4 == 3)
        plan.lives.push_back({name, {}});
      plans.push_back(std::move(plan));
    }

  auto reports = play_all(plans);

  struct deaths {
    std::size_t happened = 0;
    std::size_t planned = 0;
  };
  std::map<std::string, deaths> by_point;
  for (const auto& x : reports) {
    for (const auto& what : x.wrong)
      BOOST_ERROR(to_text(x.plan) << ": " << what);
    const auto& first = x.plan.lives.front().crash_at;
    auto& point = by_point[first.substr(0, first.find(':'))];
    point.happened += x.crashes;
    point.planned += x.plan.lives.size();
  }
  for (const auto& [name, x] : by_point) {
    BOOST_TEST_MESSAGE(name << ": " << x.happened << " of " << x.planned
                            << " deaths at their place");
    BOOST_TEST(x.happened == x.planned, name);
  }
  BOOST_TEST(by_point.size() == crash_point_names.size());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::crash_test
