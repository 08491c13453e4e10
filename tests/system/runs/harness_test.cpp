// SPDX-License-Identifier: MIT
// Goal: what every other test here stands on. Method: one small run.
#include "tests/support/run_log.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

namespace baton::test {

BOOST_AUTO_TEST_SUITE(system_harness)

BOOST_AUTO_TEST_CASE(a_small_run_goes_through_every_part_of_the_harness) {
  daemon d;
  d.start();
  auto run = d.create("echo '{\"a\":1}'; printf tail; exit 3");
  auto record = d.wait_for_end(run);
  BOOST_TEST(record.at("exit_code").as_int64() == 3);
  BOOST_TEST(read_journal(d, run) == "{\"a\":1}\ntail");
  expect_invariants(d, run);

  auto shown = d.cli({"run", "--", "sh", "-c", "echo hi; exit 4"});
  BOOST_TEST(shown.exit == 4);
  BOOST_TEST(shown.out == "hi\n");

  auto long_run = d.create("echo one; exec sleep 600");
  d.wait_for_entries(long_run, 1);
  BOOST_TEST(!d.agents().empty());
  auto viewer = d.view(long_run);
  BOOST_TEST(viewer.pump_until([&] { return viewer.events().size() == 1; }));
  d.kill9();
  BOOST_TEST(!d.agents().empty());
  d.restart();
  BOOST_TEST(d.status_of(long_run) == "running");
  expect_invariants(d, long_run);
  BOOST_TEST(d.stop() == 0);
  d.end_agents();
  BOOST_TEST(d.agents().empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test
