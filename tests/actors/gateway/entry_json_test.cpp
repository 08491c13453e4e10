// SPDX-License-Identifier: MIT
// Entries keep the agent's bytes: JSON lines as written, text as a string,
// everything else as base64.
#include "actors/gateway/entry_json.hpp"

#include "tests/actors/gateway/pure_fixture.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::http;

namespace {

std::string shown(std::string line, bool fragment = false) {
  std::string out;
  append_json(test::make_entry(7, 512, std::move(line), fragment), out);
  return out;
}

std::string shown_data(std::string line) {
  auto out = shown(std::move(line));
  auto at = out.find(R"("kind":)");
  return out.substr(at, out.size() - at - 1);
}

} // namespace

BOOST_AUTO_TEST_SUITE(gateway_entry_json)

BOOST_AUTO_TEST_CASE(an_entry_is_the_contract_s_object) {
  BOOST_TEST(shown("{\"a\":1}\n")
             == R"({"seq":7,"epoch":2,"begin":512,"end":520,)"
                R"("at":"2023-11-14T22:13:20.042Z","kind":"json",)"
                R"("data":{"a":1}})");
}

// BR-055: numbers changed on the way through.
BOOST_AUTO_TEST_CASE(json_lines_stand_as_they_were_written) {
  for (std::string line :
       {R"({"n":9007199254740993})", R"({"n":12345678901234567890})",
        R"({"f":0.1234567890123456789})", R"({"e":1e400})", R"({"z":-0})",
        R"({"k":1,"k":2})", R"({"b":1,"a":2})", R"({"s":"\u0041\/"})",
        R"({ "sp" : 1 })", "7", "null", "\"x\"", "[1, 2]",
        "{\"u\":\"\xE2\x80\xA8\"}"})
    BOOST_TEST(shown_data(line + "\n") == R"("kind":"json","data":)" + line);
}

BOOST_AUTO_TEST_CASE(a_carriage_return_in_json_becomes_a_space) {
  BOOST_TEST(shown_data("{\"t\":\"x\"}\r\n")
             == R"("kind":"json","data":{"t":"x"} )");
  BOOST_TEST(shown_data("{\r\"a\":\r1}\n")
             == R"("kind":"json","data":{ "a": 1})");
}

BOOST_AUTO_TEST_CASE(other_lines_are_text_or_bytes_without_their_newline) {
  BOOST_TEST(shown_data("warning: \"x\"\\\n")
             == R"("kind":"text","data":"warning: \"x\"\\")");
  BOOST_TEST(shown_data("a\rid: 9\r\n")
             == R"("kind":"text","data":"a\rid: 9\r")");
  BOOST_TEST(shown_data("\n") == R"("kind":"text","data":"")");
  BOOST_TEST(shown_data("no newline")
             == R"("kind":"text","data":"no newline")");
  BOOST_TEST(shown_data("\xFF\xFE\n") == R"("kind":"bytes","data":"//4=")");
}

BOOST_AUTO_TEST_CASE(fragments_are_base64_even_when_they_look_like_json) {
  auto out = shown("{}\n", true);
  BOOST_TEST(out.find(R"("kind":"fragment","data":"e30="})") != out.npos);
}

BOOST_AUTO_TEST_CASE(whatever_the_line_the_object_is_one_line_of_json) {
  for (int a = 0; a < 256; ++a)
    for (auto around : {"x", "\"", "{", "7"}) {
      std::string line = around;
      line += static_cast<char>(a);
      line += around;
      auto out = shown(line + "\n");
      BOOST_TEST(out.find_first_of("\r\n") == out.npos);
      boost::json::error_code ec;
      boost::json::parse(out, ec);
      BOOST_TEST(!ec, out);
    }
}

BOOST_AUTO_TEST_SUITE_END()
