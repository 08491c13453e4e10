// SPDX-License-Identifier: MIT
// Goal: our providers keep the contract. Method: the conformance kit.
#include "tests/conformance/provider_makers.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton::sandbox;
using namespace baton::sandbox::test;

namespace {

void expect_conformance(const opener& open) {
  folder_maker maker{open};
  for (const auto& violation : check_provider(maker))
    BOOST_ERROR(violation);
}

BOOST_AUTO_TEST_SUITE(providers)

BOOST_AUTO_TEST_CASE(the_local_provider_conforms) {
  expect_conformance(open_local);
}

BOOST_AUTO_TEST_CASE(the_bwrap_provider_conforms) {
  baton::test::temp_dir folder;
  auto tried = bwrap_provider::open(
    {{folder / "root", BATON_BIN_DIR "/baton-shim"}, {}, {}});
  BOOST_REQUIRE(tried.ok());
  if (auto why = (*tried)->try_out(); !why.ok()) {
    BOOST_TEST_MESSAGE("skipped: " << why.message);
    return;
  }
  expect_conformance(open_bwrap);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
