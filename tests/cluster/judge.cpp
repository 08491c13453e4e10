// SPDX-License-Identifier: MIT
#include "tests/cluster/judge.hpp"

#include "tests/support/run_log.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>

namespace baton::test {
namespace {

using log = std::vector<log_entry>;

bool is_same(const log_entry& a, const log_entry& b) {
  return a.seq == b.seq && a.epoch == b.epoch && a.begin == b.begin
         && a.end == b.end && a.data_text == b.data_text;
}

void expect_same(const log& a, const log& b, const std::string& whose) {
  BOOST_TEST(a.size() == b.size(),
             whose << " has " << b.size() << " entries, not " << a.size());
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (!is_same(a[i], b[i])) {
      BOOST_ERROR(whose << ": entry " << i + 1 << " differs");
      return;
    }
}

void expect_counts(const log& entries) {
  for (const auto& x : entries)
    if (x.data_text != counted(x.seq - 1)) {
      BOOST_ERROR("entry " << x.seq << " is " << x.data_text);
      return;
    }
}

/// I1, I6: each entry is of the claim that was the newest at its place.
void expect_fenced(const log& entries, const std::vector<claim>& claims) {
  std::int64_t before = 0;
  for (const auto& x : claims) {
    BOOST_TEST(x.epoch > before);
    before = x.epoch;
  }
  for (const auto& e : entries) {
    auto owner = std::ranges::find(claims, e.epoch, &claim::epoch);
    auto is_right = owner != claims.end() && owner->first_seq <= e.seq;
    if (is_right && std::next(owner) != claims.end())
      is_right = e.seq < std::next(owner)->first_seq;
    if (is_right)
      continue;
    BOOST_ERROR("entry " << e.seq << " is of epoch " << e.epoch
                         << ", whose claim does not reach so far");
    return;
  }
}

void expect_ended_well(const json::object& record) {
  BOOST_TEST(record.at("status").as_string() == "completed",
             json::serialize(record));
  auto* code = record.if_contains("exit_code");
  BOOST_TEST((code != nullptr && code->to_number<int>() == 0));
}

/// What an end fixes: viewers go on to come and go, and the sandbox goes.
json::object final_part(json::object record) {
  for (auto* name : {"viewers", "detached_since"})
    record.erase(name);
  for (auto* name : {"sandbox", "cancel"})
    if (auto* part = record.if_contains(name))
      for (auto* moving : {"state", "stage"})
        part->as_object().erase(moving);
  return record;
}

} // namespace

void judge_log(const std::vector<log_entry>& entries,
               const std::vector<claim>& claims, std::int64_t count) {
  expect_counts(entries);
  expect_fenced(entries, claims);
  if (count >= 0)
    BOOST_TEST(static_cast<std::int64_t>(entries.size()) == count);
}

void judge(cluster& c, const std::string& run, std::int64_t count,
           const std::vector<const watcher*>& viewers) {
  BOOST_TEST_CONTEXT("run " << run) {
    auto record = c.coordinator().record(run);
    auto entries = read_log(c.coordinator(), run);
    auto claims = claims_of(c.coordinator(), run);
    expect_ended_well(record);
    judge_log(entries, claims, count);
    BOOST_TEST(claims.back().epoch
               == record.at("epoch").to_number<std::int64_t>());
    BOOST_TEST(c.launches(run) == 1U);
    for (std::size_t i = 0; i < c.size(); ++i) {
      auto& d = c.node(i);
      if (!d.alive())
        continue;
      expect_invariants(d, run);
      expect_same(entries, read_log(d, run), "node " + std::to_string(i));
      BOOST_TEST((final_part(d.record(run)) == final_part(record)));
    }
    for (const auto* x : viewers) {
      BOOST_TEST(x->fault() == "");
      BOOST_TEST(x->ended());
      expect_same(entries, x->seen(), "a viewer");
    }
  }
}

std::string last_cause(const daemon& d, std::string_view run) {
  return claims_of(d, run).back().cause;
}

} // namespace baton::test
