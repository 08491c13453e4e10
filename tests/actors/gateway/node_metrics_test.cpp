// SPDX-License-Identifier: MIT
// Goal: a node says who it is, whatever its name holds.
#include "actors/gateway/node_metrics.hpp"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(gateway_node_metrics)

BOOST_AUTO_TEST_CASE(a_node_tells_its_name_and_address) {
  BOOST_TEST(baton::http::node_metrics("a\"b", "1.2.3.4:5")
               .ends_with("\nbaton_node_info{node=\"a\\\"b\","
                          "http=\"1.2.3.4:5\"} 1\n"));
}

BOOST_AUTO_TEST_SUITE_END()
