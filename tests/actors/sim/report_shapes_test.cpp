// SPDX-License-Identifier: MIT
// Goal: no kind of event looks or reads like another.
#include "actors/sim/report_shapes.hpp"

#include <boost/test/unit_test.hpp>

#include <set>

using namespace baton::sim;

BOOST_AUTO_TEST_SUITE(sim_report_shapes)

BOOST_AUTO_TEST_CASE(every_kind_of_event_has_a_shape_and_a_meaning_of_its_own) {
  std::set<std::string_view> shapes, meanings;
  auto kinds = static_cast<int>(event_kind::note) + 1;
  for (int i = 0; i < kinds; ++i) {
    shapes.insert(shape_of(static_cast<event_kind>(i)));
    meanings.insert(meaning_of(static_cast<event_kind>(i)));
  }

  BOOST_TEST(shapes.size() == static_cast<std::size_t>(kinds));
  BOOST_TEST(meanings.size() == static_cast<std::size_t>(kinds));
}

BOOST_AUTO_TEST_SUITE_END()
