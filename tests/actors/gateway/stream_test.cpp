// SPDX-License-Identifier: MIT
// Reading logs over real sockets: cursors, ends, and clients that vanish or do
// not read.
#include "tests/actors/gateway/node_fixture.hpp"
#include "tests/actors/gateway/sse_parser.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <filesystem>

using namespace baton;
using namespace baton::http::test;

namespace {

std::size_t event_count(const std::string& text) {
  return parse_sse(text).size();
}

auto until_events(std::size_t n) {
  return [n](const std::string& text) { return event_count(text) >= n; };
}

std::string numbered(int from, int to) {
  std::string out;
  for (int i = from; i <= to; ++i)
    out += "{\"n\":" + std::to_string(i) + "}\n";
  return out;
}

std::size_t descriptors() {
  namespace fs = std::filesystem;
  return static_cast<std::size_t>(std::distance(
    fs::directory_iterator{"/proc/self/fd"}, fs::directory_iterator{}));
}

struct stream_fixture : node_fixture {
  using node_fixture::node_fixture;

  std::vector<sse_event> events(const std::string& query,
                                const std::string& headers = {},
                                std::size_t stop_at = SIZE_MAX) {
    client c{port()};
    c.send(request("GET", "/v1/runs/x/events" + query, {},
                   "Accept: text/event-stream\r\n" + headers));
    auto r = c.read(until_events(stop_at));
    BOOST_TEST(r.status == 200);
    return parse_sse(r.body);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(gateway_stream, stream_fixture)

// BR-020: resume repeats the event that the cursor names.
BOOST_AUTO_TEST_CASE(from_every_cursor_exactly_what_follows_then_the_end) {
  start_run("x");
  append("x", numbered(1, 5), 1);
  for (int live = 1; live >= 0; --live) {
    for (int k = 0; k < 5; ++k) {
      auto cursor = std::to_string(k);
      auto wanted = static_cast<std::size_t>(5 - k + (live ? 0 : 1));
      for (auto [query, header] :
           {std::pair{"?from=" + cursor, std::string{}},
            std::pair{std::string{}, "Last-Event-ID: " + cursor + "\r\n"},
            std::pair{std::string{"?from=4"},
                      "Last-Event-ID: " + cursor + "\r\n"}}) {
        auto got = events(query, header, wanted);
        BOOST_REQUIRE(got.size() == wanted);
        BOOST_TEST(got.front().id == std::to_string(k + 1));
        BOOST_TEST(got.back().type == (live ? "entry" : "end"));
      }
    }
    if (live)
      BOOST_TEST(finish("x").status == 200);
  }
  auto end = events("?from=5");
  BOOST_REQUIRE(end.size() == 1);
  BOOST_TEST(end[0].type == "end");
  BOOST_TEST(end[0].data.find(R"("status":"completed")") != std::string::npos);
  BOOST_TEST(events("?from=5&live=0").size() == 1u);
}

// BR-021: cursor that is garbage, empty, or in the future.
BOOST_AUTO_TEST_CASE(garbage_cursors_are_400_and_future_ones_wait) {
  start_run("x");
  append("x", numbered(1, 2), 1);
  for (bool ended : {false, true}) {
    for (std::string bad :
         {"-2", "abc", "1e3", "0x10", "99999999999999999999", "%00"}) {
      BOOST_TEST(ask("GET", "/v1/runs/x/events?from=" + bad).status == 400);
      BOOST_TEST(ask("GET", "/v1/runs/x/journal?from=" + bad).status == 400);
      BOOST_TEST(
        ask("GET", "/v1/runs/x/events", "", "Last-Event-ID: " + bad + "\r\n")
          .status
        == 400);
    }
    BOOST_TEST(
      ask("GET", "/v1/runs/x/events?from=" + std::string(8192, '9')).status
      == 400);
    auto all = events("?live=0&from=1", "Last-Event-ID:\r\n");
    BOOST_TEST(all.size() == (ended ? 5u : 2u));
    if (!ended) {
      BOOST_TEST(events("?live=0&from=7").empty());
      client c{port()};
      c.send(request("GET", "/v1/runs/x/events?from=3&live=1"));
      BOOST_REQUIRE(
        holds_soon([&] { return metric("baton_http_streams_open") == 1; }));
      append("x", numbered(3, 4), 3);
      auto r = c.read(until_events(1));
      BOOST_TEST(parse_sse(r.body).at(0).id == "4");
      finish("x");
    } else {
      BOOST_TEST(events("?from=99").size() == 1u);
    }
  }
}

// BR-018: gap at the replay-to-live hand-off.
BOOST_AUTO_TEST_CASE(a_live_reader_gets_what_comes_and_the_end_once) {
  start_run("x");
  append("x", numbered(1, 3), 1);
  std::vector<client> readers;
  for (int i = 0; i < 8; ++i) {
    readers.emplace_back(port());
    readers.back().send(
      request("GET", "/v1/runs/x/events?live=1&from=" + std::to_string(i)));
    append("x", numbered(4 + i, 4 + i), static_cast<std::uint64_t>(4 + i));
  }
  finish("x");
  for (int i = 0; i < 8; ++i) {
    auto r = readers[static_cast<std::size_t>(i)].read();
    BOOST_TEST(r.whole, "reader " << i << " got " << r.body);
    auto got = parse_sse(r.body);
    BOOST_REQUIRE(got.size() == static_cast<std::size_t>(11 - i + 1));
    for (std::size_t k = 0; k + 1 < got.size(); ++k)
      BOOST_TEST(got[k].id
                 == std::to_string(static_cast<std::size_t>(i) + k + 1));
    BOOST_TEST(got.back().type == "end");
  }
}

// BR-027, end to end; BR-055.
BOOST_AUTO_TEST_CASE(every_form_gives_the_bytes_that_went_in) {
  std::string bytes{"{\"n\":12345678901234567890}\n{\"t\":1}\r\nevent: end\n"
                    "\xFF\xFE\nlast\0"};
  bytes.push_back('\0');
  bytes += "tail";
  start_run("x");
  append("x", bytes, 1);
  finish("x");
  for (std::size_t from = 0; from <= bytes.size() + 1; ++from)
    for (std::string live : {"&live=0", "&live=1"}) {
      auto r =
        ask("GET", "/v1/runs/x/journal?from=" + std::to_string(from) + live);
      BOOST_TEST(r.whole);
      BOOST_TEST(r.body == bytes.substr(std::min(from, bytes.size())));
    }
  auto rows =
    ask("GET", "/v1/runs/x/events", "", "Accept: application/x-ndjson\r\n");
  BOOST_TEST(rows.headers["content-type"] == "application/x-ndjson");
  auto lines = sse_lines(rows.body);
  BOOST_REQUIRE(lines.size() == 5);
  BOOST_TEST(lines[0].find(R"("data":{"n":12345678901234567890}})")
             != std::string::npos);
  BOOST_TEST(lines[3].find(R"("kind":"bytes","data":"//4=")")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(stored_reads_keep_the_connection_live_ones_close_it) {
  start_run("x");
  append("x", numbered(1, 3000), 1);
  finish("x");
  client c{port()};
  c.send(request("GET", "/v1/runs/x/journal") + request("GET", "/livez"));
  BOOST_TEST(c.read().body == numbered(1, 3000));
  BOOST_TEST(c.read().body == "ok\n");
  client live{port()};
  live.send(request("GET", "/v1/runs/x/journal?live=1"));
  auto r = live.read();
  BOOST_TEST(r.body == numbered(1, 3000));
  BOOST_TEST(r.headers["connection"] == "close");
  BOOST_TEST(live.sees_end(std::chrono::seconds{5}));
  client old{port()};
  old.send("GET /v1/runs/x/journal HTTP/1.0\r\n\r\n");
  auto plain = old.read();
  BOOST_TEST(plain.headers.count("transfer-encoding") == 0u);
  BOOST_TEST(plain.body == numbered(1, 3000));
}

BOOST_AUTO_TEST_CASE(a_reader_that_disappears_is_no_viewer_within_5_s) {
  start_run("x");
  append("x", "a\n", 1);
  auto viewers = [&](int n) {
    return holds_soon(
      [&] {
        auto record = boost::json::parse(ask("GET", "/v1/runs/x").body);
        return record.at("viewers").as_int64() == n;
      },
      std::chrono::seconds{5});
  };
  for (int way = 0; way < 3; ++way) {
    client c{port()};
    c.send(request("GET", "/v1/runs/x/events"));
    c.read(until_events(1));
    BOOST_TEST(viewers(1));
    if (way == 0)
      c.close();
    else if (way == 1)
      c.abort();
    else
      c.shut_down_sending();
    BOOST_TEST(viewers(0), "way " << way);
  }
}

BOOST_AUTO_TEST_CASE(a_removed_run_ends_its_readers_streams) {
  start_run("x");
  append("x", "a\n", 1);
  client c{port()};
  c.send(request("GET", "/v1/runs/x/events"));
  c.read(until_events(1));
  finish("x");
  BOOST_TEST(ask("DELETE", "/v1/runs/x").status == 200);
  BOOST_TEST(c.sees_end(std::chrono::seconds{10}));
}

// BR-037: 1,000 quick connect-and-drop cycles.
BOOST_AUTO_TEST_CASE(descriptors_and_streams_return_after_1000_drops) {
  start_run("x");
  append("x", numbered(1, 10), 1);
  auto before = descriptors();
  for (int i = 0; i < 1000; ++i) {
    client c{port()};
    if (i % 3 != 0)
      c.send(request("GET", "/v1/runs/x/events"));
    if (i % 3 == 2)
      c.read(until_events(1));
    if (i % 2 == 0)
      c.abort();
  }
  BOOST_TEST(holds_soon([&] {
    return metric("baton_http_streams_open") == 0 && descriptors() <= before;
  }));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(gateway_slow_readers)

BOOST_AUTO_TEST_CASE(an_idle_event_stream_shows_life) {
  gateway_options options;
  options.heartbeat = std::chrono::milliseconds{20};
  stream_fixture node{options};
  node.start_run("x");
  client c{node.port()};
  c.send(request("GET", "/v1/runs/x/events"));
  auto r = c.read([](const std::string& text) {
    return std::count(text.begin(), text.end(), ':') >= 3;
  });
  BOOST_TEST(r.body.find(": ") == 0u);
  BOOST_TEST(parse_sse(r.body).empty());
}

// BR-037: client that stops reading makes the server buffer without bound.
BOOST_AUTO_TEST_CASE(readers_that_do_not_read_cost_a_page_and_are_dropped) {
  gateway_options options;
  options.stuck_timeout = std::chrono::milliseconds{3000};
  stream_fixture node{options};
  node.start_run("x");
  std::string block;
  for (int i = 0; i < 1000; ++i)
    block += std::string(999, 'x') + "\n";
  std::vector<client> stuck;
  for (int i = 0; i < 20; ++i) {
    stuck.emplace_back(node.port(), 4096);
    stuck.back().send(request("GET", "/v1/runs/x/events"));
  }
  client good{node.port()};
  good.send(request("GET", "/v1/runs/x/journal?live=1"));
  for (std::uint64_t i = 0; i < 20; ++i)
    BOOST_REQUIRE(node.append("x", block, i * 1000 + 1).status == 200);
  node.finish("x");
  auto r = good.read();
  BOOST_TEST(r.whole);
  BOOST_TEST(r.body.size() == 20'000'000u);
  BOOST_TEST(holds_soon([&] {
    return node.metric("baton_http_readers_dropped_total") == 20
           && node.metric("baton_http_streams_open") == 0;
  }));
}

BOOST_AUTO_TEST_SUITE_END()
