// SPDX-License-Identifier: MIT
// Goal: the written forms of times and sizes, and nothing else, are accepted.
#include "apps/settings/duration.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace baton;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(duration)

BOOST_AUTO_TEST_CASE(every_unit_of_the_contract_is_read) {
  BOOST_TEST((*parse_duration("250ms") == 250ms));
  BOOST_TEST((*parse_duration("10s") == 10s));
  BOOST_TEST((*parse_duration("30m") == 30min));
  BOOST_TEST((*parse_duration("1h") == 1h));
  BOOST_TEST((*parse_duration("7d") == 168h));
  BOOST_TEST((*parse_duration("0s") == 0s));
}

BOOST_AUTO_TEST_CASE(anything_else_is_refused_and_named) {
  for (std::string text : {"", "10", "s", "-1s", "+1s", "1.5s", " 1s", "1s ",
                           "1 s", "1S", "1sec", "0x10s", "1e3s", "1s1m",
                           "99999999999999999999s", "9223372036854775807d"}) {
    auto x = parse_duration(text);
    BOOST_TEST_REQUIRE(!x.ok(), text);
    BOOST_TEST((x.error().code == errc::malformed));
    BOOST_TEST(x.error().message.find("'" + text + "'") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(written_durations_read_back_and_are_short) {
  std::vector<std::pair<std::chrono::milliseconds, std::string>> cases{
    {0ms, "0s"},  {1ms, "1ms"},  {1500ms, "1500ms"}, {90s, "90s"},
    {120s, "2m"}, {3600s, "1h"}, {24h, "1d"},        {25h, "25h"}};
  for (auto& [value, text] : cases) {
    BOOST_TEST(to_text(value) == text);
    BOOST_TEST((*parse_duration(text) == value));
  }
}

BOOST_AUTO_TEST_CASE(sizes_are_bytes_or_binary_units) {
  BOOST_TEST(*parse_byte_size("4096") == 4096u);
  BOOST_TEST(*parse_byte_size("64KiB") == 65536u);
  BOOST_TEST(*parse_byte_size("1MiB") == 1048576u);
  BOOST_TEST(*parse_byte_size("2GiB") == 2147483648u);
  for (std::string text : {"", "1MB", "1M", "MiB", "-1", "1.5MiB", "1mib"})
    BOOST_TEST(!parse_byte_size(text).ok(), text);
  for (std::size_t n : {0u, 1u, 1000u, 1024u, 1536u, 1048576u})
    BOOST_TEST(*parse_byte_size(byte_size_text(n)) == n);
}

BOOST_AUTO_TEST_SUITE_END()
