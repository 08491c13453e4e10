// SPDX-License-Identifier: MIT
// Goal: size changes nothing but the time it takes, and memory stays bounded
// (field case BR-031). Method: generated output compared by SHA-256.
#include "tests/support/agents.hpp"
#include "tests/support/run_log.hpp"

#include "messages/sha256.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

namespace baton::test {
namespace {

constexpr std::size_t mib = 1024 * 1024;

/// Both readers give bytes with the hash of what was printed.
void expect_hash(const daemon& d, const std::string& run,
                 const std::string& bytes) {
  auto hash = sha256_hex(bytes);
  auto journal = read_journal(d, run);
  BOOST_TEST(journal.size() == bytes.size());
  BOOST_TEST(sha256_hex(journal) == hash);
  auto shown = d.cli({"logs", "--raw", run}, {}, 120s);
  BOOST_TEST(shown.exit == 0);
  BOOST_TEST(sha256_hex(shown.out) == hash);
}

/// {"big":"xxx..."} of `size` bytes in all.
std::string big_line(std::size_t size) {
  return "{\"big\":\"" + std::string(size - 10, 'x') + "\"}";
}

} // namespace

BOOST_AUTO_TEST_SUITE(system_large)

// BR-031.
BOOST_AUTO_TEST_CASE(a_long_line_is_whole_or_in_pieces_and_hurts_no_other) {
  daemon d;
  d.start();
  auto at_start = d.resident();
  for (std::size_t size :
       {std::size_t{65'535}, std::size_t{65'536}, std::size_t{65'537}, mib - 1,
        mib, mib + 1, 5 * mib, 100 * mib}) {
    BOOST_TEST_CONTEXT("a line of " << size << " bytes") {
      auto bytes = "{\"a\":1}\n" + big_line(size) + "\n{\"b\":2}\n";
      auto run = d.create(print_bytes(d, "big", bytes));
      auto record = d.wait_for_end(run);
      BOOST_TEST(record.at("status").as_string() == "completed");
      auto log = read_log(d, run);
      BOOST_TEST_REQUIRE(log.size() >= 3u);
      BOOST_TEST(log.front().data_text == "{\"a\":1}");
      BOOST_TEST(log.back().data_text == "{\"b\":2}");
      BOOST_TEST((log.size() == 3) == (size <= mib));
      for (std::size_t i = 1; i + 1 < log.size(); ++i)
        BOOST_TEST(log[i].kind == (size <= mib ? "json" : "fragment"));
      BOOST_TEST((read_journal(d, run) == bytes));
      expect_invariants(d, run);
      BOOST_TEST(d.resident() < at_start + memory_bound(64 * mib));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_million_short_lines_come_once_and_in_order) {
  daemon d;
  d.start();
  std::string bytes;
  for (int n = 0; n < 1'000'000; ++n)
    bytes += counted(n) + "\n";
  auto run = d.create(print_bytes(d, "lines", bytes));
  auto record = d.wait_for_end(run);
  BOOST_TEST(record.at("entries").as_int64() == 1'000'000);
  expect_hash(d, run, bytes);
  expect_gap_free(read_log(d, run));
}

BOOST_AUTO_TEST_CASE(three_hundred_megabytes_of_lines_come_exact) {
  daemon d;
  d.start();
  std::string bytes;
  bytes.reserve(301'000'000);
  for (int n = 0; bytes.size() < 300'000'000; ++n)
    bytes += "{\"n\":" + std::to_string(n) + ",\"text\":\""
             + std::string(static_cast<std::size_t>(n % 400), 'a') + "\"}\n";
  auto at_start = d.resident();
  auto run = d.create(print_bytes(d, "lines", bytes));
  d.wait_for_end(run, 400s);
  expect_hash(d, run, bytes);
  BOOST_TEST(d.resident() < at_start + memory_bound(64 * mib));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test
