// SPDX-License-Identifier: MIT
// Minted ids follow RFC 9562.
#include "actors/gateway/uuid7.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::http;

BOOST_AUTO_TEST_SUITE(gateway_uuid7)

BOOST_AUTO_TEST_CASE(minted_ids_are_version_7_and_sort_by_time) {
  wall_time t{std::chrono::milliseconds{0x0123456789AB}};
  BOOST_TEST(uuid7(t, std::string(10, '\xFF'))
             == "01234567-89ab-7fff-bfff-ffffffffffff");
  BOOST_TEST(uuid7(t, std::string(10, '\xFF'))
             < uuid7(t + std::chrono::milliseconds{1}, std::string(10, '\0')));
}

BOOST_AUTO_TEST_SUITE_END()
