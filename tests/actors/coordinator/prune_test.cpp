// SPDX-License-Identifier: MIT
// Goal: nothing that somebody may want is pruned, and what nobody can want is
// (D7). Method: each row of the table.
#include "actors/coordinator/prune.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::coordinator;
using namespace std::chrono_literals;

namespace {

prune_case of_run(run_status status, const std::string& its_sandbox = "box") {
  prune_case x;
  x.number = run_no{7};
  x.newest = run_no{9};
  x.sandbox_id = "box";
  x.run_is = look_up::found;
  x.run.emplace();
  x.run->status = status;
  x.run->sandbox.id = its_sandbox;
  return x;
}

prune_case of_nobody(std::optional<std::chrono::milliseconds> age) {
  prune_case x;
  x.number = run_no{7};
  x.newest = run_no{9};
  x.age = age;
  return x;
}

bool becomes(const prune_case& x, prune_fate wanted) {
  auto got = prune(x);
  return got.fate == wanted && !got.reason.empty();
}

} // namespace

BOOST_AUTO_TEST_SUITE(coordinator_prune)

BOOST_AUTO_TEST_CASE(what_a_run_left_that_ended_goes) {
  for (auto status : {run_status::completed, run_status::aborted}) {
    BOOST_TEST(becomes(of_run(status), prune_fate::remove));
    BOOST_TEST(becomes(of_run(status, "another"), prune_fate::remove));
  }
  auto failed = of_run(run_status::failed);
  failed.run->exit_code = 3;
  failed.run->error = run_error{errc::exit_nonzero, ""};
  BOOST_TEST(becomes(failed, prune_fate::remove));
}

BOOST_AUTO_TEST_CASE(what_an_end_left_that_nobody_saw_stays) {
  for (auto code :
       {errc::journal_damaged, errc::corrupt, errc::io_failed, errc::mismatch}) {
    auto x = of_run(run_status::failed);
    x.run->error = run_error{code, ""};
    BOOST_TEST(becomes(x, prune_fate::keep));
  }
}

BOOST_AUTO_TEST_CASE(a_run_that_goes_on_gets_its_sandbox_back) {
  for (auto status : {run_status::running, run_status::interrupted}) {
    BOOST_TEST(becomes(of_run(status), prune_fate::adopt));
    BOOST_TEST(becomes(of_run(status, "another"), prune_fate::keep));
    BOOST_TEST(becomes(of_run(status, ""), prune_fate::keep));
  }
}

BOOST_AUTO_TEST_CASE(without_a_run_it_goes_once_it_is_older_than_an_hour) {
  BOOST_TEST(becomes(of_nobody(1h), prune_fate::keep));
  BOOST_TEST(becomes(of_nobody(1h + 1ms), prune_fate::remove));
  BOOST_TEST(becomes(of_nobody(std::nullopt), prune_fate::keep));
}

BOOST_AUTO_TEST_CASE(an_old_copy_of_the_store_prunes_nothing_it_forgot) {
  auto x = of_nobody(90 * 24h);
  x.newest = run_no{6};
  BOOST_TEST(becomes(x, prune_fate::keep));
  x.newest = run_no{7};
  BOOST_TEST(becomes(x, prune_fate::remove));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_looked_up_or_read_stays) {
  auto x = of_nobody(90 * 24h);
  x.run_is = look_up::failed;
  BOOST_TEST(becomes(x, prune_fate::keep));
  x = of_nobody(90 * 24h);
  x.number = {};
  BOOST_TEST(becomes(x, prune_fate::keep));
}

BOOST_AUTO_TEST_CASE(a_shared_workspace_stays_while_a_run_uses_it_or_is_young) {
  BOOST_TEST((prune_shared(true, 90 * 24h).fate == prune_fate::adopt));
  BOOST_TEST((prune_shared(false, 59min).fate == prune_fate::keep));
  BOOST_TEST((prune_shared(false, std::nullopt).fate == prune_fate::keep));
  BOOST_TEST((prune_shared(false, 61min).fate == prune_fate::remove));
}

BOOST_AUTO_TEST_SUITE_END()
