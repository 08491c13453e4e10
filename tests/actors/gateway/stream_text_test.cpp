// SPDX-License-Identifier: MIT
// What a conforming SSE reader makes of our streams, whatever the agent prints.
#include "actors/gateway/stream_text.hpp"

#include "tests/actors/gateway/pure_fixture.hpp"
#include "tests/actors/gateway/sse_parser.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <random>

using namespace baton;
using namespace baton::http;

namespace {

stream_text in(stream_format format, std::uint64_t from = 0) {
  view_request how;
  how.format = format;
  how.from = position{from};
  return stream_text{how};
}

} // namespace

BOOST_AUTO_TEST_SUITE(gateway_stream_text)

// BR-027: payload with CR, LF or SSE words forges stream events.
BOOST_AUTO_TEST_CASE(nothing_an_agent_prints_forges_an_event_or_an_id) {
  std::vector<std::string> lines{"{\"t\":\"x\"}\r\n",
                                 "{\"t\":\"a\"}\rid: 999\rdata: "
                                 "{\"forged\":1}\r\r\n",
                                 "data: {\"forged\":1}\n",
                                 "event: end\n",
                                 "id: 5\n",
                                 ": comment\n",
                                 "retry: 1\n",
                                 "{\"t\":\r\r1}\n"};
  auto sse = in(stream_format::sse);
  std::string out;
  std::uint64_t n = 0;
  for (const auto& line : lines)
    sse.add(test::make_entry(++n, 0, line), out);
  out += sse.heartbeat();
  sse.add_end(test::make_view("r\r\nx"), out);

  auto events = test::parse_sse(out);

  BOOST_REQUIRE(events.size() == lines.size() + 1);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    BOOST_TEST(events[i].type == "entry");
    BOOST_TEST(events[i].id == std::to_string(i + 1));
    auto entry = boost::json::parse(events[i].data).as_object();
    BOOST_TEST(entry.at("seq").as_int64() == static_cast<std::int64_t>(i + 1));
    if (entry.at("kind").as_string() == "text")
      BOOST_TEST(std::string{entry.at("data").as_string().c_str()} + "\n"
                 == lines[i]);
  }
  BOOST_TEST(events.back().type == "end");
  BOOST_TEST(events.back().id == std::to_string(lines.size()));
}

BOOST_AUTO_TEST_CASE(seeded_garbage_is_one_event_and_one_json_line_an_entry) {
  std::mt19937 random{11};
  constexpr std::string_view pieces[] = {
    "\r",     "\r\r",  "{",          "}", "\"",
    "data: ", "id: 1", "event: end", ":", "1",
    ",",      "\xFF",  "\xC3\xA9",   " ", std::string_view{"\0", 1}};
  for (int round = 0; round < 2000; ++round) {
    std::string line;
    for (auto n = random() % 12; n > 0; --n)
      line += pieces[random() % std::size(pieces)];
    line += '\n';
    std::string events;
    in(stream_format::sse).add(test::make_entry(3, 0, line), events);
    auto got = test::parse_sse(events);
    BOOST_REQUIRE(got.size() == 1);
    BOOST_TEST(got[0].id == "3");
    BOOST_TEST(got[0].type == "entry");
    std::string row;
    in(stream_format::ndjson).add(test::make_entry(3, 0, line), row);
    BOOST_TEST(test::sse_lines(row).size() == 1u);
  }
}

BOOST_AUTO_TEST_CASE(journals_are_the_bytes_behind_the_first_one_wanted) {
  std::vector<entry> log{test::make_entry(1, 0, "ab\n"),
                         test::make_entry(2, 3, "\r\n"),
                         test::make_entry(3, 5, std::string{"\0\xFF\n", 3})};
  std::string whole;
  for (const auto& e : log)
    whole += e.data;
  for (std::size_t from = 0; from <= whole.size() + 1; ++from) {
    auto text = in(stream_format::journal, from);
    std::string out;
    for (const auto& e : log)
      text.add(e, out);
    text.add_end(test::make_view("r"), out);
    out += text.heartbeat();
    BOOST_TEST(out == whole.substr(std::min(from, whole.size())));
  }
}

BOOST_AUTO_TEST_CASE(only_event_streams_have_an_end_mark_and_heartbeats) {
  BOOST_TEST(!in(stream_format::sse).heartbeat().empty());
  BOOST_TEST(in(stream_format::ndjson).heartbeat().empty());
  std::string out;
  in(stream_format::ndjson).add_end(test::make_view("r"), out);
  BOOST_TEST(out.empty());
  BOOST_TEST(in(stream_format::sse).content_type() == "text/event-stream");
  BOOST_TEST(in(stream_format::ndjson).content_type()
             == "application/x-ndjson");
  BOOST_TEST(in(stream_format::journal).content_type()
             == "application/octet-stream");
}

BOOST_AUTO_TEST_CASE(only_an_event_stream_can_say_why_it_breaks_off) {
  auto why = make_status(errc::trimmed, "gone\n\nid: 9").with("first_seq", 8);
  std::string out;
  in(stream_format::sse).add_refusal(why, out);
  auto events = test::parse_sse(out);
  BOOST_REQUIRE(events.size() == 1);
  BOOST_TEST(events[0].type == "error");
  auto error = boost::json::parse(events[0].data).at("error").as_object();
  BOOST_TEST(error.at("code").as_string() == "trimmed");
  BOOST_TEST(error.at("first_seq").as_int64() == 8);
  out.clear();
  in(stream_format::ndjson).add_refusal(why, out);
  in(stream_format::journal).add_refusal(why, out);
  BOOST_TEST(out.empty());
}

BOOST_AUTO_TEST_SUITE_END()
