// SPDX-License-Identifier: MIT
#include "messages/wall_time.hpp"

#include "tests/messages/seeded.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace std::chrono;
using baton::test::seeded;

BOOST_AUTO_TEST_SUITE(messages_wall_time)

BOOST_AUTO_TEST_CASE(known_times_have_known_texts) {
  BOOST_TEST(to_rfc3339(wall_time{}) == "1970-01-01T00:00:00.000Z");
  BOOST_TEST(to_rfc3339(wall_time{1'795'965'513'042ms})
             == "2026-11-29T15:18:33.042Z");
  BOOST_TEST(to_rfc3339(wall_time{-1ms}) == "1969-12-31T23:59:59.999Z");
  BOOST_TEST(to_rfc3339(wall_time{951'782'400'000ms})
             == "2000-02-29T00:00:00.000Z");
}

BOOST_AUTO_TEST_CASE(times_of_years_0_to_9999_return) {
  seeded random{70};
  // 0000-01-01 to 9999-12-31.
  constexpr std::int64_t first = -62'167'219'200'000;
  constexpr std::int64_t last = 253'402'300'799'999;
  for (int round = 0; round < 20'000; ++round) {
    auto ms = first
              + static_cast<std::int64_t>(
                random.below(static_cast<std::uint64_t>(last - first)));
    auto t = wall_time{milliseconds{ms}};
    BOOST_REQUIRE((wall_time_from_rfc3339(to_rfc3339(t)) == t));
  }
  for (auto ms : {first, last})
    BOOST_TEST((wall_time_from_rfc3339(to_rfc3339(wall_time{milliseconds{ms}}))
                == wall_time{milliseconds{ms}}));
}

BOOST_AUTO_TEST_CASE(only_the_written_form_is_read) {
  for (auto text : {"",
                    "2026-11-29",
                    "2026-11-29T15:18:33Z",
                    "2026-11-29T15:18:33.42Z",
                    "2026-11-29T15:18:33.0420Z",
                    "2026-11-29 15:18:33.042Z",
                    "2026-11-29T15:18:33.042",
                    "2026-11-29T15:18:33.042z",
                    "2026-11-29T15:18:33.042+00:00",
                    "2026-13-01T00:00:00.000Z",
                    "2026-02-29T00:00:00.000Z",
                    "2026-11-29T24:00:00.000Z",
                    "2026-11-29T15:60:00.000Z",
                    "2026-11-29T15:18:60.000Z",
                    " 2026-11-29T15:18:33.042Z",
                    "2026-11-29T15:18:33.042Z ",
                    "2026-11-29T15:18:33.042Zx",
                    "+026-11-29T15:18:33.042Z",
                    "2026-11-29T-1:18:33.042Z",
                    "2026-1-029T15:18:33.042Z"})
    BOOST_TEST(!wall_time_from_rfc3339(text).has_value(), text);
}

BOOST_AUTO_TEST_CASE(random_texts_are_refused_or_are_their_own_time) {
  seeded random{71};
  for (int round = 0; round < 50'000; ++round) {
    std::string text = "2026-11-29T15:18:33.042Z";
    for (int i = 0; i < 2; ++i)
      text[random.below(text.size())] =
        random.from("0123456789-:.TZ +", 1).front();
    if (auto t = wall_time_from_rfc3339(text))
      BOOST_REQUIRE(to_rfc3339(*t) == text);
  }
}

BOOST_AUTO_TEST_SUITE_END()
