// SPDX-License-Identifier: MIT
// Goal: legal histories pass, and each way of breaking the contract is seen.
// Method: histories by hand, one broken promise each.
#include "actors/sim/history/linearizability.hpp"

#include <boost/test/unit_test.hpp>

namespace baton::history {
namespace {

/// A time that never comes: of operations without an answer.
constexpr std::int64_t never = 1'000'000;

struct span_of {
  std::int64_t from;
  std::int64_t to;
};

operation at(span_of when, verb what, answer got) {
  operation out;
  out.what = what;
  out.invoked_ns = when.from;
  out.returned_ns = when.to;
  out.got = std::move(got);
  return out;
}

operation claim(span_of when, std::uint64_t epoch, std::uint64_t next_seq = 1) {
  return at(when, verb::claim, {outcome::ok, epoch, next_seq});
}

operation append(span_of when, std::uint64_t epoch, std::uint64_t first,
                 std::vector<std::string> lines, answer got) {
  auto out = at(when, verb::append, std::move(got));
  out.epoch = epoch;
  out.first_seq = first;
  out.lines = std::move(lines);
  return out;
}

answer added(std::uint64_t last_seq) {
  return {outcome::ok, {}, last_seq, {}, false};
}

answer repeated(std::uint64_t last_seq) {
  return {outcome::ok, {}, last_seq, {}, true};
}

operation held_by(verb what, span_of when, std::uint64_t epoch, answer got) {
  auto out = at(when, what, std::move(got));
  out.epoch = epoch;
  return out;
}

operation finish(span_of when, std::uint64_t epoch, std::string status,
                 answer got) {
  auto out = held_by(verb::finish, when, epoch, std::move(got));
  out.status = std::move(status);
  return out;
}

operation read(span_of when, std::vector<log_item> log) {
  answer got{outcome::ok};
  got.log = std::move(log);
  return at(when, verb::read, std::move(got));
}

operation shown(span_of when, std::uint64_t epoch, std::uint64_t entries,
                std::string status) {
  return at(when, verb::read,
            {outcome::ok, epoch, entries, {}, {}, std::move(status)});
}

verdict verdict_on(std::vector<operation> all) {
  return check(std::move(all)).what;
}

const auto legal = verdict::linearizable;
const auto illegal = verdict::impossible;

} // namespace
} // namespace baton::history

namespace std {

static ostream& operator<<(ostream& out, baton::history::verdict x) {
  return out << static_cast<int>(x);
}

} // namespace std

