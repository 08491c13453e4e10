// SPDX-License-Identifier: MIT
// Goal: the journal read from byte B is the output without its first B bytes,
// whether the run goes on or has ended (I3).
// Method: every byte of a small journal with odd lines in it.
#include "tests/support/agents.hpp"
#include "tests/support/run_log.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>

namespace baton::test {
namespace {

void expect_from_every_byte(const daemon& d, const std::string& run,
                            const std::string& bytes, const std::string& live) {
  for (std::size_t from = 0; from <= bytes.size() + 2; ++from)
    BOOST_TEST_CONTEXT("from " << from << live) {
      auto got = d.get(
        daemon::path(run, "/journal?from=" + std::to_string(from) + live));
      BOOST_TEST(got.status == 200);
      BOOST_TEST(got.whole);
      BOOST_TEST(got.body == bytes.substr(std::min(from, bytes.size())));
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(system_journal_reading)

BOOST_AUTO_TEST_CASE(from_any_byte_the_journal_is_the_rest) {
  daemon d;
  d.start();
  std::string first{"{\"a\":1}\n\n\r\n\xff\xfe\nlong enough to be cut\n"};
  auto run = d.create(print_bytes(d, "first", first)
                      + wait_for_file(d.file("go")) + "printf tail");
  d.wait_for_entries(run, 5);
  expect_from_every_byte(d, run, first, "");
  write_file(d.file("go"), "");
  d.wait_for_end(run);
  for (auto* live : {"", "&live=1"})
    expect_from_every_byte(d, run, first + "tail", live);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test
