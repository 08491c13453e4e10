// SPDX-License-Identifier: MIT
// Goal: the reaper ends what has ended or expired, and nothing else (D3-D5).
// Method: every combination of status, viewers, age, probe and claim.
#include "actors/coordinator/reaper.hpp"

#include <boost/test/unit_test.hpp>

#include <array>

using namespace baton;
using namespace baton::coordinator;

namespace {

constexpr std::array statuses{run_status::running, run_status::interrupted,
                              run_status::completed, run_status::failed,
                              run_status::aborted};
constexpr std::array<std::optional<probe_verdict>, 4> probes{
  std::nullopt, probe_verdict::finished, probe_verdict::producing,
  probe_verdict::unknown};

template <class F>
void for_each_case(F check) {
  for (auto status : statuses)
    for (bool detached : {false, true})
      for (bool expired : {false, true})
        for (auto probe : probes)
          for (bool held : {false, true})
            check(reap_case{status, detached, expired, probe, held});
}

/// Said the other way round: what has to hold for each verdict.
bool is_right(const reap_case& x, reap_verdict v) {
  auto candidate = x.status == run_status::running && x.detached;
  auto finished = x.probe == probe_verdict::finished;
  switch (v) {
  case reap_verdict::leave:
    return !candidate;
  case reap_verdict::finalize:
    return candidate && finished && !x.claim_held;
  case reap_verdict::expire:
    return candidate && x.expired && !finished;
  case reap_verdict::producing:
    return candidate
           && ((finished && x.claim_held)
               || (!x.expired
                   && (x.claim_held || x.probe == probe_verdict::producing)));
  case reap_verdict::unknown:
    return candidate && !x.expired && !x.claim_held
           && x.probe == probe_verdict::unknown;
  case reap_verdict::probe:
    return candidate && !x.expired && !x.claim_held && !x.probe;
  }
  return false;
}

} // namespace

BOOST_AUTO_TEST_SUITE(coordinator_reaper)

BOOST_AUTO_TEST_CASE(every_combination_has_its_one_right_verdict) {
  std::size_t n = 0;
  for_each_case([&](const reap_case& x) {
    n += 1;
    for (int v = 0; v <= static_cast<int>(reap_verdict::unknown); ++v)
      BOOST_TEST((is_right(x, static_cast<reap_verdict>(v))
                  == (reap(x) == static_cast<reap_verdict>(v))),
                 "case " << n << ", verdict " << v);
  });
  BOOST_TEST(n == 5U * 2 * 2 * 4 * 2);
}

BOOST_AUTO_TEST_CASE(only_an_end_that_was_seen_or_expiry_acts) {
  for_each_case([](const reap_case& x) {
    auto v = reap(x);
    if (v == reap_verdict::finalize || v == reap_verdict::expire)
      BOOST_TEST((x.probe == probe_verdict::finished || x.expired));
  });
}

BOOST_AUTO_TEST_CASE(a_run_that_waits_for_a_person_or_is_watched_is_left) {
  for_each_case([](const reap_case& x) {
    if (x.status == run_status::interrupted || !x.detached)
      BOOST_TEST((reap(x) == reap_verdict::leave));
  });
}

BOOST_AUTO_TEST_SUITE_END()
