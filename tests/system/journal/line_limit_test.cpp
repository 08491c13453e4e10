// SPDX-License-Identifier: MIT
// Goal: --max-line is where lines are cut, and cuts change no byte.
// Method: lines around a small limit.
#include "tests/support/agents.hpp"
#include "tests/support/run_log.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

namespace baton::test {

BOOST_AUTO_TEST_SUITE(system_line_limit)

BOOST_AUTO_TEST_CASE(lines_are_cut_where_the_operator_wants_it) {
  constexpr std::size_t limit = 2048;
  daemon d;
  d.start({"--max-line", "2KiB"});
  for (std::size_t size : {limit - 1, limit, limit + 1, 3 * limit}) {
    BOOST_TEST_CONTEXT("a line of " << size << " bytes") {
      auto bytes = "a\n" + std::string(size, 'x') + "\nb\n";
      auto run = d.create(print_bytes(d, "bytes", bytes));
      d.wait_for_end(run);
      auto log = read_log(d, run);
      BOOST_TEST(log.size() == 2 + (size + limit - 1) / limit);
      for (const auto& x : log) {
        auto is_cut = size > limit && x.seq > 1
                      && x.seq < static_cast<std::int64_t>(log.size());
        BOOST_TEST(x.kind == (is_cut ? "fragment" : "text"));
        BOOST_TEST(x.end - x.begin <= static_cast<std::int64_t>(limit + 1));
      }
      BOOST_TEST(read_journal(d, run) == bytes);
      expect_invariants(d, run);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test
