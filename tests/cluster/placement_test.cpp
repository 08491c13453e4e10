// SPDX-License-Identifier: MIT
// Goal: a run that no node can drive waits, says so, and is taken as soon as
// one appears (I9).
// Method: names and host labels of nodes that are not there yet.
#include "tests/cluster/judge.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

namespace baton::test {
namespace {

std::vector<std::string> joining(cluster& c, const std::string& name,
                                 const std::string& label) {
  return {"--node-id", name,     "--host-label",
          label,       "--join", c.coordinator().cluster_address()};
}

} // namespace

BOOST_AUTO_TEST_SUITE(cluster_placement)

BOOST_AUTO_TEST_CASE(a_run_waits_for_the_node_it_asked_for) {
  cluster c{{.workers = 1}};
  auto run = c.count(1, 2, 5, 1);
  auto shown = c.node(1).cli({"ps", "--json"});
  BOOST_TEST(shown.exit == 0, shown.err);
  auto row = json::parse(shown.out).as_object();
  BOOST_TEST(row.at("run_id").as_string() == run);
  BOOST_TEST((!row.contains("node") || row.at("node").is_null()));
  auto table = c.node(1).cli({"ps"});
  BOOST_TEST(table.out.find(" -  ") != std::string::npos, table.out);
  c.add_node().start(c.worker_args(2));
  c.node(1).wait_for_end(run);
  BOOST_TEST(holder_of(c.node(1), run) == "n2");
  judge(c, run, 5);
}

BOOST_AUTO_TEST_CASE(a_run_waits_for_a_node_that_reaches_its_sandbox) {
  cluster c{{.workers = 1}};
  daemon far;
  far.start(joining(c, "far-1", "far"));
  auto wanted = c.counter_request("r", 100, 20);
  wanted["node"] = "far-1";
  BOOST_TEST(c.node(1).create_raw(wanted).status == 201);
  c.node(1).wait_for_entries("r", 10);
  far.kill9();
  BOOST_TEST(wait_for_record(c.node(1), "r", [](const json::object& x) {
    return !x.contains("node") || x.at("node").is_null();
  }));
  auto table = c.node(1).cli({"ps"});
  BOOST_TEST(table.out.find(" -  ") != std::string::npos, table.out);
  auto refused = c.node(1).request("POST", daemon::path("r", "/takeover"), "{}",
                                   "Content-Type: application/json\r\n");
  BOOST_TEST(refused.status == 503);
  BOOST_TEST(refused.body.find("no_eligible_node") != std::string::npos,
             refused.body);
  daemon near;
  near.start(joining(c, "far-2", "far"));
  c.node(1).wait_for_end("r");
  BOOST_TEST(holder_of(c.node(1), "r") == "far-2");
  judge(c, "r", 100);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test
