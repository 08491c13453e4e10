// SPDX-License-Identifier: MIT
// Goal: exactly the remainder of a replay is appended, or an error says where
// log and replay part (C5).
// Method: small logs exhaustively by length, each kind of mismatch once.
#include "messages/entry_alignment.hpp"

#include "tests/messages/seeded.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using baton::test::seeded;
using action = entry_alignment::action;

namespace {

entry_fingerprint entry(int n, const std::string& thread = "t") {
  return fingerprint_of("{\"type\":\"TEXT\",\"threadId\":\"" + thread
                        + "\",\"n\":" + std::to_string(n) + "}");
}

entry_fingerprint custom(int n) {
  return fingerprint_of("{\"type\":\"CUSTOM\",\"n\":" + std::to_string(n)
                        + "}");
}

std::string detail(const status& why, const std::string& name) {
  for (const auto& x : why.details)
    if (x.name == name) {
      if (auto* number = std::get_if<std::uint64_t>(&x.value))
        return std::to_string(*number);
      return std::get<std::string>(x.value);
    }
  return "(absent)";
}

std::vector<entry_fingerprint> customs(std::size_t n) {
  std::vector<entry_fingerprint> out;
  for (std::size_t i = 0; i < n; ++i)
    out.push_back(custom(static_cast<int>(i)));
  return out;
}

} // namespace

BOOST_AUTO_TEST_SUITE(messages_entry_alignment)

BOOST_AUTO_TEST_CASE(every_prefix_is_suppressed_and_the_rest_appended) {
  for (int stored = 0; stored <= 6; ++stored) {
    std::vector<entry_fingerprint> log;
    for (int i = 0; i < stored; ++i)
      log.push_back(entry(i));
    entry_alignment align{log};
    for (int i = 0; i < 6; ++i)
      BOOST_REQUIRE((align.next(entry(i)).value()
                     == (i < stored ? action::suppress : action::append)));
    BOOST_TEST(align.finish().ok());
  }
}

BOOST_AUTO_TEST_CASE(equal_entries_in_a_row_are_counted_not_merged) {
  entry_alignment align{{entry(1), entry(1)}};

  BOOST_TEST((align.next(entry(1)).value() == action::suppress));
  BOOST_TEST((align.next(entry(1)).value() == action::suppress));
  BOOST_TEST((align.next(entry(1)).value() == action::append));
}

BOOST_AUTO_TEST_CASE(a_mismatch_names_the_index_and_both_and_stays) {
  entry_alignment align{{entry(0), entry(1)}};
  BOOST_REQUIRE(align.next(entry(0)).ok());

  auto got = align.next(entry(7));

  BOOST_TEST_REQUIRE(!got.ok());
  BOOST_TEST(to_string(got.error().code) == "mismatch");
  BOOST_TEST(detail(got.error(), "difference") == "content");
  BOOST_TEST(detail(got.error(), "index") == "1");
  BOOST_TEST(detail(got.error(), "stored") == entry(1).whole);
  BOOST_TEST(detail(got.error(), "replayed") == entry(7).whole);
  BOOST_TEST(!align.next(entry(1)).ok());
  BOOST_TEST(!align.finish().ok());
}

BOOST_AUTO_TEST_CASE(a_replay_of_another_thread_is_told_as_such) {
  entry_alignment align{{entry(0, "t1")}};

  auto got = align.next(entry(0, "t2"));

  BOOST_TEST_REQUIRE(!got.ok());
  BOOST_TEST(detail(got.error(), "difference") == "thread_id");
}

BOOST_AUTO_TEST_CASE(a_replay_shorter_than_the_log_is_an_error) {
  entry_alignment align{{entry(0), entry(1)}};
  BOOST_REQUIRE(align.next(entry(0)).ok());

  auto end = align.finish();

  BOOST_TEST(to_string(end.code) == "mismatch");
  BOOST_TEST(detail(end, "difference") == "short");
  BOOST_TEST(detail(end, "index") == "1");
  BOOST_TEST(!entry_alignment{{entry(0)}}.finish().ok());
  BOOST_TEST(entry_alignment{{}}.finish().ok());
}

BOOST_AUTO_TEST_CASE(custom_events_of_the_log_are_passed_over) {
  entry_alignment align{
    {custom(0), entry(0), custom(1), custom(2), entry(1), custom(3)}};

  BOOST_TEST((align.next(entry(0)).value() == action::suppress));
  BOOST_TEST((align.next(entry(1)).value() == action::suppress));
  BOOST_TEST((align.next(entry(2)).value() == action::append));
  BOOST_TEST(align.finish().ok());
}

BOOST_AUTO_TEST_CASE(a_custom_event_that_is_replayed_too_is_suppressed) {
  entry_alignment align{{custom(0), custom(1), entry(0)}};

  BOOST_TEST((align.next(custom(1)).value() == action::suppress));
  BOOST_TEST((align.next(entry(0)).value() == action::suppress));
}

BOOST_AUTO_TEST_CASE(trailing_custom_events_do_not_make_a_replay_short) {
  entry_alignment align{{entry(0), custom(0), custom(1)}};
  BOOST_REQUIRE(align.next(entry(0)).ok());

  BOOST_TEST(align.finish().ok());
}

BOOST_AUTO_TEST_CASE(sixty_four_custom_events_in_a_row_are_the_most) {
  for (std::size_t n : {63u, 64u, 65u, 200u}) {
    auto log = customs(n);
    log.push_back(entry(0));
    entry_alignment before{log};
    auto got = before.next(entry(0));
    BOOST_TEST(got.ok() == (n <= 64));
    if (!got)
      BOOST_TEST(detail(got.error(), "difference") == "out_of_band");
    BOOST_TEST(entry_alignment{customs(n)}.finish().ok() == (n <= 64));
    BOOST_TEST(entry_alignment{customs(n)}.next(entry(0)).ok() == (n <= 64));
  }
  // In a row: an entry between two such rows starts the count anew.
  auto log = customs(64);
  log.push_back(entry(0));
  for (auto& x : customs(64))
    log.push_back(x);
  log.push_back(entry(1));
  entry_alignment align{log};
  BOOST_TEST(align.next(entry(0)).ok());
  BOOST_TEST(align.next(entry(1)).ok());
}

BOOST_AUTO_TEST_CASE(random_logs_with_bridge_events_are_completed_exactly) {
  seeded random{60};
  for (int round = 0; round < 500; ++round) {
    auto total = static_cast<int>(random.below(20));
    auto stored =
      total == 0
        ? 0
        : static_cast<int>(random.below(static_cast<std::uint64_t>(total) + 1));
    std::vector<entry_fingerprint> log;
    for (int i = 0; i < stored; ++i) {
      for (auto n = random.below(4); n > 1; --n)
        log.push_back(custom(i));
      log.push_back(entry(i));
    }
    entry_alignment align{log};
    int appended = 0;
    for (int i = 0; i < total; ++i)
      appended += align.next(entry(i)).value() == action::append ? 1 : 0;
    BOOST_REQUIRE(appended == total - stored);
    BOOST_REQUIRE(align.finish().ok());
  }
}

BOOST_AUTO_TEST_SUITE_END()
