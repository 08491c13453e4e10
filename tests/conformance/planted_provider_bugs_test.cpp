// SPDX-License-Identifier: MIT
// Goal: the kit for providers can fail. Method: the local provider, with one
// bug of the kind providers have, must be found out by the claim it breaks.
#include "tests/conformance/planted_provider.hpp"
#include "tests/conformance/provider_makers.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <ostream>

namespace baton::sandbox::test {

std::ostream& operator<<(std::ostream& out, const planted_bug& x) {
  return out << x.what;
}

namespace {

std::vector<std::string> check_planted(const planted_bug& x) {
  folder_maker maker{
    [&](const std::string& root) { return plant(x.what, open_local(root)); }};
  return check_provider(maker, {std::string{x.claim}});
}

BOOST_AUTO_TEST_SUITE(planted_provider_bugs)

BOOST_DATA_TEST_CASE(the_kit_finds_every_planted_bug, planted_bugs(), planted) {
  auto violations = check_planted(planted);

  BOOST_TEST(!violations.empty(), planted.what << " was not found");
  if (!violations.empty())
    BOOST_TEST_MESSAGE(planted.what << " -> " << violations.front());
}

BOOST_AUTO_TEST_CASE(every_claim_has_a_bug_that_only_it_must_find) {
  for (const auto& claim : provider_claims())
    BOOST_TEST(
      std::ranges::any_of(
        planted_bugs(), [&](const planted_bug& x) { return x.claim == claim; }),
      claim << " has no planted bug");
}

BOOST_AUTO_TEST_CASE(a_provider_without_a_planted_bug_passes) {
  for (const auto& claim : provider_claims())
    for (const auto& violation : check_planted({"none", claim}))
      BOOST_ERROR(violation);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace baton::sandbox::test
