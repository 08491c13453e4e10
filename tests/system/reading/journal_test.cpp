// SPDX-License-Identifier: MIT
// Goal: the journal read from byte B is the output without its first B bytes,
// whether the run goes on or has ended (I3).
// Method: every byte of a small journal with odd lines in it.
#include "tests/support/agents.hpp"
#include "tests/support/run_log.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>

namespace baton::test {
namespace {

void expect_from_every_byte(const daemon& d, const std::string& run,
                            const std::string& bytes, const std::string& live) {
  for (std::size_t from = 0; from <= bytes.size() + 2; ++from)
    BOOST_TEST_CONTEXT("from " << from << live) {
      auto got = d.get(
        daemon::path(run, "/journal?from=" + std::to_string(from) + live));
      BOOST_TEST(got.status == 200);
      BOOST_TEST(got.whole);
      BOOST_TEST(got.body == bytes.substr(std::min(from, bytes.size())));
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(system_journal_reading)

BOOST_AUTO_TEST_CASE(from_any_byte_the_journal_is_the_rest) {
  daemon d;
  d.start();
  std::string first{"{\"a\":1}\n\n\r\n\xff\xfe\nlong enough to be cut\n"};
  auto run = d.create(print_bytes(d, "first", first)
                      + wait_for_file(d.file("go")) + "printf tail");
  d.wait_for_entries(run, 5);
  expect_from_every_byte(d, run, first, "");
  write_file(d.file("go"), "");
  d.wait_for_end(run);
  for (auto* live : {"", "&live=1"})
    expect_from_every_byte(d, run, first + "tail", live);
}

BOOST_AUTO_TEST_CASE(every_route_shows_the_same_record_of_an_ended_run) {
  daemon d;
  d.start();
  auto run = d.create("echo hi");
  d.wait_for_end(run);
  BOOST_TEST(wait_until(
    [&] { return d.record(run).at("sandbox").at("state") == "gone"; }));
  const json::value record(d.record(run));
  for (auto* list : {"/v1/runs", "/v1/runs?status=completed"}) {
    auto runs = json::parse(d.get(list).body).at("runs").as_array();
    BOOST_REQUIRE(runs.size() == 1u);
    BOOST_TEST(runs[0] == record, list);
  }
  for (auto* query : {"", "?live=0"}) {
    auto viewer = d.view(run, query);
    BOOST_TEST(viewer.pump_to_end(10s));
    BOOST_REQUIRE(!viewer.events().empty());
    const auto& end = viewer.events().back();
    BOOST_TEST(end.type == "end");
    auto told = json::parse(end.data);
    BOOST_TEST(told.at("sandbox") == record.at("sandbox"), query);
  }
}

// B11.
BOOST_AUTO_TEST_CASE(a_journal_that_never_comes_is_504_and_of_the_dead_410) {
  daemon d;
  d.start();
  auto run = d.create("echo never", {{"node", "nobody"}});
  auto late = d.get(daemon::path(run, "/journal"));
  BOOST_TEST(late.status == 504);
  BOOST_TEST(late.body.find("\"journal_timeout\"") != std::string::npos);
  BOOST_TEST(late.body.find("\"detached\":true") != std::string::npos);

  // Who waits watches, and hears of the end.
  auto waiting = d.start_cli({"attach", "--raw", run});
  BOOST_TEST(wait_until([&] { return d.record(run).at("viewers") == 1; }));
  BOOST_TEST(d.request("POST", daemon::path(run, "/cancel")).status == 202);
  auto watched = waiting->wait();
  BOOST_TEST(watched.exit == 0);
  BOOST_TEST(watched.out.empty());
  for (auto* live : {"", "?live=1"}) {
    auto gone = d.get(daemon::path(run, "/journal") + live);
    BOOST_TEST(gone.status == 410);
    BOOST_TEST(gone.body.find("never had a journal") != std::string::npos);
  }
  auto told = d.cli({"logs", "--raw", run});
  BOOST_TEST(told.exit == 1);
  BOOST_TEST(told.err.find("before it was launched") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test
