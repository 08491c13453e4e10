// SPDX-License-Identifier: MIT
// Goal: no launch guard goes that could still stop a launch, and a start warns
// only of what a sweep will show. Method: each kind of record that a guard can
// have; a sweep between a played coordinator and host.
#include "actors/node/leftover.hpp"

#include "actors/node/leftover_sweep.hpp"
#include "actors/sandbox/sandbox_host.hpp"
#include "tests/actors/fake_provider.hpp"
#include "tests/actors/simulation.hpp"

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

BOOST_AUTO_TEST_CASE(a_guard_goes_at_once_only_when_no_launch_can_come) {
  node_id self{"n"};
  claim_note mine;
  mine.epoch = epoch{4};
  mine.holder = "n";
  auto run = record_at(run_status::completed);
  run.state.epoch = epoch{4};
  run.state.exit_code = 0;
  run.state.sandbox.id = "/root/run-7-ab";
  auto may = [&](const run_record& x, const std::vector<claim_note>& claims) {
    return node::may_forget_now(self, "/root/run-7-ab", x, claims);
  };
  BOOST_TEST(may(run, {mine}));
  auto failed = run;
  failed.state.status = run_status::failed;
  failed.state.exit_code = 1;
  BOOST_TEST(may(failed, {mine}));
  auto aborted = run;
  aborted.state.status = run_status::aborted;
  BOOST_TEST(may(aborted, {mine}));

  // It goes on, or nobody saw its agent's end.
  for (auto status : {run_status::running, run_status::interrupted}) {
    auto x = run;
    x.state.status = status;
    BOOST_TEST(!may(x, {mine}));
  }
  auto unseen = run;
  unseen.state.exit_code.reset();
  BOOST_TEST(!may(unseen, {mine}));
  // Somebody else drove it, too or alone, or nobody is known to have.
  auto other = mine;
  other.holder = "m";
  auto earlier = mine;
  earlier.epoch = epoch{3};
  BOOST_TEST(!may(run, {other}));
  BOOST_TEST(!may(run, {earlier}));
  BOOST_TEST(!may(run, {earlier, mine}));
  BOOST_TEST(!may(run, {}));
  // It ran in another sandbox.
  auto elsewhere = run;
  elsewhere.state.sandbox.id = "/root/run-7-cd";
  BOOST_TEST(!may(elsewhere, {mine}));
}

namespace {

using sandbox::provider_sandbox;

caf::behavior played_coordinator(caf::event_based_actor*) {
  return {
    [](const list_sandboxes&) {
      instance_record owed;
      owed.key = instance_key{"k"};
      owed.id = "/root/run-7-ab";
      owed.state = instance_state::must_destroy;
      return sandbox_list{{owed}};
    },
    // Their runs were removed.
    [](const list_runs&) { return run_page{}; },
  };
}

caf::behavior played_host(caf::event_based_actor*,
                          std::shared_ptr<sandbox::provider> where) {
  return {[=](const sandbox::list_request&) {
    sandbox::sandboxes_found out;
    for (std::uint64_t no : {7U, 8U}) {
      sandbox::found_sandbox what;
      what.where.id = "/root/run-" + std::to_string(no) + "-ab";
      what.run = run_no{no};
      out.all.push_back(provider_sandbox{where, what});
    }
    return out;
  }};
}

} // namespace

BOOST_AUTO_TEST_CASE(a_start_warns_of_what_no_list_names_and_of_nothing_else) {
  test::simulation sim{1};
  auto where =
    std::make_shared<test::fake_provider>(std::make_shared<test::fake_world>());
  auto coordinator = sim.own(sim.system.spawn(played_coordinator));
  auto host = sim.own(
    sim.system.spawn(played_host, std::shared_ptr<sandbox::provider>{where}));
  std::vector<std::string> said;
  sim.own(
    sim.system.spawn(node::leftover_sweep, coordinator, host,
                     std::vector<std::shared_ptr<sandbox::provider>>{where},
                     [&](const std::string& text) { said.push_back(text); }));
  sim.run_until([&] { return said.size() > 1; });
  BOOST_REQUIRE(said.size() == 1U);
  BOOST_TEST(said[0].find("/root/run-8-ab") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
