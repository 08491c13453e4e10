// SPDX-License-Identifier: MIT
// Bodies become lines exactly; headers are strict numbers.
#include "actors/gateway/append_body.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::http;

namespace {

const append_headers good{"2", "7", std::nullopt};

std::vector<std::string> cut(std::string_view body, std::size_t max) {
  auto got = parse_append(run_id{"r"}, good, body, max);
  std::vector<std::string> out;
  if (got.ok())
    got->lines.for_each([&](std::string_view line, bool fragment) {
      out.push_back((fragment ? "~" : "") + std::string{line});
    });
  return out;
}

using lines = std::vector<std::string>;

} // namespace

BOOST_AUTO_TEST_SUITE(gateway_append_body)

BOOST_AUTO_TEST_CASE(lines_are_cut_behind_newlines_and_the_last_needs_none) {
  BOOST_TEST(cut("a\nb\r\n\nc", 10) == (lines{"a\n", "b\r\n", "\n", "c"}));
  BOOST_TEST(cut("\n", 10) == (lines{"\n"}));
  BOOST_TEST(cut("a", 10) == (lines{"a"}));
}

BOOST_AUTO_TEST_CASE(lines_over_the_limit_become_flagged_fragments) {
  BOOST_TEST(cut("abcd\nx\n", 4) == (lines{"abcd\n", "x\n"}));
  auto got = cut("abcdefghij\nx\n", 4);
  BOOST_TEST(got == (lines{"~abcd", "~efgh", "~ij\n", "x\n"}));
}

BOOST_AUTO_TEST_CASE(headers_reach_the_request) {
  auto got = parse_append(run_id{"r"}, {"2", "7", "512"}, "a\n", 10);
  BOOST_REQUIRE(got.ok());
  BOOST_TEST(got->run.str() == "r");
  BOOST_TEST(got->epoch.value == 2u);
  BOOST_TEST(got->first_seq.value == 7u);
  BOOST_TEST(got->begin.value == 512u);
  BOOST_TEST(got->has_begin);
  BOOST_TEST(!parse_append(run_id{"r"}, good, "a\n", 10)->has_begin);
}

BOOST_AUTO_TEST_CASE(bad_headers_are_named_and_nothing_is_empty) {
  auto why = [](append_headers h, std::string_view body = "a\n") {
    auto got = parse_append(run_id{"r"}, h, body, 10);
    return got.ok() ? std::string{"accepted"} : got.error().message;
  };
  for (auto bad : {"", "-1", "x", "1.0", "99999999999999999999"}) {
    BOOST_TEST(why({bad, "1", {}}).find("Baton-Epoch") != std::string::npos);
    BOOST_TEST(why({"1", bad, {}}).find("Baton-Seq") != std::string::npos);
    BOOST_TEST(why({"1", "1", bad}).find("Baton-Position")
               != std::string::npos);
  }
  BOOST_TEST(why({{}, "1", {}}).find("Baton-Epoch") != std::string::npos);
  BOOST_TEST(why({"1", {}, {}}).find("Baton-Seq") != std::string::npos);
  BOOST_TEST(why({"1", "0", {}}).find("Baton-Seq") != std::string::npos);
  auto empty = parse_append(run_id{"r"}, good, "", 10);
  BOOST_TEST((empty.error().code == errc::empty));
}

BOOST_AUTO_TEST_SUITE_END()