namespace baton::history {

BOOST_AUTO_TEST_SUITE(history_linearizability)

// -- what is legal ------------------------------------------------------------

BOOST_AUTO_TEST_CASE(one_driver_after_another_is_legal) {
  BOOST_TEST(verdict_on({}) == legal);
  BOOST_TEST(
    verdict_on(
      {claim({0, 1}, 1), append({2, 3}, 1, 1, {"a", "b"}, added(2)),
       claim({4, 5}, 2, 3), append({6, 7}, 2, 3, {"c"}, added(3)),
       append({8, 9}, 1, 3, {"x"}, {outcome::fenced, 2}),
       append({10, 11}, 2, 2, {"b"}, repeated(2)),
       append({12, 13}, 2, 5, {"e"}, {outcome::gap, {}, 4}),
       append({14, 15}, 2, 3, {"z"}, {outcome::mismatch, {}, 3}),
       read({16, 17}, {{1, "a"}, {1, "b"}, {2, "c"}}),
       finish({18, 19}, 2, "failed", {outcome::ok, 2, 3, 6, {}, "failed"}),
       finish({20, 21}, 2, "failed", {outcome::ok}),
       finish({22, 23}, 2, "completed", {outcome::terminal}),
       append({24, 25}, 2, 4, {"d"}, {outcome::terminal}),
       append({26, 27}, 2, 3, {"c"}, repeated(3)),
       at({28, 29}, verb::claim, {outcome::terminal}),
       shown({30, 31}, 2, 3, "failed")})
    == legal);
}

BOOST_AUTO_TEST_CASE(what_overlaps_may_take_effect_in_either_order) {
  BOOST_TEST(verdict_on({claim({0, 9}, 2), claim({1, 8}, 1)}) == legal);
  BOOST_TEST(verdict_on({claim({0, 1}, 1),
                         append({2, 9}, 1, 1, {"a"}, {outcome::fenced, 2}),
                         claim({3, 8}, 2)})
             == legal);
  BOOST_TEST(
    verdict_on({claim({0, 1}, 1), append({2, 9}, 1, 1, {"a"}, added(1)),
                claim({3, 8}, 2, 2), shown({3, 8}, 1, 1, "running"),
                read({4, 5}, {})})
    == legal);
}

BOOST_AUTO_TEST_CASE(what_has_no_answer_may_take_effect_late_or_never) {
  auto lost = append({2, never}, 1, 1, {"a"}, {});
  BOOST_TEST(verdict_on({claim({0, 1}, 1), lost, read({4, 5}, {})}) == legal);
  BOOST_TEST(verdict_on({claim({0, 1}, 1), lost, read({4, 5}, {}),
                         read({6, 7}, {{1, "a"}})})
             == legal);
  BOOST_TEST(verdict_on({claim({0, 1}, 1), lost,
                         append({4, 5}, 1, 1, {"a"}, repeated(1))})
             == legal);
  BOOST_TEST(verdict_on({at({0, never}, verb::claim, {}),
                         at({0, never}, verb::claim, {}), claim({4, 5}, 3)})
             == legal);
  BOOST_TEST(
    verdict_on({claim({0, 1}, 1), finish({2, never}, 1, "aborted", {}),
                shown({3, 4}, 1, 0, "running"), shown({5, 6}, 1, 0, "aborted")})
    == legal);
}

BOOST_AUTO_TEST_CASE(a_claim_given_back_can_be_taken_again) {
  BOOST_TEST(
    verdict_on(
      {claim({0, 1}, 1), held_by(verb::renew, {2, 3}, 1, {outcome::ok, 1, 1}),
       at({4, 5}, verb::claim, {outcome::held, 1}),
       held_by(verb::release, {6, 7}, 1, {outcome::ok}),
       held_by(verb::release, {8, 9}, 1, {outcome::fenced, 1}),
       append({10, 11}, 1, 1, {"a"}, {outcome::fenced, 1}), claim({12, 13}, 2)})
    == illegal);
  auto polite = at({4, 5}, verb::claim, {outcome::held, 1});
  polite.steal = false;
  BOOST_TEST(
    verdict_on(
      {claim({0, 1}, 1), held_by(verb::renew, {2, 3}, 1, {outcome::ok, 1, 1}),
       polite, held_by(verb::release, {6, 7}, 1, {outcome::ok}),
       held_by(verb::release, {8, 9}, 1, {outcome::fenced, 1}),
       append({10, 11}, 1, 1, {"a"}, {outcome::fenced, 1}), claim({12, 13}, 2)})
    == legal);
}

// -- planted bugs -------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_stale_epoch_that_is_accepted_is_seen) {
  BOOST_TEST(verdict_on({claim({0, 1}, 1), claim({2, 3}, 2),
                         append({4, 5}, 1, 1, {"a"}, added(1))})
             == illegal);
  BOOST_TEST(verdict_on({claim({0, 1}, 1), claim({2, 3}, 2),
                         held_by(verb::renew, {4, 5}, 1, {outcome::ok})})
             == illegal);
  BOOST_TEST(verdict_on({claim({0, 1}, 1), claim({2, 3}, 2),
                         finish({4, 5}, 1, "failed", {outcome::ok})})
             == illegal);
  // Even when nobody was told so, the log shows it.
  BOOST_TEST(
    verdict_on({claim({0, 1}, 1), append({2, never}, 1, 1, {"a"}, {}),
                claim({3, 4}, 2), read({5, 6}, {}), read({7, 8}, {{1, "a"}})})
    == illegal);
}

BOOST_AUTO_TEST_CASE(two_grants_of_one_epoch_are_seen) {
  BOOST_TEST(verdict_on({claim({0, 9}, 1), claim({1, 8}, 1)}) == illegal);
}

BOOST_AUTO_TEST_CASE(epochs_that_go_backwards_or_skip_are_seen) {
  BOOST_TEST(verdict_on({claim({0, 1}, 1), claim({2, 3}, 2), claim({4, 5}, 1)})
             == illegal);
  BOOST_TEST(verdict_on({claim({0, 1}, 2), claim({2, 3}, 1)}) == illegal);
  BOOST_TEST(verdict_on({claim({0, 1}, 1), claim({2, 3}, 3)}) == illegal);
  BOOST_TEST(verdict_on({claim({0, 1}, 1), claim({2, 3}, 2),
                         shown({4, 5}, 1, 0, "running")})
             == illegal);
}

BOOST_AUTO_TEST_CASE(an_acknowledged_append_that_is_lost_is_seen) {
  BOOST_TEST(
    verdict_on({claim({0, 1}, 1), append({2, 3}, 1, 1, {"a"}, added(1)),
                claim({4, 5}, 2, 1)})
    == illegal);
  BOOST_TEST(
    verdict_on({claim({0, 1}, 1), append({2, 3}, 1, 1, {"a"}, added(1)),
                append({4, 5}, 1, 1, {"b"}, added(1))})
    == illegal);
}

