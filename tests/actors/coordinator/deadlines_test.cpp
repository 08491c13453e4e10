// SPDX-License-Identifier: MIT
// Goal: what is due comes out, once, earliest first.
// Method: a few runs, and a random history against a plain map.
#include "actors/coordinator/deadlines.hpp"
#include "tests/messages/seeded.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::coordinator;

namespace {

mono_time at(std::uint64_t n) {
  return mono_time{} + std::chrono::seconds{n};
}

const auto a = run_id{"a"};
const auto b = run_id{"b"};

} // namespace

BOOST_AUTO_TEST_SUITE(coordinator_deadlines)

BOOST_AUTO_TEST_CASE(a_deadline_is_due_at_its_instant_and_comes_out_once) {
  deadlines d;
  d.set(a, deadline_kind::lease, at(5));

  BOOST_TEST(!d.take_due(at(5) - std::chrono::nanoseconds{1}).has_value());
  BOOST_TEST((d.take_due(at(5)) == std::pair{a, deadline_kind::lease}));
  BOOST_TEST(!d.take_due(at(9)).has_value());
  BOOST_TEST(!d.next().has_value());
}

BOOST_AUTO_TEST_CASE(setting_again_replaces_and_kinds_are_apart) {
  deadlines d;
  d.set(a, deadline_kind::lease, at(5));
  d.set(a, deadline_kind::lease, at(7));
  d.set(a, deadline_kind::detached, at(6));
  d.set(b, deadline_kind::lease, at(8));
  d.clear(b, deadline_kind::lease);
  d.clear(b, deadline_kind::detached);

  BOOST_TEST((d.next() == at(6)));
  BOOST_TEST((d.find(a, deadline_kind::lease) == at(7)));
  BOOST_TEST((d.take_due(at(9)) == std::pair{a, deadline_kind::detached}));
  BOOST_TEST((d.take_due(at(9)) == std::pair{a, deadline_kind::lease}));
  BOOST_TEST(!d.take_due(at(9)).has_value());
}

BOOST_AUTO_TEST_CASE(any_history_agrees_with_a_plain_map) {
  test::seeded random{7};
  deadlines d;
  std::map<run_id, mono_time> model;
  for (int i = 0; i < 20'000; ++i) {
    auto run = run_id{std::to_string(random.below(9))};
    auto when = at(random.below(50));
    switch (random.below(3)) {
    case 0:
      d.set(run, deadline_kind::lease, when);
      model[run] = when;
      break;
    case 1:
      d.clear(run, deadline_kind::lease);
      model.erase(run);
      break;
    default:
      if (auto due = d.take_due(when)) {
        for (const auto& [id, t] : model)
          BOOST_REQUIRE((model.at(due->first) <= t));
        BOOST_REQUIRE((model.at(due->first) <= when));
        model.erase(due->first);
      } else {
        for (const auto& [id, t] : model)
          BOOST_REQUIRE((t > when));
      }
    }
    BOOST_REQUIRE(d.next().has_value() == !model.empty());
  }
}

BOOST_AUTO_TEST_SUITE_END()
