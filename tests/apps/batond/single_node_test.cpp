// SPDX-License-Identifier: MIT
// Goal: what needs a second node is refused by name, not left out.
// Method: command lines as a person writes them, through the parser.
#include "apps/batond/single_node.hpp"

#include <boost/test/unit_test.hpp>

namespace baton {
namespace {

status checked(std::vector<std::string> args) {
  settings_input input;
  input.args = std::move(args);
  input.env = {{"HOME", "/nowhere"}};
  auto parsed = parse_settings(input);
  BOOST_TEST_REQUIRE(parsed.ok());
  return check_single_node(parsed->values);
}

} // namespace

BOOST_AUTO_TEST_SUITE(apps_batond_single_node)

BOOST_AUTO_TEST_CASE(a_node_alone_is_served) {
  BOOST_TEST(checked({}).ok());
  BOOST_TEST(checked({"--role", "coordinator"}).ok());
  BOOST_TEST(checked({"--http-tls-cert", "c", "--http-tls-key", "k"}).ok());
}

BOOST_AUTO_TEST_CASE(each_flag_of_a_cluster_is_refused_by_its_name) {
  const std::vector<std::vector<std::string>> refused{
    {"--join", "127.0.0.1:1"},
    {"--cluster", "127.0.0.1:1"},
    {"--tls-cert", "c", "--tls-key", "k", "--tls-ca", "a"}};
  for (const auto& args : refused) {
    auto why = checked(args);

    BOOST_TEST((why.code == errc::unsupported));
    BOOST_TEST(why.message.starts_with(args.front() + ": "));
    BOOST_TEST(why.message.find('\n') == std::string::npos);
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton
