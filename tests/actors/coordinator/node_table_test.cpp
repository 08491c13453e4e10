// SPDX-License-Identifier: MIT
// Goal: runs go to nodes that can drive them, evenly, and nowhere else.
// Method: small tables of nodes, each rule on its own.
#include "actors/coordinator/node_table.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::coordinator;

namespace {

node_hello hello(const char* id, const char* label = "host",
                 std::vector<std::string> providers = {"local"},
                 std::uint64_t life = 1) {
  node_hello out;
  out.node = node_id{id};
  out.incarnation = incarnation{life};
  out.host_label = label;
  out.providers = std::move(providers);
  return out;
}

run_record run_with(const std::function<void(run_spec&, run_state&)>& edit) {
  run_spec spec;
  spec.id = run_id{"r"};
  run_record out;
  edit(spec, out.state);
  out.spec = std::make_shared<const run_spec>(std::move(spec));
  return out;
}

run_record plain_run() {
  return run_with([](run_spec&, run_state&) {});
}

} // namespace

BOOST_AUTO_TEST_SUITE(coordinator_node_table)

BOOST_AUTO_TEST_CASE(a_run_goes_to_the_least_loaded_node_then_the_smaller_id) {
  node_table t;
  t.add(hello("a"), {});
  t.add(hello("b"), {});

  BOOST_TEST((t.choose(plain_run()) == node_id{"a"}));
  t.add_run(node_id{"a"});
  BOOST_TEST((t.choose(plain_run()) == node_id{"b"}));
  t.remove_run(node_id{"a"});
  BOOST_TEST((t.choose(plain_run()) == node_id{"a"}));
}

BOOST_AUTO_TEST_CASE(an_avoided_node_is_taken_only_when_nobody_else_can) {
  node_table t;
  t.add(hello("a"), {});
  BOOST_TEST((t.choose(plain_run(), node_id{"a"}) == node_id{"a"}));

  t.add(hello("b"), {});
  t.add_run(node_id{"b"});

  BOOST_TEST((t.choose(plain_run(), node_id{"a"}) == node_id{"b"}));
}

BOOST_AUTO_TEST_CASE(a_node_without_the_provider_or_the_host_is_not_eligible) {
  node_table t;
  t.add(hello("a", "host", {"bwrap"}), {});
  t.add(hello("b", "other"), {});
  auto bound = run_with([](run_spec&, run_state& s) {
    s.sandbox.id = "box";
    s.sandbox.host_label = "host";
  });

  BOOST_TEST(!t.is_eligible(node_id{"a"}, plain_run()));
  BOOST_TEST(t.is_eligible(node_id{"b"}, plain_run()));
  BOOST_TEST(!t.is_eligible(node_id{"b"}, bound));
  BOOST_TEST(!t.is_eligible(node_id{"unknown"}, plain_run()));
  BOOST_TEST((!t.choose(bound)));
}

BOOST_AUTO_TEST_CASE(a_wish_binds_until_the_run_has_a_sandbox) {
  node_table t;
  t.add(hello("a"), {});
  auto wish =
    run_with([](run_spec& x, run_state&) { x.wanted_node = node_id{"b"}; });
  auto placed = run_with([](run_spec& x, run_state& s) {
    x.wanted_node = node_id{"b"};
    s.sandbox.id = "box";
    s.sandbox.host_label = "host";
  });

  BOOST_TEST((!t.choose(wish)));
  BOOST_TEST((t.choose(placed) == node_id{"a"}));
  t.add(hello("b"), {});
  BOOST_TEST((t.choose(wish) == node_id{"b"}));
}

BOOST_AUTO_TEST_CASE(the_end_of_an_older_life_does_not_touch_the_newer_one) {
  node_table t;
  t.add(hello("a", "host", {"local"}, 1), {});
  BOOST_TEST(t.may_join(hello("a", "host", {"local"}, 1)));
  BOOST_TEST(!t.may_join(hello("a", "host", {"local"}, 2)));
  BOOST_TEST(t.remove(node_id{"a"}, incarnation{1}, {}));
  BOOST_TEST(t.may_join(hello("a", "host", {"local"}, 2)));
  t.add(hello("a", "host", {"local"}, 2), {});

  BOOST_TEST(!t.remove(node_id{"a"}, incarnation{1}, {}));
  BOOST_TEST(t.is_live(node_id{"a"}));
  BOOST_TEST(t.remove(node_id{"a"}, incarnation{2}, {}));
  BOOST_TEST(!t.is_live(node_id{"a"}));
  BOOST_TEST(!t.remove(node_id{"a"}, incarnation{2}, {}));
}

BOOST_AUTO_TEST_CASE(
  a_node_that_beats_is_silent_one_lease_after_its_last_beat) {
  using std::chrono::milliseconds;
  constexpr milliseconds lease{1000};
  auto at = [](int ms) { return mono_time{milliseconds{ms}}; };
  node_table t;
  auto beating = hello("a");
  beating.beats = true;
  t.add(beating, {at(0), {}});
  t.add(hello("never"), {at(0), {}});

  BOOST_TEST((t.next_lapse(lease) == at(1000)));
  BOOST_TEST(t.hear(node_id{"a"}, incarnation{1}, at(600)));
  BOOST_TEST(!t.hear(node_id{"a"}, incarnation{2}, at(700)));
  BOOST_TEST(!t.hear(node_id{"b"}, incarnation{1}, at(700)));

  BOOST_TEST((t.next_lapse(lease) == at(1600)));
  BOOST_TEST(!t.first_silent(at(1599), lease).has_value());
  BOOST_TEST((t.first_silent(at(1600), lease)->first == node_id{"a"}));
  t.hear_all(at(1600));
  BOOST_TEST(!t.first_silent(at(2599), lease).has_value());
  t.remove(node_id{"a"}, incarnation{1}, {});
  BOOST_TEST(!t.next_lapse(lease).has_value());
  BOOST_TEST(!t.hear(node_id{"a"}, incarnation{1}, at(1700)));
}

BOOST_AUTO_TEST_SUITE_END()
