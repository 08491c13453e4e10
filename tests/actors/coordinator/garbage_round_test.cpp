// SPDX-License-Identifier: MIT
// Goal: one look at all nodes ends when all have answered and all that was to
// go has gone, and lets at most 200 go (D7). Method: answers by hand.
#include "actors/coordinator/garbage_round.hpp"

#include "actors/coordinator/prune.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::coordinator;

namespace {

const node_id n{"n"};

claim_table::judged found(const std::string& id, bool removing) {
  claim_table::judged out;
  out.what = {n, "local", id, removing ? "removable" : "kept", "why"};
  if (removing)
    out.debt = instance_key{"debt-" + id};
  return out;
}

sandbox_destroyed gone(const std::string& id, errc code = errc::none) {
  return {instance_key{"debt-" + id}, id, code, code == errc::none ? "" : "no"};
}

} // namespace

BOOST_AUTO_TEST_SUITE(coordinator_garbage_round)

BOOST_AUTO_TEST_CASE(a_round_that_only_looks_removes_nothing) {
  garbage_round round{false};
  BOOST_TEST(!round.may_remove({}));
}

BOOST_AUTO_TEST_CASE(a_round_lets_200_go_over_all_answers_together) {
  garbage_round round{true};
  std::vector<claim_table::judged> first;
  for (std::size_t i = 0; i < prune_deletions_max - 1; ++i)
    first.push_back(found(std::to_string(i), true));
  first.push_back(found("kept", false));
  BOOST_TEST(round.may_remove(first));
  round.asked(n);
  round.answered(n, std::move(first));
  BOOST_TEST(round.may_remove({found("kept too", false)}));
  BOOST_TEST(!round.may_remove({found("last", true)}));
}

BOOST_AUTO_TEST_CASE(it_is_done_when_all_have_answered_and_all_is_gone) {
  garbage_round round{true};
  for (auto id : {"n", "m"})
    round.asked(node_id{id});
  BOOST_TEST(round.waits_for(n));
  round.answered(n, {found("a", true), found("b", true), found("c", false)});
  BOOST_TEST(!round.waits_for(n));
  round.answered(node_id{"m"}, {});
  BOOST_TEST(!round.is_done());
  round.destroyed(gone("a"));
  round.destroyed(gone("somebody else's"));
  BOOST_TEST(!round.is_done());
  round.destroyed(gone("b", errc::io_failed));
  BOOST_TEST(round.is_done());

  auto report = std::move(round).report();
  BOOST_REQUIRE(report.found.size() == 3U);
  BOOST_TEST(report.found[0].fate == "removed");
  BOOST_TEST(report.found[1].fate == "failed");
  BOOST_TEST(report.found[1].reason.starts_with("why; no; "));
  BOOST_TEST(report.found[2].fate == "kept");
  BOOST_TEST(report.silent.empty());
}

BOOST_AUTO_TEST_CASE(who_does_not_answer_and_what_does_not_go_is_told) {
  garbage_round round{true};
  for (auto id : {"n", "m"})
    round.asked(node_id{id});
  round.answered(n, {found("a", true)});
  auto report = std::move(round).report();
  BOOST_REQUIRE(report.silent.size() == 1U);
  BOOST_TEST(report.silent[0].str() == "m");
  BOOST_TEST(report.found[0].fate == "failed");
}

BOOST_AUTO_TEST_SUITE_END()
