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

BOOST_AUTO_TEST_CASE(the_coordinators_part_has_a_line_for_every_label) {
  coordinator::counters x;
  x.live[run_status::running] = 3;
  x.ended[run_status::failed] = 2;
  x.claims = 9;
  x.takeovers["restart"] = 4;
  x.fenced_writes = 1;
  x.reaped["expired"] = 2;
  x.reclaimed["destroy_failed"] = 7;
  x.last_sweep = wall_time{std::chrono::milliseconds{1'234'567}};
  auto text = metrics_text(x);
  for (auto line :
       {"# TYPE baton_runs gauge\n", "baton_runs{status=\"running\"} 3\n",
        "baton_runs{status=\"interrupted\"} 0\n",
        "# TYPE baton_runs_ended_total counter\n",
        "baton_runs_ended_total{status=\"completed\"} 0\n",
        "baton_runs_ended_total{status=\"failed\"} 2\n",
        "baton_runs_ended_total{status=\"aborted\"} 0\n",
        "# TYPE baton_claims_total counter\nbaton_claims_total 9\n",
        "# TYPE baton_takeovers_total counter\n",
        "baton_takeovers_total{cause=\"lease_lapsed\"} 0\n",
        "baton_takeovers_total{cause=\"node_lost\"} 0\n",
        "baton_takeovers_total{cause=\"restart\"} 4\n",
        "baton_takeovers_total{cause=\"steal\"} 0\n",
        "baton_takeovers_total{cause=\"takeover\"} 0\n",
        "\nbaton_fenced_writes_total 1\n",
        "baton_reaped_total{outcome=\"expired\"} 2\n",
        "baton_reaped_total{outcome=\"not_claimed\"} 0\n",
        "baton_reclaimed_total{outcome=\"destroy_failed\"} 7\n",
        "baton_reclaimed_total{outcome=\"provider_mismatch\"} 0\n",
        "\nbaton_pruned_total 0\n", "\nbaton_retired_total 0\n",
        "\nbaton_last_sweep_time_seconds 1234\n"})
    BOOST_TEST(text.find(line) != text.npos, line);
}

BOOST_AUTO_TEST_CASE(a_nodes_own_part_tells_how_far_its_logs_trail) {
  auto text = metrics_text(run::lag_board::reading{2, 30, 20});
  for (auto line : {"\nbaton_driven_runs 2\n", "\nbaton_journal_lag_bytes 30\n",
                    "\nbaton_journal_lag_max_bytes 20\n"})
    BOOST_TEST(text.find(line) != text.npos, line);
}

BOOST_AUTO_TEST_SUITE_END()
