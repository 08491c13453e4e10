// SPDX-License-Identifier: MIT
#include "apps/baton_bench/bells.hpp"

#include "tests/support/process.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>

using namespace baton;

BOOST_AUTO_TEST_SUITE(bench_bells)

BOOST_AUTO_TEST_CASE(each_rings_again_and_again_until_it_is_removed) {
  std::atomic<int> first{0}, second{0};
  bench::bells all{std::chrono::milliseconds{2}};
  auto one = all.add([&] { ++first; });
  all.add([&] { ++second; });
  BOOST_TEST(test::wait_until([&] { return first > 3 && second > 3; }));

  all.remove(one);
  auto rung = first.load();
  auto others = second.load();
  BOOST_TEST(test::wait_until([&] { return second > others + 3; }));

  BOOST_TEST(first == rung);
}

BOOST_AUTO_TEST_SUITE_END()
