// SPDX-License-Identifier: MIT
// Goal: a confined agent works like any other, ends as exactly, and reaches
// nothing that is not its own.
// Method: real agents that try.
#include "tests/actors/sandbox/confined_world.hpp"

#include <boost/test/unit_test.hpp>

#include <signal.h>

namespace baton::sandbox::test {
namespace {

namespace utf = boost::unit_test;

BOOST_AUTO_TEST_SUITE(bwrap_provider, *utf::precondition(can_confine))

BOOST_FIXTURE_TEST_CASE(exit_codes_and_signals_are_told_apart, confined_world) {
  auto killed = start("echo line; kill -TERM $$");
  auto exited = start("exit 143");
  auto plain = start("exit 3");

  auto end = end_of(killed);
  BOOST_TEST(end.code == 143);
  BOOST_TEST((end.signal == SIGTERM));
  BOOST_TEST(output_of(killed) == "line\n");
  BOOST_TEST(end_of(exited).code == 143);
  BOOST_TEST(!end_of(exited).signal.has_value());
  BOOST_TEST(end_of(plain).code == 3);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace baton::sandbox::test
