// SPDX-License-Identifier: MIT
// A key that is given twice is found at any depth, however it is spelled, and
// nothing else is.
#include "actors/gateway/repeated_key.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace baton::http;

BOOST_AUTO_TEST_SUITE(gateway_repeated_key)

BOOST_AUTO_TEST_CASE(a_key_given_twice_is_named_with_the_way_to_it) {
  struct {
    std::string_view text;
    std::string_view key;
  } const repeated[] = {
    {R"({"a":1,"b":2,"a":1})", "a"},
    {R"({"a":1,"\u0061":2})", "a"},
    {R"({"":1,"":2})", ""},
    {R"({"env":{"K":"1","J":"2","K":"3"}})", "env.K"},
    {R"({"x":[{"y":{"z":1,"z":2}}]})", "x.y.z"},
    {R"({"a":{"b":1,"b":2},"a":3})", "a.b"},
    {R"([{"a":1},{"b":1,"b":1}])", "b"},
  };
  for (const auto& x : repeated) {
    auto found = find_repeated_key(x.text);
    BOOST_TEST_REQUIRE(found.has_value(), x.text);
    BOOST_TEST(*found == x.key, x.text);
  }
}

BOOST_AUTO_TEST_CASE(equal_keys_of_different_objects_are_no_repetition) {
  for (auto text : {"{}", "1", R"("a")", R"([1,1])", R"({"a":{"a":{"a":1}}})",
                    R"([{"a":1},{"a":1}])", R"({"a":{"x":1},"b":{"x":1}})",
                    R"({"a":"a","b":"a"})", R"({"a":1,"A":2})"})
    BOOST_TEST(!find_repeated_key(text).has_value(), text);
}

BOOST_AUTO_TEST_CASE(keys_of_any_length_are_compared_whole) {
  std::string name(100'000, 'k');
  auto pair = [&](const std::string& key) { return '"' + key + "\":1"; };
  auto apart = "{" + pair(name + "a") + "," + pair(name + "b") + "}";
  auto same = "{" + pair(name) + "," + pair(name) + "}";
  BOOST_TEST(!find_repeated_key(apart).has_value());
  BOOST_TEST((find_repeated_key(same) == name));
}

BOOST_AUTO_TEST_SUITE_END()
