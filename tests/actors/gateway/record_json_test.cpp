// SPDX-License-Identifier: MIT
// The JSON of the contract, field by field.
#include "actors/gateway/record_json.hpp"

#include "tests/actors/gateway/pure_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::http;

BOOST_AUTO_TEST_SUITE(gateway_record_json)

BOOST_AUTO_TEST_CASE(a_fresh_run_shows_what_is_known_and_no_more) {
  auto view = test::make_view("r/1");
  view.record.state.status = run_status::running;
  BOOST_TEST(to_json(view)
             == R"({"run_id":"r/1","thread_id":"t","status":"running",)"
                R"("command":["echo","hi"],"waiting":"node",)"
                R"("started_at":"2023-11-14T22:13:20.042Z","epoch":0,)"
                R"("entries":0,"position":0,"viewers":0,)"
                R"("cancel_requested":false,)"
                R"("sandbox":{"provider":"local","state":"none"},)"
                R"("labels":{}})");
}

BOOST_AUTO_TEST_CASE(an_ended_run_shows_everything) {
  auto view = test::make_view("r");
  auto spec = *view.record.spec;
  spec.command = {true, {"echo $X"}};
  spec.cwd = "/w";
  spec.external = true;
  spec.labels = {{"k", "v"}};
  spec.sandbox.reuse = true;
  view.record.spec = std::make_shared<const run_spec>(spec);
  view.viewers = 3;
  auto& s = view.record.state;
  s.status = run_status::failed;
  s.epoch = epoch{4};
  s.holder = "h";
  s.last_seq = seq{7};
  s.end = position{512};
  s.sandbox.key = instance_key{"key"};
  s.sandbox.id = "box";
  s.sandbox.shared_id = "shared";
  s.trimmed = seq{3};
  view.sandbox = sandbox_stage::must_destroy;
  s.cancel_delivered_at = spec.started_at;
  s.cancel_requested_at = spec.started_at;
  s.detached_since = spec.started_at;
  s.finished_at = spec.started_at;
  s.exit_code = 143;
  s.signal = 15;
  s.error = run_error{errc::agent_lost, "gone"};
  s.usage = R"({"n":9007199254740993})";
  auto at = R"("2023-11-14T22:13:20.042Z")";
  BOOST_TEST(
    to_json(view)
    == std::string{R"({"run_id":"r","thread_id":"t","status":"failed",)"}
         + R"("command":"echo $X","cwd":"/w","external":true,"started_at":)"
         + at + R"(,"finished_at":)" + at
         + R"(,"exit_code":143,"signal":15,)"
           R"("error":{"code":"agent_lost","message":"gone"},)"
           R"("usage":{"n":9007199254740993},"holder":"h","epoch":4,)"
           R"("entries":7,"trimmed":3,"position":512,"viewers":3,)"
           R"("detached_since":)"
         + at + R"(,"cancel_requested":true,"cancel":{"requested_at":)" + at
         + R"(,"delivered_at":)" + at + R"(,"stopped_at":)" + at
         + R"(,"stage":"stopped"},"sandbox":{"provider":"local",)"
           R"("key":"key","id":"box","shared_id":"shared","reuse":true,)"
           R"("state":"must_destroy"},"labels":{"k":"v"}})");
}

BOOST_AUTO_TEST_CASE(a_cancel_shows_the_last_stage_it_reached) {
  auto view = test::make_view("r");
  auto& s = view.record.state;
  s = {};
  auto stage = [&] {
    auto text = to_json(view);
    auto at = text.find(R"("stage":")");
    return at == text.npos
             ? "none"
             : text.substr(at + 9, text.find('"', at + 9) - at - 9);
  };
  BOOST_TEST(stage() == "none");
  s.cancel_requested_at = wall_time{};
  BOOST_TEST(stage() == "recorded");
  s.sandbox.id = "box";
  view.sandbox = sandbox_stage::in_use;
  s.cancel_delivered_at = wall_time{};
  BOOST_TEST(stage() == "delivered");
  s.status = run_status::aborted;
  s.finished_at = wall_time{};
  for (auto x : {sandbox_stage::in_use, sandbox_stage::must_destroy,
                 sandbox_stage::kept, sandbox_stage::none}) {
    view.sandbox = x;
    BOOST_TEST(stage() == "stopped");
  }
  view.sandbox = sandbox_stage::gone;
  BOOST_TEST(stage() == "gone");
  // A run that was never launched leaves nothing.
  s.sandbox.id.clear();
  view.sandbox = sandbox_stage::none;
  BOOST_TEST(stage() == "gone");
}

