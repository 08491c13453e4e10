// SPDX-License-Identifier: MIT
// Goal: only sandboxes that nobody can want are removed. Method: each kind of
// record a found sandbox can have.
#include "actors/node/leftover.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using node::leftover_fate;

namespace {

const sandbox::found_sandbox found{
  {{}, "/root/run-7-ab", {}}, run_no{7}, false};

run_record record_at(run_status status) {
  run_record out;
  out.spec = std::make_shared<const run_spec>();
  out.state.no = run_no{7};
  out.state.sandbox.id = found.where.id;
  out.state.status = status;
  return out;
}

bool becomes(const run_record& run, leftover_fate wanted) {
  return node::fate_of(found, &run) == wanted;
}

} // namespace

BOOST_AUTO_TEST_SUITE(node_leftover)

BOOST_AUTO_TEST_CASE(the_sandbox_of_a_run_that_goes_on_is_kept) {
  BOOST_TEST(becomes(record_at(run_status::running), leftover_fate::keep));
  BOOST_TEST(becomes(record_at(run_status::interrupted), leftover_fate::keep));
}

BOOST_AUTO_TEST_CASE(
  a_run_that_goes_on_keeps_it_even_before_it_names_its_sandbox) {
  auto run = record_at(run_status::running);
  run.state.sandbox = {};
  BOOST_TEST(becomes(run, leftover_fate::keep));
}

BOOST_AUTO_TEST_CASE(a_proven_end_removes_and_kills) {
  auto run = record_at(run_status::completed);
  run.state.exit_code = 0;
  BOOST_TEST(becomes(run, leftover_fate::kill_and_remove));
  run = record_at(run_status::failed);
  run.state.exit_code = 3;
  run.state.error = run_error{errc::exit_nonzero, ""};
  BOOST_TEST(becomes(run, leftover_fate::kill_and_remove));
  for (auto code :
       {errc::launch_failed, errc::workspace_failed, errc::setup_failed}) {
    run = record_at(run_status::failed);
    run.state.error = run_error{code, ""};
    BOOST_TEST(becomes(run, leftover_fate::kill_and_remove));
  }
  BOOST_TEST(
    becomes(record_at(run_status::aborted), leftover_fate::kill_and_remove));
}

BOOST_AUTO_TEST_CASE(an_end_that_nobody_saw_keeps_the_files) {
  auto run = record_at(run_status::failed);
  run.state.error = run_error{errc::agent_lost, ""};
  BOOST_TEST(becomes(run, leftover_fate::keep));
}

BOOST_AUTO_TEST_CASE(a_damaged_record_keeps_what_it_does_not_name) {
  auto run = record_at(run_status::failed);
  run.state.error = run_error{errc::corrupt, ""};
  run.state.sandbox = {};
  BOOST_TEST(becomes(run, leftover_fate::keep));
}

BOOST_AUTO_TEST_CASE(a_lone_guard_is_forgotten_once_its_run_has_ended) {
  auto guard = found;
  guard.is_guard = true;
  for (auto status : {run_status::running, run_status::interrupted}) {
    auto run = record_at(status);
    BOOST_TEST((node::fate_of(guard, &run) == leftover_fate::keep));
  }
  for (auto status :
       {run_status::completed, run_status::failed, run_status::aborted}) {
    auto run = record_at(status);
    BOOST_TEST((node::fate_of(guard, &run) == leftover_fate::forget));
  }
  BOOST_TEST((node::fate_of(guard, nullptr) == leftover_fate::forget));
}

BOOST_AUTO_TEST_CASE(what_the_store_knows_no_run_for_is_left_alone) {
  BOOST_TEST((node::fate_of(found, nullptr) == leftover_fate::keep));
}

BOOST_AUTO_TEST_CASE(what_no_record_names_is_removed_but_nobody_is_killed) {
  auto other = record_at(run_status::completed);
  other.state.exit_code = 0;
  other.state.sandbox.id = "/root/run-7-cd";
  BOOST_TEST(becomes(other, leftover_fate::remove));
}

BOOST_AUTO_TEST_SUITE_END()
