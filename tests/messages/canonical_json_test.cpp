// SPDX-License-Identifier: MIT
// Goal: equal texts exactly for equal values.
// Method: pairs that must agree, pairs that must differ, random reorderings.
#include "messages/canonical_json.hpp"

#include "tests/messages/seeded.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <utility>

using namespace baton;
using baton::test::seeded;

namespace {

std::string text(std::string_view json) {
  auto value = canonical_json::of(json);
  BOOST_REQUIRE_MESSAGE(value.has_value(), json);
  return value->text();
}

} // namespace

BOOST_AUTO_TEST_SUITE(messages_canonical_json)

BOOST_AUTO_TEST_CASE(spelling_and_order_make_no_difference) {
  const std::array<std::pair<const char*, const char*>, 17> pairs{
    {{"{\"b\":1,\"a\":2}", "{ \"a\" : 2 , \"b\" : 1 }\r"},
     {"{\"x\":{\"b\":[{\"d\":1,\"c\":2}],\"a\":2}}",
      "{\"x\":{\"a\":2,\"b\":[{\"c\":2,\"d\":1}]}}"},
     {"\"\\u0041\\/\"", "\"A/\""},
     {"\"\\ud83c\\udf0d\"", "\"\xF0\x9F\x8C\x8D\""},
     {"{\"\\u0061\":1}", "{\"a\":1}"},
     {"1", "1.0"},
     {"100", "1e2"},
     {"100", "1E+2"},
     {"0.01", "1e-2"},
     {"0.010", "10e-3"},
     {"0", "-0"},
     {"0", "0.000e5"},
     {"-1.5", "-15e-1"},
     {"12345678901234567890123", "12345678901234567890123.0"},
     {"1e400", "10e399"},
     {"[1,2]", "[ 1.0 , 2 ]"},
     {"{}", " { } "}}};
  for (const auto& [a, b] : pairs)
    BOOST_TEST(text(a) == text(b));
}

BOOST_AUTO_TEST_CASE(values_that_differ_have_texts_that_differ) {
  const std::array<std::pair<const char*, const char*>, 15> pairs{
    {{"{}", "{\"a\":null}"},
     {"[1,2]", "[2,1]"},
     {"[]", "{}"},
     {"[]", "[[]]"},
     {"1", "\"1\""},
     {"null", "\"null\""},
     {"true", "false"},
     {"1", "-1"},
     {"10", "1"},
     {"9007199254740993", "9007199254740992"},
     {"12345678901234567890123", "12345678901234567890124"},
     {"0.1234567890123456789", "0.1234567890123456788"},
     {"{\"k\":1,\"k\":2}", "{\"k\":2}"},
     {"{\"a\":\"b\\\",\\\"c\\\":\\\"d\"}", "{\"a\":\"b\",\"c\":\"d\"}"},
     {"\"a\"", "\"A\""}}};
  for (const auto& [a, b] : pairs)
    BOOST_TEST(text(a) != text(b));
}

BOOST_AUTO_TEST_CASE(a_canonical_text_is_its_own_canonical_text) {
  for (auto json :
       {"{\"b\":[1,2.50,{\"z\":null,\"y\":\"\\n\\u0001\"}],\"a\":-0}", "1e-400",
        "\"\\\\\"", "[[[]],{}]"})
    BOOST_TEST(text(text(json)) == text(json));
}

BOOST_AUTO_TEST_CASE(long_strings_and_numbers_come_through_whole) {
  auto string = std::string(100'000, 'x') + "\\n" + std::string(5000, 'y');
  auto number = std::string(10'000, '7');

  BOOST_TEST(text("\"" + string + "\"") == "\"" + string + "\"");
  BOOST_TEST(text("{\"" + string + "\":1}") == "{\"" + string + "\":1e0}");
  BOOST_TEST(text("-" + number) == "-" + number + "e0");
}

BOOST_AUTO_TEST_CASE(members_are_left_out_at_the_top_only) {
  constexpr std::array<std::string_view, 2> left_out{"b", "c"};
  auto value = canonical_json::of("{\"a\":{\"b\":true},\"b\":true,\"c\":[]}");

  BOOST_TEST(value->text(left_out) == "{\"a\":{\"b\":true}}");
  BOOST_TEST(*value->member("c") == "[]");
  BOOST_TEST(value->member("d") == nullptr);
  BOOST_TEST(!canonical_json::of("[]")->is_object());
}

BOOST_AUTO_TEST_CASE(what_has_no_canonical_form_is_told) {
  for (const auto& text :
       {std::string{""}, std::string{"{"}, std::string{"{} {}"},
        std::string{"\"\\ud800\""}, std::string{"\xEF\xBB\xBF{}"},
        std::string{"// x\n1"}, std::string{"[1,]"}, std::string{"\"\xFF\""},
        std::string{"1e99999999999"},
        std::string(300, '[') + std::string(300, ']'),
        std::string(1'000'000, '[')})
    BOOST_TEST(!canonical_json::of(text).has_value());
  BOOST_TEST(canonical_json::of(std::string(200, '[') + std::string(200, ']'))
               .has_value());
}

BOOST_AUTO_TEST_CASE(random_orders_of_keys_agree) {
  seeded random{50};
  for (int round = 0; round < 500; ++round) {
    std::vector<std::string> members;
    for (std::uint64_t i = 0; i < 1 + random.below(8); ++i)
      members.push_back("\"k" + std::to_string(i)
                        + "\":" + std::to_string(random.below(5)));
    std::string first, second;
    for (auto& m : members)
      first += (first.empty() ? "" : ",") + m;
    for (auto i = members.size(); i > 1; --i)
      std::swap(members[i - 1], members[random.below(i)]);
    for (auto& m : members)
      second += (second.empty() ? "" : ",") + m;
    BOOST_REQUIRE(text("{" + first + "}") == text("{" + second + "}"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
