// SPDX-License-Identifier: MIT
#include "apps/batond/descriptors.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;

BOOST_AUTO_TEST_SUITE(batond_descriptors)

BOOST_AUTO_TEST_CASE(clients_leave_store_and_runs_their_share) {
  for (std::size_t limit : {256U, 512U, 1'024U, 4'096U, 65'536U})
    BOOST_TEST_CONTEXT(limit)
  BOOST_TEST(2 * connections_for(limit) + 192 <= limit);
  BOOST_TEST(connections_for(1'024) == 208U);
}

BOOST_AUTO_TEST_CASE(there_is_an_upper_bound_and_a_last_connection) {
  BOOST_TEST(connections_for(1'000'000) == 1'024U);
  BOOST_TEST(connections_for(64) > 0U);
}

BOOST_AUTO_TEST_SUITE_END()
