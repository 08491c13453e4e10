// SPDX-License-Identifier: MIT
// Goal: secrets are found where they were said to be, or their absence is told
// without telling any.
#include "actors/sandbox/secret_values.hpp"

#include "tests/actors/sandbox/sandbox_world.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>

namespace baton::sandbox {
namespace {

using place = secret_reference::place;
using texts = std::vector<std::string>;

struct secrets {
  test::temporary_folder folder;

  std::string file(const std::string& content) {
    auto path = folder / "secret";
    std::ofstream{path, std::ios::binary} << content;
    return path;
  }

  std::string complaint(const secret_reference& where) {
    auto got =
      secret_values({{"A", where}}, {{"HUGE", std::string(70'000, 'x')}});
    BOOST_REQUIRE(!got.ok());
    BOOST_TEST((got.error().code == errc::workspace_failed));
    BOOST_TEST(got.error().message.starts_with("the secret A "));
    return got.error().message;
  }
};

BOOST_FIXTURE_TEST_SUITE(sandbox_secret_values, secrets)

BOOST_AUTO_TEST_CASE(files_and_variables_are_read) {
  auto got = secret_values(
    {{"A", {place::file, file("va=l\n\n")}}, {"B", {place::env, "X"}}},
    {{"X", "four"}});

  BOOST_REQUIRE(got.ok());
  BOOST_TEST(*got == (texts{"A=va=l\n", "B=four"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_is_not_there_is_told) {
  BOOST_TEST(complaint({place::file, folder / "none"}).find("none")
             != std::string::npos);
  BOOST_TEST(complaint({place::file, folder.path()}).find("no file")
             != std::string::npos);
  BOOST_TEST(complaint({place::env, "UNSET"}).find("UNSET")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_no_environment_can_carry_is_refused_and_not_shown) {
  auto why = complaint({place::file, file(std::string("va\0lue", 6))});
  BOOST_TEST(why.find("va") == std::string::npos);
  complaint({place::file, file(std::string(70'000, 'x'))});
  complaint({place::env, "HUGE"});
}

BOOST_AUTO_TEST_CASE(what_is_too_short_to_be_masked_is_refused_and_not_shown) {
  for (std::string value : {"", "\n", "x", "abc", "abc\n"}) {
    auto why = complaint({place::file, file(value)});
    BOOST_TEST(why.find("at least 4") != std::string::npos, why);
    BOOST_TEST(why.find("abc") == std::string::npos, why);
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace baton::sandbox
