// SPDX-License-Identifier: MIT
// Cursors and formats of viewing, exhaustively; the search for a byte.
#include "actors/gateway/view_request.hpp"

#include "tests/actors/gateway/pure_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::http;

BOOST_AUTO_TEST_SUITE(gateway_view_request)

BOOST_AUTO_TEST_CASE(format_and_liveness_follow_accept_and_live) {
  struct {
    std::string_view accept;
    std::string_view live;
    stream_format format;
    bool is_live;
  } const table[] = {
    {"", "", stream_format::sse, true},
    {"", "1", stream_format::sse, true},
    {"", "0", stream_format::ndjson, false},
    {"*/*", "0", stream_format::ndjson, false},
    {"text/event-stream", "", stream_format::sse, true},
    {"text/event-stream", "0", stream_format::sse, false},
    {"Text/Event-Stream, */*", "1", stream_format::sse, true},
    {"application/x-ndjson", "", stream_format::ndjson, false},
    {"application/x-ndjson", "1", stream_format::ndjson, true},
    {"application/x-ndjson", "0", stream_format::ndjson, false},
  };
  for (const auto& row : table) {
    query params;
    if (!row.live.empty())
      params.emplace_back("live", row.live);
    auto got = parse_events(params, row.accept, std::nullopt);
    BOOST_REQUIRE(got.ok());
    BOOST_TEST((got->format == row.format), row.accept << " " << row.live);
    BOOST_TEST(got->live == row.is_live, row.accept << " " << row.live);
  }
  BOOST_TEST(!parse_journal({})->live);
  BOOST_TEST(parse_journal({{"live", "1"}})->live);
  for (auto live : {"", "2", "true", "yes"})
    BOOST_TEST(!parse_events({{"live", live}}, "", std::nullopt).ok());
}

BOOST_AUTO_TEST_CASE(the_header_wins_over_the_query_and_empty_is_the_start) {
  query from{{"from", "3"}};
  BOOST_TEST(parse_events({}, "", std::nullopt)->after.value == 0u);
  BOOST_TEST(parse_events(from, "", std::nullopt)->after.value == 3u);
  BOOST_TEST(parse_events(from, "", "5")->after.value == 5u);
  BOOST_TEST(parse_events(from, "", "")->after.value == 0u);
  BOOST_TEST(parse_journal(from)->from.value == 3u);
}

BOOST_AUTO_TEST_CASE(garbage_cursors_are_malformed_wherever_they_stand) {
  for (std::string text : {"-2", "abc", "1e3", "0x10", "99999999999999999999",
                           "1 ", "\xEF\xBC\x91"}) {
    BOOST_TEST(!parse_events({}, "", text).ok(), text);
    BOOST_TEST(!parse_events({{"from", text}}, "", std::nullopt).ok(), text);
    BOOST_TEST(!parse_journal({{"from", text}}).ok(), text);
  }
  BOOST_TEST(!parse_events({}, "", std::string(1, '\0')).ok());
  BOOST_TEST(!parse_events({}, "", std::string(8192, '9')).ok());
  BOOST_TEST(!parse_events({{"from", ""}}, "", std::nullopt).ok());
  BOOST_TEST(!parse_events({{"form", "1"}}, "", std::nullopt).ok());
}

BOOST_AUTO_TEST_CASE(every_byte_of_every_small_log_is_found) {
  // Logs of n entries whose lengths cycle through 1, 2, 3.
  for (std::uint64_t n = 0; n <= 12; ++n) {
    std::vector<entry> log;
    std::uint64_t end = 0;
    for (std::uint64_t i = 1; i <= n; ++i) {
      log.push_back(test::make_entry(i, end, std::string(i % 3 + 1, 'x')));
      end = log.back().end.value;
    }
    for (std::uint64_t from = 0; from <= end + 2; ++from) {
      journal_seek search{position{from}, seq{n}};
      int probes = 0;
      while (auto at = search.probe()) {
        BOOST_REQUIRE(at->value >= 1 && at->value <= n);
        BOOST_REQUIRE(++probes <= 5);
        search.see(log[at->value - 1]);
      }
      std::uint64_t wanted = 0;
      while (wanted < n && log[wanted].end.value <= from)
        ++wanted;
      BOOST_TEST(search.after().value == wanted, n << " entries, " << from);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_byte_before_the_cut_is_told_from_one_behind_it) {
  for (std::uint64_t n = 1; n <= 6; ++n) {
    std::vector<entry> log;
    std::uint64_t end = 0;
    for (std::uint64_t i = 1; i <= n; ++i) {
      log.push_back(test::make_entry(i, end, std::string(i % 3 + 1, 'x')));
      end = log.back().end.value;
    }
    for (std::uint64_t cut = 0; cut <= n; ++cut)
      for (std::uint64_t from = 0; from <= end + 2; ++from) {
        journal_seek search{position{from}, seq{n}, seq{cut}};
        while (auto at = search.probe()) {
          BOOST_REQUIRE(at->value > cut && at->value <= n);
          search.see(log[at->value - 1]);
        }
        auto left_from = cut == 0 ? 0 : log[cut - 1].end.value;
        auto is_gone = from < end && from < left_from;
        auto wanted = cut;
        while (wanted < n && log[wanted].end.value <= from)
          ++wanted;
        BOOST_TEST(search.after().value == wanted);
        // At the end of an emptied log nobody can be before the cut.
        BOOST_TEST((search.is_before_the_cut() && from < end) == is_gone,
                   n << " entries, cut " << cut << ", byte " << from);
      }
  }
}

BOOST_AUTO_TEST_SUITE_END()