BOOST_AUTO_TEST_CASE(a_read_that_misses_or_invents_an_append_is_seen) {
  auto begun = [] {
    return std::vector{claim({0, 1}, 1), append({2, 3}, 1, 1, {"a"}, added(1))};
  };
  for (const auto& wrong :
       {read({4, 5}, {}), read({4, 5}, {{1, "b"}}), read({4, 5}, {{2, "a"}}),
        read({4, 5}, {{1, "a"}, {1, "a"}}), shown({4, 5}, 1, 0, "running"),
        shown({4, 5}, 1, 1, "completed")}) {
    auto all = begun();
    all.push_back(wrong);
    BOOST_TEST(verdict_on(all) == illegal);
  }
}

BOOST_AUTO_TEST_CASE(a_read_that_unsees_what_a_read_saw_is_seen) {
  BOOST_TEST(verdict_on({claim({0, 1}, 1), append({2, never}, 1, 1, {"a"}, {}),
                         read({3, 4}, {{1, "a"}}), read({5, 6}, {})})
             == illegal);
}

BOOST_AUTO_TEST_CASE(a_repeat_that_counts_as_new_is_seen) {
  BOOST_TEST(
    verdict_on({claim({0, 1}, 1), append({2, 3}, 1, 1, {"a"}, added(1)),
                append({4, 5}, 1, 1, {"a"}, added(1))})
    == illegal);
  BOOST_TEST(
    verdict_on({claim({0, 1}, 1), append({2, 3}, 1, 1, {"a"}, repeated(1))})
    == illegal);
  BOOST_TEST(
    verdict_on({claim({0, 1}, 1), append({2, 3}, 1, 1, {"a"}, added(1)),
                append({4, 5}, 1, 1, {"b"}, repeated(1))})
    == illegal);
  BOOST_TEST(verdict_on({claim({0, 1}, 1), append({2, never}, 1, 1, {"a"}, {}),
                         append({4, 5}, 1, 1, {"a"}, repeated(1)),
                         read({6, 7}, {{1, "a"}, {1, "a"}})})
             == illegal);
}

BOOST_AUTO_TEST_CASE(an_end_that_changes_or_is_written_behind_is_seen) {
  auto ended = [] {
    return std::vector{claim({0, 1}, 1),
                       finish({2, 3}, 1, "completed", {outcome::ok})};
  };
  for (const auto& wrong :
       {finish({4, 5}, 1, "failed", {outcome::ok}),
        append({4, 5}, 1, 1, {"a"}, added(1)), claim({4, 5}, 2),
        held_by(verb::renew, {4, 5}, 1, {outcome::ok}),
        shown({4, 5}, 1, 0, "running"), shown({4, 5}, 1, 0, "failed")}) {
    auto all = ended();
    all.push_back(wrong);
    BOOST_TEST(verdict_on(all) == illegal);
  }
}

BOOST_AUTO_TEST_CASE(a_refusal_without_its_reason_is_seen) {
  for (const auto& wrong :
       {append({2, 3}, 1, 1, {"a"}, {outcome::fenced, 1}),
        append({2, 3}, 1, 1, {"a"}, {outcome::gap, {}, 1}),
        append({2, 3}, 1, 1, {"a"}, {outcome::terminal}),
        append({2, 3}, 1, 1, {"a"}, {outcome::mismatch, {}, 1}),
        append({2, 3}, 1, 3, {"a"}, {outcome::gap, {}, 2}),
        append({2, 3}, 2, 1, {"a"}, {outcome::fenced, 2}),
        at({2, 3}, verb::claim, {outcome::terminal})})
    BOOST_TEST(verdict_on({claim({0, 1}, 1), wrong}) == illegal);
}

// -- the search ---------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_search_that_gets_too_long_is_undecided) {
  BOOST_TEST((check({claim({0, 1}, 1), claim({2, 3}, 2)}, 1).what
              == verdict::undecided));
}

BOOST_AUTO_TEST_CASE(a_finding_names_what_it_cannot_explain) {
  auto text = check({claim({0, 1}, 1), claim({2, 3}, 2),
                     append({4, 5}, 1, 1, {"late"}, added(1))})
                .text;
  BOOST_TEST(text.find("epoch 2 (held), 0 entries, running") != text.npos,
             text);
  BOOST_TEST(text.find("append(epoch 1, seq 1, late) -> ok seq 1 new")
               != text.npos,
             text);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::history