BOOST_AUTO_TEST_CASE(a_run_with_a_workspace_shows_it_and_its_network) {
  auto view = test::make_view("r");
  auto spec = *view.record.spec;
  spec.sandbox.network = false;
  spec.sandbox.workspace.setup = {{"a"}};
  view.record.spec = std::make_shared<const run_spec>(spec);
  BOOST_TEST(to_json(view).find(R"("network":false,"workspace":{"source":)"
                                R"("none","setup_steps":1},"state":"none"})")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_run_that_waits_says_for_what) {
  struct {
    run_status status;
    std::string holder, sandbox;
    sandbox_stage stage;
    bool external, cancelled;
    std::string waits;
  } const table[] = {
    {run_status::running, "", "", sandbox_stage::none, false, false, "node"},
    // Launched, and its node died.
    {run_status::running, "", "box", sandbox_stage::in_use, false, false,
     "node"},
    {run_status::running, "", "", sandbox_stage::must_destroy, false, false,
     "node"},
    {run_status::running, "n", "", sandbox_stage::must_destroy, false, false,
     "sandbox"},
    {run_status::running, "n", "box", sandbox_stage::must_destroy, false, false,
     ""},
    {run_status::running, "n", "", sandbox_stage::none, false, false, ""},
    {run_status::running, "", "", sandbox_stage::none, true, false, ""},
    {run_status::running, "", "", sandbox_stage::none, false, true, ""},
    {run_status::interrupted, "", "", sandbox_stage::none, false, false, ""},
    {run_status::completed, "", "", sandbox_stage::none, false, false, ""},
  };
  for (const auto& x : table) {
    auto view = test::make_view("r");
    auto spec = *view.record.spec;
    spec.external = x.external;
    view.record.spec = std::make_shared<const run_spec>(spec);
    auto& s = view.record.state;
    s.status = x.status;
    s.holder = x.holder;
    s.sandbox.id = x.sandbox;
    if (x.cancelled)
      s.cancel_requested_at = wall_time{};
    view.sandbox = x.stage;
    auto text = to_json(view);
    auto wanted =
      x.waits.empty() ? R"("waiting":)" : R"("waiting":")" + x.waits + "\"";
    BOOST_TEST((text.find(wanted) != text.npos) == !x.waits.empty(), text);
  }
}

