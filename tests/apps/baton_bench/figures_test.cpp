// SPDX-License-Identifier: MIT
#include "apps/baton_bench/figures.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton::bench;

BOOST_AUTO_TEST_SUITE(bench_figures)

BOOST_AUTO_TEST_CASE(percentiles_are_samples_and_the_99th_of_few_is_the_worst) {
  std::vector<double> twenty;
  for (int i = 20; i > 0; --i)
    twenty.push_back(i);

  BOOST_TEST(percentile(twenty, 0.5) == 10);
  BOOST_TEST(percentile(twenty, 0.99) == 20);
  BOOST_TEST(percentile(twenty, 1) == 20);
  BOOST_TEST(percentile({7}, 0.5) == 7);
  BOOST_TEST(percentile({}, 0.5) == 0);
}

BOOST_AUTO_TEST_CASE(a_bound_is_for_the_ratio_where_there_is_a_raw_limit) {
  figure faster{"x", "entries/s", 50, 100, true, 0.4};
  BOOST_TEST(faster.holds());
  faster.ours = 39;
  BOOST_TEST(!faster.holds());

  figure slower{"x", "us", 150, 100, false, 1.5};
  BOOST_TEST(slower.holds());
  slower.ours = 151;
  BOOST_TEST(!slower.holds());
}

BOOST_AUTO_TEST_CASE(a_bound_is_for_the_figure_where_there_is_none) {
  figure x{"x", "ms", 1'000, {}, false, 1'000};
  BOOST_TEST(x.holds());
  x.ours = 1'001;
  BOOST_TEST(!x.holds());
  x.bound = {};
  BOOST_TEST(x.holds());
}

BOOST_AUTO_TEST_SUITE_END()
