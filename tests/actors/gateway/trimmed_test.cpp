// SPDX-License-Identifier: MIT
// Readers of a log whose beginning was removed: a cursor before the cut is
// 410 and told where to go on; what is left is served as ever.
#include "tests/actors/gateway/node_fixture.hpp"
#include "tests/actors/gateway/sse_parser.hpp"

#include "storage/fencing.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::http::test;

namespace {

struct trimmed_fixture : node_fixture {
  /// A run of `lines` that has ended.
  void make(const std::string& lines) {
    start_run("x");
    BOOST_REQUIRE(append("x", lines, 1).status == 200);
    BOOST_REQUIRE(finish("x").status == 200);
  }

  void trim(std::uint64_t before) {
    auto run = store().load(run_id{"x"}).value();
    auto change = storage::decide_trim(run, seq{before}).value().value();
    auto done = store().commit_all({&change, 1}).value();
    BOOST_REQUIRE(done.front().code == errc::none);
  }

  void check_gone(const reply& r, std::uint64_t first) {
    BOOST_TEST(r.status == 410);
    auto error = boost::json::parse(r.body).at("error").as_object();
    BOOST_TEST(error.at("code").as_string() == "trimmed");
    BOOST_TEST(error.at("first_seq").to_number<std::uint64_t>() == first);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(gateway_trimmed, trimmed_fixture)

BOOST_AUTO_TEST_CASE(a_cursor_before_the_cut_is_410_in_every_form) {
  make("1\n22\n333\n4444\n");
  trim(3);
  for (std::string live : {"0", "1"})
    for (std::string form : {"text/event-stream", "application/x-ndjson"})
      for (std::string from : {"0", "1"}) {
        auto path = "/v1/runs/x/events?live=" + live + "&from=" + from;
        check_gone(ask("GET", path, {}, "Accept: " + form + "\r\n"), 3);
      }
  check_gone(ask("GET", "/v1/runs/x/events", {}, "Last-Event-ID: 1\r\n"), 3);
  for (std::string live : {"0", "1"})
    for (std::string from : {"0", "1", "4"})
      check_gone(
        ask("GET", "/v1/runs/x/journal?live=" + live + "&from=" + from), 3);
}

BOOST_AUTO_TEST_CASE(what_is_left_is_served_as_ever) {
  make("1\n22\n333\n4444\n");
  trim(3);
  for (std::string live : {"0", "1"}) {
    client c{port()};
    c.send(request("GET", "/v1/runs/x/events?from=2&live=" + live, {},
                   "Accept: text/event-stream\r\n"));
    auto events = parse_sse(c.read().body);
    BOOST_REQUIRE(events.size() == 3U);
    BOOST_TEST(events[0].id == "3");
    BOOST_TEST(events[2].type == "end");
  }
  BOOST_TEST(ask("GET", "/v1/runs/x/journal?from=5").body == "333\n4444\n");
  BOOST_TEST(ask("GET", "/v1/runs/x/journal?from=7").body == "3\n4444\n");
  BOOST_TEST(ask("GET", "/v1/runs/x/journal?from=10").body == "444\n");
  auto record = boost::json::parse(ask("GET", "/v1/runs/x").body).as_object();
  BOOST_TEST(record.at("trimmed").to_number<int>() == 2);
  BOOST_TEST(record.at("entries").to_number<int>() == 4);
}

BOOST_AUTO_TEST_CASE(an_emptied_log_has_only_its_end) {
  make("1\n22\n");
  trim(3);
  check_gone(ask("GET", "/v1/runs/x/events?from=1&live=0"), 3);
  check_gone(ask("GET", "/v1/runs/x/journal?from=4"), 3);
  auto journal = ask("GET", "/v1/runs/x/journal?from=5");
  BOOST_TEST(journal.status == 200);
  BOOST_TEST(journal.body.empty());
  client c{port()};
  c.send(request("GET", "/v1/runs/x/events?from=2", {},
                 "Accept: text/event-stream\r\n"));
  auto events = parse_sse(c.read().body);
  BOOST_REQUIRE(events.size() == 1U);
  BOOST_TEST(events[0].type == "end");
}

BOOST_AUTO_TEST_CASE(a_live_stream_that_the_cut_overtakes_is_told_and_ends) {
  // More than the sockets between us take: the server has to wait for us.
  std::string lines;
  for (int i = 0; i < 12'000; ++i)
    lines += std::string(1000, 'x') + "\n";
  make(lines);
  for (bool is_sse : {true, false}) {
    std::string form = is_sse ? "text/event-stream" : "application/x-ndjson";
    std::string from = is_sse ? "0" : "6000";
    client c{port(), 4096};
    c.send(request("GET", "/v1/runs/x/events?live=1&from=" + from, {},
                   "Accept: " + form + "\r\n"));
    bool has_begun = false;
    auto stop_at_once = [&](const std::string& body) {
      has_begun |= !body.empty();
      return has_begun;
    };
    BOOST_TEST(c.read(stop_at_once).status == 200);
    trim(is_sse ? 6001 : 12'001);
    BOOST_TEST(c.sees_end(std::chrono::seconds{20}));
  }
}

BOOST_AUTO_TEST_SUITE_END()
