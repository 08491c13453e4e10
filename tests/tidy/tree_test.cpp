// SPDX-License-Identifier: MIT
// Goal: the tree keeps its own rules. Method: every rule over every file.
#include "tests/tidy/rules.hpp"

#include <boost/test/unit_test.hpp>

namespace baton::tidy {

BOOST_AUTO_TEST_SUITE(tidy_tree)

BOOST_AUTO_TEST_CASE(every_file_keeps_every_rule) {
  auto files = read_tree(BATON_SOURCE_DIR);
  BOOST_TEST_REQUIRE(files.size() > 10u);

  for (const auto& x : apply_allowances(find_all(files)))
    BOOST_ERROR(to_string(x));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::tidy
