// SPDX-License-Identifier: MIT
// Goal: from cursor c a viewer sees exactly c+1, c+2, ... and then one end (I8;
// field cases BR-015, BR-018, BR-020, BR-021). Method: many bare-socket viewers
// of a whole daemon.
#include "tests/support/agents.hpp"
#include "tests/support/run_log.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <poll.h>

#include <deque>
#include <random>

namespace baton::test {
namespace {

using clock = std::chrono::steady_clock;

std::string last_event_id(const std::string& id) {
  return "Last-Event-ID: " + id + "\r\n";
}

struct timed_viewer {
  event_stream stream;
  std::int64_t cursor;
  clock::time_point until;
};

/// One unbroken rise from just behind the cursor.
bool rises(const timed_viewer& v) {
  auto expected = v.cursor;
  for (const auto& x : v.stream.events()) {
    auto entry = parse_entry(x.data);
    ++expected;
    if (x.type != "entry" || x.id != std::to_string(expected)
        || entry.seq != expected || entry.data_text != counted(expected - 1))
      return false;
  }
  return true;
}

} // namespace

BOOST_AUTO_TEST_SUITE(system_cursors)

// BR-015.
BOOST_AUTO_TEST_CASE(a_reader_at_the_head_gets_the_last_line_and_then_one_end) {
  daemon d;
  d.start();
  std::mt19937 pause{20260701};
  int right = 0;
  for (int round = 0; round < 10; ++round) {
    std::vector<event_stream> viewers;
    for (int i = 0; i < 20; ++i)
      viewers.push_back(d.view(
        d.create("exec perl -e 'select(undef,undef,undef,"
                 + std::to_string(1 + pause() % 50)
                 + "/1000); syswrite(STDOUT, \"{\\\"final\\\":1}\\n\")'")));
    for (auto& v : viewers) {
      BOOST_TEST(v.pump_to_end());
      const auto& seen = v.events();
      if (v.whole() && seen.size() == 2 && seen[0].type == "entry"
          && parse_entry(seen[0].data).data_text == "{\"final\":1}"
          && seen[1].type == "end")
        ++right;
    }
  }
  BOOST_TEST(right == 200);
}

// BR-018.
BOOST_AUTO_TEST_CASE(two_hundred_streams_opened_at_any_time_miss_nothing) {
  daemon d;
  d.start();
  auto run = d.create(counter(10'000'000, 1, d.file("stop")));
  d.wait_for_entries(run, 50);
  std::mt19937 random{18};
  std::deque<timed_viewer> open;
  std::size_t events = 0;
  int opened = 0;
  int right = 0;
  int done = 0;
  auto next_open = clock::now();
  while (done < 200) {
    if (opened < 200 && clock::now() >= next_open) {
      auto head = d.record(run).at("entries").to_number<std::int64_t>();
      std::int64_t cursor = opened % 3 == 0   ? 0
                            : opened % 3 == 1 ? random() % head
                                              : head;
      auto query = "?from=" + std::to_string(cursor);
      open.push_back({d.view(run, query), cursor, clock::now() + 2s});
      ++opened;
      next_open = clock::now() + millis{random() % 60};
    }
    for (auto& v : open)
      v.stream.pump(0ms);
    // Longer where the machine is busy: every stream sees something.
    while (!open.empty() && clock::now() > open.front().until
           && (!open.front().stream.events().empty()
               || clock::now() > open.front().until + 20s)) {
      auto& v = open.front();
      events += v.stream.events().size();
      right += rises(v) && v.stream.status() == 200 ? 1 : 0;
      BOOST_TEST(!v.stream.events().empty());
      ++done;
      open.pop_front();
    }
    ::poll(nullptr, 0, 1);
  }
  BOOST_TEST(right == 200);
  BOOST_TEST(events > 20'000u);
  write_file(d.file("stop"), "");
  d.wait_for_end(run);
  expect_invariants(d, run);
}

// BR-020.
BOOST_AUTO_TEST_CASE(a_cursor_names_what_was_seen_not_what_comes_next) {
  daemon d;
  d.start();
  auto five = std::string{"for n in 1 2 3 4 5; do echo $n; done; "};
  auto ended = d.create(five);
  d.wait_for_end(ended);
  auto live = d.create(five + wait_for_file(d.file("go")) + "echo 6");
  d.wait_for_entries(live, 5);
  for (int k = 1; k <= 5; ++k) {
    auto id = std::to_string(k);
    auto first_id = std::to_string(k + 1);
    std::vector<event_stream> streams;
    for (const auto& run : {ended, live}) {
      streams.push_back(d.view(run, "", last_event_id(id)));
      streams.push_back(d.view(run, "?from=" + id));
      // The header wins: it is what a browser knows that it has seen.
      streams.push_back(d.view(run, "?from=2", last_event_id(id)));
    }
    for (auto& s : streams) {
      auto is_live = &s - streams.data() >= 3;
      if (k < 5) {
        BOOST_TEST(s.pump_until([&] { return !s.events().empty(); }));
        BOOST_TEST(s.events()[0].id == first_id);
      } else if (!is_live) {
        BOOST_TEST(s.pump_to_end(2s));
        BOOST_TEST_REQUIRE(s.events().size() == 1u);
        BOOST_TEST(s.events()[0].type == "end");
      } else {
        BOOST_TEST(!s.pump_until([&] { return !s.events().empty(); }, 200ms));
        BOOST_TEST(!s.ended());
      }
    }
    if (k < 5)
      continue;
    write_file(d.file("go"), "");
    for (auto& s : streams) {
      if (&s - streams.data() < 3)
        continue;
      BOOST_TEST(s.pump_to_end());
      BOOST_TEST_REQUIRE(s.events().size() == 2u);
      BOOST_TEST(s.events()[0].id == "6");
      BOOST_TEST(s.events()[1].type == "end");
    }
  }
}

// BR-021.
BOOST_AUTO_TEST_CASE(a_cursor_that_is_no_number_is_refused_at_once) {
  daemon d;
  d.start();
  auto ended = d.create("echo 1; echo 2");
  d.wait_for_end(ended);
  auto live = d.create("echo 1; echo 2; sleep 600");
  d.wait_for_entries(live, 2);
  for (const auto& run : {ended, live})
    for (std::string cursor :
         {std::string{"-2"}, std::string{"abc"}, std::string{"1e3"},
          std::string{"0x10"}, std::string{"99999999999999999999"},
          std::string{"%00"}, std::string{"+1"}, std::string{"1%20"},
          std::string{"1.0"}, std::string{"%31x"}, std::string(8192, '9')})
      BOOST_TEST_CONTEXT(cursor.substr(0, 30)) {
        auto by_query = d.view(run, "?from=" + cursor);
        by_query.pump_until([&] { return by_query.status() != 0; }, 2s);
        BOOST_TEST(by_query.status() / 100 == 4);
        if (cursor.find('%') != cursor.npos)
          continue;
        auto by_header = d.view(run, "", last_event_id(cursor));
        by_header.pump_until([&] { return by_header.status() != 0; }, 2s);
        BOOST_TEST(by_header.status() / 100 == 4);
      }
  for (const auto& run : {ended, live}) {
    auto empty = d.view(run, "", "Last-Event-ID: \r\n");
    BOOST_TEST(empty.pump_until([&] { return empty.events().size() >= 2; }));
    BOOST_TEST(empty.events()[0].id == "1");
  }
  BOOST_TEST(d.get("/readyz").status == 200);
}

// BR-021: the contract lets a cursor beyond the end wait, or say the end.
BOOST_AUTO_TEST_CASE(a_cursor_beyond_the_end_gets_nothing_old) {
  daemon d;
  d.start();
  auto ended = d.create("echo 1; echo 2");
  d.wait_for_end(ended);
  auto live =
    d.create("echo 1; echo 2; " + wait_for_file(d.file("go")) + "echo 3");
  d.wait_for_entries(live, 2);
  auto of_ended = d.view(ended, "?from=900");
  BOOST_TEST(of_ended.pump_to_end(2s));
  BOOST_TEST_REQUIRE(of_ended.events().size() == 1u);
  BOOST_TEST(of_ended.events()[0].type == "end");
  auto of_live = d.view(live, "?from=900");
  BOOST_TEST(
    !of_live.pump_until([&] { return !of_live.events().empty(); }, 500ms));
  BOOST_TEST(of_live.status() == 200);
  auto once = d.get(daemon::path(live, "/events?from=900&live=0"),
                    "Accept: application/x-ndjson\r\n");
  BOOST_TEST(once.status == 200);
  BOOST_TEST(once.body.empty());
  write_file(d.file("go"), "");
  BOOST_TEST(of_live.pump_to_end());
  BOOST_TEST_REQUIRE(of_live.events().size() == 1u);
  BOOST_TEST(of_live.events()[0].type == "end");
}

BOOST_AUTO_TEST_CASE(the_end_tells_what_became_of_the_sandbox) {
  daemon d;
  d.start();
  auto run = d.create("echo 1");
  d.wait_for_end(run);
  auto state_in = [](const json::object& record) {
    return record.at("sandbox").at("state").as_string() == "gone";
  };
  BOOST_TEST_REQUIRE(wait_until([&] { return state_in(d.record(run)); }));
  auto seen = d.view(run);
  BOOST_TEST(seen.pump_to_end());
  BOOST_TEST_REQUIRE(seen.events().size() == 2u);
  BOOST_TEST(state_in(json::parse(seen.events()[1].data).as_object()));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test
