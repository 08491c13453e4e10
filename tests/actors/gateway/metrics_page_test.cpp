// SPDX-License-Identifier: MIT
// The page is what Prometheus reads.
#include "actors/gateway/metrics_page.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::http;

BOOST_AUTO_TEST_SUITE(gateway_metrics_page)

BOOST_AUTO_TEST_CASE(the_metrics_page_is_prometheus_text) {
  metrics m;
  m.version = "1\"2";
  m.requests[{"get_run", 200}] = 3;
  m.streams_open = 2;
  auto text = metrics_page(m);
  for (auto line :
       {"baton_build_info{version=\"1\\\"2\"} 1\n",
        "baton_http_requests_total{route=\"get_run\",code=\"200\"} 3\n",
        "# TYPE baton_http_streams_open gauge\nbaton_http_streams_open 2\n"})
    BOOST_TEST(text.find(line) != text.npos, line);
}

BOOST_AUTO_TEST_SUITE_END()
