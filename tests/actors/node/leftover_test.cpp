// SPDX-License-Identifier: MIT
// Goal: no launch guard goes that could still stop a launch. Method: each kind
// of record a found guard can have.
#include "actors/node/leftover.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;

namespace {

const sandbox::found_sandbox guard{
  {{}, "/root/run-7-ab", {}, {}}, run_no{7}, true, false, {}};

run_record record_at(run_status status) {
  run_record out;
  out.spec = std::make_shared<const run_spec>();
  out.state.no = run_no{7};
  out.state.status = status;
  return out;
}

} // namespace

BOOST_AUTO_TEST_SUITE(node_leftover)

BOOST_AUTO_TEST_CASE(a_guard_is_forgotten_once_its_run_has_ended) {
  for (auto status : {run_status::running, run_status::interrupted}) {
    auto run = record_at(status);
    BOOST_TEST(!node::may_forget(guard, &run));
  }
  for (auto status :
       {run_status::completed, run_status::failed, run_status::aborted}) {
    auto run = record_at(status);
    BOOST_TEST(node::may_forget(guard, &run));
  }
}

BOOST_AUTO_TEST_CASE(a_guard_that_no_run_is_known_for_is_forgotten) {
  BOOST_TEST(node::may_forget(guard, nullptr));
}

BOOST_AUTO_TEST_SUITE_END()
