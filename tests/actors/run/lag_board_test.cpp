// SPDX-License-Identifier: MIT
// Goal: the board shows each run once, as it is now.
#include "actors/run/lag_board.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;

BOOST_AUTO_TEST_SUITE(run_lag_board)

BOOST_AUTO_TEST_CASE(a_board_sums_the_newest_figure_of_each_run) {
  run::lag_board board;
  board.put(run_id{"a"}, 100);
  board.put(run_id{"a"}, 7);
  board.put(run_id{"b"}, 5);

  auto now = board.read();
  BOOST_TEST(now.runs == 2u);
  BOOST_TEST(now.bytes == 12u);
  BOOST_TEST(now.bytes_max == 7u);

  board.forget(run_id{"a"});
  BOOST_TEST(board.read().runs == 1u);
  BOOST_TEST(board.read().bytes_max == 5u);
}

BOOST_AUTO_TEST_SUITE_END()
