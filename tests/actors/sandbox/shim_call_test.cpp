// SPDX-License-Identifier: MIT
// Goal: a launcher hears the truth from a shim, or that it is unknown.
// Method: shims that are none.
#include "actors/sandbox/shim_call.hpp"

#include "tests/actors/sandbox/sandbox_world.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/stat.h>

#include <fstream>

namespace baton::sandbox::test {
namespace {

struct fake_shim {
  temporary_folder folder;

  result<std::string> call(const std::string& script, const std::string& order,
                           int timeout_ms = 5000) {
    auto path = folder / "shim";
    std::ofstream{path} << "#!/bin/sh\n" << script << "\n";
    ::chmod(path.c_str(), 0700);
    return call_shim(path, "/some/where", order, timeout_ms);
  }
};

BOOST_AUTO_TEST_SUITE(sandbox_shim_call)

BOOST_FIXTURE_TEST_CASE(the_first_line_is_the_answer, fake_shim) {
  auto got = call("cat > /dev/null; echo launched; echo more", "order");
  BOOST_TEST(got.value() == "launched");
}

BOOST_FIXTURE_TEST_CASE(a_large_order_arrives_whole, fake_shim) {
  auto got = call("wc -c", std::string(20'000'000, 'x'));
  BOOST_TEST(got.value() == "20000000");
}

BOOST_FIXTURE_TEST_CASE(a_shim_that_dies_unread_leaves_the_outcome_unknown,
                        fake_shim) {
  auto got = call("exit 1", std::string(1'000'000, 'x'));
  BOOST_TEST((got.error().code == errc::outcome_unknown));
}

BOOST_FIXTURE_TEST_CASE(a_shim_that_hangs_is_waited_for_no_longer_than_said,
                        fake_shim) {
  auto begin = now_ms();
  auto got = call("exec sleep 100", "order", 200);
  BOOST_TEST((got.error().code == errc::outcome_unknown));
  BOOST_TEST(now_ms() - begin < 5000);
}

BOOST_AUTO_TEST_CASE(a_missing_shim_is_named) {
  auto got = call_shim("/no/such/shim", "/some/where", "order", 1000);
  BOOST_TEST((got.error().code == errc::launch_failed));
  BOOST_TEST(count_of(got.error().message, "/no/such/shim") == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace baton::sandbox::test
