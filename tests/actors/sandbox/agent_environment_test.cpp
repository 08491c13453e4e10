// SPDX-License-Identifier: MIT
// Goal: agents get what they need and no secret of the daemon.
#include "actors/sandbox/agent_environment.hpp"

#include "actors/sandbox/sandbox_layout.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

namespace baton::sandbox {
namespace {

using strings = std::vector<std::string>;
using strings_map = std::map<std::string, std::string>;

BOOST_AUTO_TEST_SUITE(sandbox_agent_environment)

BOOST_AUTO_TEST_CASE(only_listed_names_are_inherited_and_orders_win) {
  auto got = agent_environment({{"PATH", "/bin"},
                                {"LC_ALL", "C"},
                                {"TERM", "dumb"},
                                {"BATON_TOKEN", "secret"},
                                {"LD_PRELOAD", "x"}},
                               {{"TERM", "vt100"}, {"KEY", "a=b"}}, "/r/n");
  BOOST_REQUIRE(got.ok());
  BOOST_TEST((*got
              == strings{"BATON_SANDBOX=/r/n", "KEY=a=b", "LC_ALL=C",
                         "PATH=/bin", "TERM=vt100"}));
}

BOOST_AUTO_TEST_CASE(there_always_is_a_path_and_the_sandbox_s_own_name) {
  auto got = agent_environment({}, {{"BATON_SANDBOX", "forged"}}, "/r/n");
  BOOST_REQUIRE(got.ok());
  BOOST_TEST(
    (*got
     == strings{"BATON_SANDBOX=/r/n", "PATH=" + std::string{default_path}}));
}

BOOST_AUTO_TEST_CASE(what_no_environment_can_hold_is_refused) {
  std::string nul{"a\0b", 3};
  for (const auto& [name, value] :
       strings_map{{"", "x"}, {"A=B", "x"}, {nul, "x"}, {"A", nul}}) {
    auto got = agent_environment({}, {{name, value}}, "/r/n");
    BOOST_REQUIRE(!got.ok());
    BOOST_TEST((got.error().code == errc::malformed));
  }
}

BOOST_AUTO_TEST_CASE(only_plain_absolute_paths_are_sandbox_ids) {
  for (auto good : {"/r/n", "/a/b c/run-1"})
    BOOST_TEST(parse_sandbox_id(good).has_value());
  for (auto bad : {"", "/", "/n", "r/n", "/r/", "/r/../n", "/r/./n", "/r//n",
                   "/r/..", "/r/.", "/r/.n", "/r/guards"})
    BOOST_TEST(!parse_sandbox_id(bad).has_value());
  BOOST_TEST(parse_sandbox_id("/r/n")->guard() == "/r/guards/n");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace baton::sandbox
