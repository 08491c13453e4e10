// SPDX-License-Identifier: MIT
// Goal: a driver that repeats an append after the log was trimmed goes on as if
// it had not been. Method: a log trimmed in the store between two lives.
#include "tests/actors/coordinator/table_harness.hpp"

#include "storage/fencing.hpp"

using namespace baton;
using namespace baton::test;

namespace {

/// An external run at epoch 1 with entries 1 to 4, of which `gone` are trimmed.
struct trimmed_run : table_harness {
  explicit trimmed_run(std::uint64_t gone) {
    create("r", true);
    get<claim_granted>(claim_run{run_id{"r"}, "driver", 0, false});
    append("r", 1, 1, {"a\n", "bb\n", "ccc\n", "dddd\n"});
    auto change =
      storage::decide_trim(store.load(run_id{"r"}).value(), seq{gone + 1});
    BOOST_REQUIRE(change.ok() && change->has_value());
    BOOST_REQUIRE(store.commit_all({&**change, 1}).ok());
    restart();
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(coordinator_claim_table_trimmed)

BOOST_AUTO_TEST_CASE(what_is_left_of_a_repeated_append_is_compared) {
  trimmed_run t{2};

  auto again = t.append("r", 1, 2, {"bb\n", "ccc\n"});

  BOOST_TEST(again.duplicate);
  BOOST_TEST(again.end.value == 9U);
  auto other = t.refused(t.append_of("r", 1, 2, {"bb\n", "c#c\n"}));
  BOOST_TEST((other.code == errc::mismatch));
}

BOOST_AUTO_TEST_CASE(an_append_that_repeats_trimmed_entries_adds_the_rest) {
  trimmed_run t{4};

  auto done = t.append("r", 1, 3, {"ccc\n", "dddd\n", "new\n"});

  BOOST_TEST(!done.duplicate);
  BOOST_TEST(done.last_seq.value == 5U);
  BOOST_TEST(t.stored("r").last_seq.value == 5U);
}

BOOST_AUTO_TEST_CASE(a_wholly_trimmed_append_is_a_duplicate_where_it_ends) {
  trimmed_run t{4};

  auto last = t.append("r", 1, 3, {"ccc\n", "dddd\n"});
  BOOST_TEST(last.duplicate);
  BOOST_TEST(last.end.value == 14U);
  auto positioned = t.append_of("r", 1, 1, {"a\n", "bb\n"});
  positioned.has_begin = true;
  auto early = t.get<append_done>(positioned);
  BOOST_TEST(early.duplicate);
  BOOST_TEST(early.end.value == 5U);
  // Nothing says any more where that one ends.
  auto unknown = t.refused(t.append_of("r", 1, 1, {"a\n", "bb\n"}));
  BOOST_TEST((unknown.code == errc::trimmed));
}

BOOST_AUTO_TEST_SUITE_END()
