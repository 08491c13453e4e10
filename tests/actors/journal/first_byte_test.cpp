// SPDX-License-Identifier: MIT
// Goal: a journal is given up only when it is empty and nothing has proved for
// 10 s that its writer lives (B10). Method: the pure rule.
#include "actors/journal/first_byte.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::journal;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(journal_first_byte)

BOOST_AUTO_TEST_CASE(ten_seconds_without_proof_are_the_end) {
  first_byte x;
  mono_time now{1h};
  BOOST_TEST(!x.is_stalled(now));
  BOOST_TEST(!x.is_stalled(now + 10s - 1ns));
  BOOST_TEST(x.is_stalled(now + 10s));
}

BOOST_AUTO_TEST_CASE(a_proof_in_between_starts_them_anew) {
  first_byte x;
  mono_time now{1h};
  BOOST_TEST(!x.is_stalled(now));
  x.writer_lives();
  BOOST_TEST(!x.is_stalled(now + 1h));
  BOOST_TEST(x.is_stalled(now + 1h + 10s));
}

BOOST_AUTO_TEST_CASE(a_journal_that_has_begun_is_never_cut) {
  first_byte x;
  x.came();
  mono_time now{1h};
  BOOST_TEST(!x.is_stalled(now));
  BOOST_TEST(!x.is_stalled(now + 24h));
}

BOOST_AUTO_TEST_SUITE_END()
