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
  if (is_terminal(status))
    out.state.finished_at = wall_time{std::chrono::milliseconds{9}};
  return out;
}

claim_note claim_of(const char* holder, std::uint64_t no) {
  claim_note out;
  out.epoch = epoch{no};
  out.holder = holder;
  out.at = wall_time{std::chrono::milliseconds{no}};
  return out;
}

} // namespace

BOOST_AUTO_TEST_SUITE(node_leftover)

BOOST_AUTO_TEST_CASE(a_start_forgets_a_guard_once_its_run_has_ended) {
  node_id self{"n"};
  std::vector<claim_note> ours{claim_of("n", 3), claim_of("n", 4)};
  for (auto status : {run_status::running, run_status::interrupted}) {
    auto run = record_at(status);
    BOOST_TEST(!node::may_forget(self, guard, run, ours, {}));
    BOOST_TEST(!node::may_forget(self, guard, run, {}, {}));
  }
  for (auto status :
       {run_status::completed, run_status::failed, run_status::aborted}) {
    auto run = record_at(status);
    BOOST_TEST(node::may_forget(self, guard, run, ours, {}));
    BOOST_TEST(node::may_forget(self, guard, run, {}, {}));
  }
}

BOOST_AUTO_TEST_CASE(a_start_keeps_a_guard_while_another_node_may_launch) {
  node_id self{"n"};
  auto run = record_at(run_status::completed);
  run.state.epoch = epoch{4};
  run.state.exit_code = 0;
  node_view other;
  other.node = node_id{"m"};
  other.state = "live";
  auto may = [&](const std::vector<claim_note>& claims) {
    return node::may_forget(self, guard, run, claims, {other});
  };
  std::vector<claim_note> taken_over{claim_of("n", 2), claim_of("m", 3),
                                     claim_of("n", 4)};
  // It may wake up with its order, until it has joined since it lost the claim,
  // which was when the next began.
  BOOST_TEST(!may(taken_over));
  other.since_ms = 4;
  BOOST_TEST(!may(taken_over));
  other.since_ms = 5;
  BOOST_TEST(may(taken_over));
  for (auto state : {"suspect", "gone"}) {
    other.state = state;
    BOOST_TEST(!may(taken_over));
  }
  // The last one saw the end, so it has its answers; else it must join, too.
  other.state = "gone";
  BOOST_TEST(may({claim_of("m", 4)}));
  BOOST_TEST(!may({claim_of("m", 3), claim_of("m", 4)}));
  run.state.exit_code.reset();
  BOOST_TEST(!may({claim_of("m", 4)}));
  other.state = "live";
  other.since_ms = 9;
  BOOST_TEST(!may({claim_of("m", 4)}));
  other.since_ms = 10;
  BOOST_TEST(may({claim_of("m", 4)}));
  // One that nobody knows.
  BOOST_TEST(!may({claim_of("k", 3), claim_of("n", 4)}));
}

BOOST_AUTO_TEST_CASE(a_guard_that_no_run_is_known_for_goes_when_it_is_old) {
  auto lone = guard;
  lone.changed_at = wall_time{std::chrono::hours{1000}};
  auto a_day_later = *lone.changed_at + node::lone_guard_age_min;
  BOOST_TEST(node::may_forget_lone(lone, a_day_later));
  auto before = a_day_later - std::chrono::milliseconds{1};
  BOOST_TEST(!node::may_forget_lone(lone, before));
  // Of no known age; or made by a clock that was ahead.
  BOOST_TEST(!node::may_forget_lone(guard, a_day_later));
  BOOST_TEST(!node::may_forget_lone(lone, wall_time{}));
}

BOOST_AUTO_TEST_CASE(a_guard_goes_at_once_only_when_no_launch_can_come) {
  auto the_only = claim_of("n", 4);
  auto run = record_at(run_status::completed);
  run.state.epoch = epoch{4};
  run.state.exit_code = 0;
  run.state.sandbox.id = "/root/run-7-ab";
  auto may = [&](const run_record& x, const std::vector<claim_note>& claims) {
    return node::may_forget_now("/root/run-7-ab", x, claims);
  };
  BOOST_TEST(may(run, {the_only}));
  auto failed = run;
  failed.state.status = run_status::failed;
  failed.state.exit_code = 1;
  BOOST_TEST(may(failed, {the_only}));
  auto aborted = run;
  aborted.state.status = run_status::aborted;
  BOOST_TEST(may(aborted, {the_only}));

  // It goes on, or nobody saw its agent's end.
  for (auto status : {run_status::running, run_status::interrupted}) {
    auto x = run;
    x.state.status = status;
    BOOST_TEST(!may(x, {the_only}));
  }
  auto unseen = run;
  unseen.state.exit_code.reset();
  BOOST_TEST(!may(unseen, {the_only}));
  // What became of its set-up is told by who was answered.
  for (auto code : {errc::setup_failed, errc::workspace_failed}) {
    unseen.state.error = run_error{code, {}};
    BOOST_TEST(may(unseen, {the_only}));
  }
  for (auto code : {errc::launch_failed, errc::agent_lost, errc::cancelled}) {
    unseen.state.error = run_error{code, {}};
    BOOST_TEST(!may(unseen, {the_only}));
  }
  // Somebody else drove it, too, or nobody is known to have.
  auto earlier = claim_of("n", 3);
  BOOST_TEST(!may(run, {earlier}));
  BOOST_TEST(!may(run, {earlier, the_only}));
  BOOST_TEST(!may(run, {claim_of("m", 3), the_only}));
  BOOST_TEST(!may(run, {}));
  // It ran in another sandbox.
  auto elsewhere = run;
  elsewhere.state.sandbox.id = "/root/run-7-cd";
  BOOST_TEST(!may(elsewhere, {the_only}));
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
    [](const list_nodes&) { return node_list{}; },
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
  sim.own(sim.system.spawn(
    node::leftover_sweep, node_id{"n"}, wall_time{}, coordinator, host,
    std::vector<std::shared_ptr<sandbox::provider>>{where},
    [&](const std::string& text) { said.push_back(text); }));
  sim.run_until([&] { return said.size() > 1; });
  BOOST_REQUIRE(said.size() == 1U);
  BOOST_TEST(said[0].find("/root/run-8-ab") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