BOOST_AUTO_TEST_CASE(a_page_does_not_claim_to_know_a_launched_runs_sandbox) {
  auto view = test::make_view("r");
  view.record.state.sandbox.id = "box";
  view.sandbox = sandbox_stage::none;
  BOOST_TEST(to_json(view).find(R"("state":)") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(errors_carry_facts) {
  BOOST_TEST(error_json(make_status(errc::held, "m"), {{"detached", true}})
             == R"({"error":{"code":"held","message":"m","detached":true}})");
}

BOOST_AUTO_TEST_CASE(sandboxes_and_what_a_sweep_found) {
  BOOST_TEST(gone_json(instance_key{"k"}) == R"({"key":"k","state":"gone"})");

  instance_record x;
  x.key = instance_key{"k"};
  x.provider = "local";
  x.id = "box";
  x.thread = thread_id{"t"};
  x.host_label = "h";
  auto bare = R"({"key":"k","provider":"local","id":"box","thread_id":"t",)"
              R"("host_label":"h","state":"ready",)"
              R"("created_at":"1970-01-01T00:00:00.000Z","attempts":0})";
  BOOST_TEST(to_json(x) == bare);
  BOOST_TEST(to_json(sandbox_list{{x}})
             == std::string{R"({"sandboxes":[)"} + bare + "]}");
  BOOST_TEST(to_json(sandbox_list{}) == R"({"sandboxes":[]})");
  x.run = run_id{"r"};
  x.state = instance_state::must_destroy;
  x.attempts = 2;
  x.last_error = "busy";
  x.next_attempt = wall_time{std::chrono::milliseconds{1000}};
  BOOST_TEST(to_json(x)
             == R"({"key":"k","provider":"local","id":"box","thread_id":"t",)"
                R"("run_id":"r","host_label":"h","state":"must_destroy",)"
                R"("created_at":"1970-01-01T00:00:00.000Z","attempts":2,)"
                R"("last_error":"busy",)"
                R"("next_attempt_at":"1970-01-01T00:00:01.000Z"})");
  garbage_report report;
  report.found.push_back(
    {node_id{"n"}, "local", "box", "kept", "its run is interrupted"});
  report.silent.push_back(node_id{"m"});
  BOOST_TEST(to_json(report)
             == R"({"found":[{"node":"n","provider":"local","id":"box",)"
                R"("fate":"kept","reason":"its run is interrupted"}],)"
                R"("silent_nodes":["m"]})");
}

BOOST_AUTO_TEST_CASE(text_that_is_not_utf8_is_shown_escaped) {
  auto view = test::make_view("r");
  view.record.state.holder = "\xFF";
  BOOST_TEST(to_json(view).find(R"("node":"\\xff")") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(pages_name_the_next_cursor_only_when_there_is_one) {
  run_page page;
  BOOST_TEST(to_json(page) == R"({"runs":[]})");
  page.next = run_no{12};
  BOOST_TEST(to_json(page) == R"({"runs":[],"next_cursor":"12"})");
}

BOOST_AUTO_TEST_CASE(answers_to_drivers) {
  BOOST_TEST(to_json(claim_granted{epoch{3}, seq{8}, position{99}, 500, true})
             == R"({"epoch":3,"next_seq":8,"position":99,"ttl_ms":500,)"
                R"("cancel_requested":true})");
  append_done done;
  done.last_seq = seq{8};
  done.end = position{120};
  BOOST_TEST(to_json(done)
             == R"({"last_seq":8,"position":120,)"
                R"("cancel_requested":false})");
  done.duplicate = true;
  BOOST_TEST(to_json(done)
             == R"({"last_seq":8,"position":120,)"
                R"("cancel_requested":false,"duplicate":true})");
  BOOST_TEST(to_json(run_moved{epoch{3}, node_id{"n"}})
             == R"({"epoch":3,"node":"n"})");
}

BOOST_AUTO_TEST_CASE(claim_history_and_nodes) {
  claim_history history;
  history.claims.push_back({epoch{1}, "n", "placement", seq{1}, wall_time{}});
  history.claims.push_back({epoch{2}, "m", "node_lost", seq{4}, wall_time{}});
  history.claims.push_back({epoch{3}, "n", "takeover", seq{4}, wall_time{}});
  BOOST_TEST(to_json(history, seq{9})
             == R"({"claims":[{"epoch":1,"holder":"n","cause":"placement",)"
                R"("first_seq":1,"last_seq":3,)"
                R"("at":"1970-01-01T00:00:00.000Z"},)"
                R"({"epoch":2,"holder":"m","cause":"node_lost",)"
                R"("first_seq":4,"at":"1970-01-01T00:00:00.000Z"},)"
                R"({"epoch":3,"holder":"n","cause":"takeover",)"
                R"("first_seq":4,"last_seq":9,)"
                R"("at":"1970-01-01T00:00:00.000Z"}]})");
  node_list nodes;
  node_view n;
  n.node = node_id{"n"};
  n.role = "coordinator";
  n.host_label = "h";
  n.state = "live";
  n.incarnation = incarnation{18446744073709551615u};
  n.address = "a:1";
  n.runs = 2;
  nodes.nodes.push_back(n);
  BOOST_TEST(to_json(nodes)
             == R"({"nodes":[{"node_id":"n","role":"coordinator",)"
                R"("host_label":"h","state":"live",)"
                R"("incarnation":"18446744073709551615",)"
                R"("address":"a:1","runs":2,)"
                R"("since":"1970-01-01T00:00:00.000Z"}]})");
}

BOOST_AUTO_TEST_CASE(errors_carry_code_message_and_details) {
  auto why = make_status(errc::held, "run x is held")
               .with("holder", std::string{"h"})
               .with("epoch", 4);
  BOOST_TEST(error_json(why)
             == R"({"error":{"code":"held","message":"run x is held",)"
                R"("holder":"h","epoch":4}})");
}

BOOST_AUTO_TEST_SUITE_END()
