// SPDX-License-Identifier: MIT
// Goal: what dies or stops beside a whole daemon ends no run wrongly and hangs
// none. Method: signals to real daemons, shims and agents while a run is held
// at its gate.
#include "tests/crash/verdict.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <deque>

namespace baton::crash_test {
namespace {

namespace json = boost::json;
using clock = std::chrono::steady_clock;

constexpr auto lost_within = 5s;

/// A started daemon, with runs that wait at the gate behind some output.
class held_world {
public:
  explicit held_world(std::size_t runs = 1) {
    world_.start();
    BOOST_REQUIRE(world_.wait_ready());
    for (std::size_t i = 0; i < runs; ++i) {
      run_plan x;
      x.id = "held-" + std::to_string(i);
      x.seed = i + 1;
      x.lines = 20;
      x.gate_at = 10;
      runs_.emplace_back(world_, x);
    }
    for (const auto& run : runs_)
      BOOST_REQUIRE(
        wait_until([&] { return record(run)["entries"] == 10; }, 30s));
  }

  ~held_world() {
    for (const auto& what : world_.wrong().take())
      BOOST_ERROR(what);
  }

  world& here() { return world_; }
  tended_run& run(std::size_t i = 0) { return runs_.at(i); }

  json::object record(const tended_run& run) const {
    auto answer = world_.ask({"GET", run.path(), {}, {}});
    json::error_code bad;
    auto value = json::parse(answer ? answer->body : "", bad);
    return bad || !value.is_object() ? json::object{} : value.as_object();
  }

  std::string status(std::size_t i = 0) {
    auto x = record(run(i));
    return x.contains("status") ? json::value_to<std::string>(x["status"]) : "";
  }

  pid_t only(std::string_view naming) {
    auto all = world_.processes(naming);
    BOOST_REQUIRE(all.size() == 1u);
    return all.front();
  }
  pid_t shim() { return only("baton-shim"); }
  pid_t agent() { return only("crash_agent"); }

  /// Everything ends as if nothing had happened.
  void end_well() {
    world_.open_gate();
    for (auto& x : runs_) {
      x.finish();
      judge(world_, x);
    }
    world_.expect_clean();
  }

  /// The run ends `failed`, code `agent_lost`, without an invented exit code,
  /// within 5 s from `since`, and its viewer is told.
  void expect_lost(clock::time_point since) {
    BOOST_TEST(wait_until([&] { return status() != "running"; }, 30s));
    auto took = clock::now() - since;
    BOOST_TEST((took <= lost_within),
               "it took " << std::chrono::duration_cast<millis>(took).count()
                          << " ms");
    auto x = record(run());
    BOOST_TEST(x["status"] == "failed");
    BOOST_TEST(x["error"].as_object()["code"] == "agent_lost");
    BOOST_TEST(!x.contains("exit_code"));
    BOOST_TEST(x["entries"] == 10);
    run().finish();
    BOOST_TEST(!run().seen().end.empty());
    BOOST_TEST(world_.processes().empty());
  }

private:
  world world_;
  std::deque<tended_run> runs_;
};

void kill_both(held_world& w) {
  // Stopped first, so that the shim cannot report the agent's death.
  auto shim = w.shim();
  auto agent = w.agent();
  ::kill(shim, SIGSTOP);
  ::kill(agent, SIGKILL);
  ::kill(shim, SIGKILL);
}

} // namespace

BOOST_AUTO_TEST_SUITE(signals)

BOOST_AUTO_TEST_CASE(sigterm_leaves_the_agents_to_the_next_daemon) {
  held_world w{5};
  auto agents = w.here().processes("crash_agent");
  BOOST_TEST(agents.size() == 5u);

  w.here().stop();

  BOOST_TEST((w.here().processes("crash_agent") == agents));
  w.here().start();
  BOOST_REQUIRE(w.here().wait_ready());
  w.end_well();
}

BOOST_AUTO_TEST_CASE(a_run_that_ended_while_no_daemon_lived_is_told_in_full) {
  held_world w{3};
  w.here().kill9();
  w.here().open_gate();
  for (std::size_t i = 0; i < 3; ++i)
    BOOST_REQUIRE(wait_until(
      [&] { return !content_of(w.run(i).notes() + ".done").empty(); }, 30s));
  BOOST_REQUIRE(wait_until([&] { return w.here().processes().empty(); }, 10s));

  w.here().start();
  BOOST_REQUIRE(w.here().wait_ready());
  w.end_well();
}

BOOST_AUTO_TEST_CASE(a_stopped_daemon_goes_on_where_it_was) {
  held_world w{3};
  w.here().signal(SIGSTOP);
  w.here().open_gate();
  for (std::size_t i = 0; i < 3; ++i)
    BOOST_TEST(wait_until(
      [&] { return !content_of(w.run(i).notes() + ".done").empty(); }, 30s));

  w.here().signal(SIGCONT);

  w.end_well();
}

BOOST_AUTO_TEST_CASE(a_killed_agent_ends_its_run_with_its_signal) {
  held_world w;
  ::kill(w.agent(), SIGKILL);

  BOOST_TEST(wait_until([&] { return w.status() != "running"; }, 30s));
  auto x = w.record(w.run());
  BOOST_TEST(x["status"] == "failed");
  BOOST_TEST(x["exit_code"] == 128 + SIGKILL);
  BOOST_TEST(x["signal"] == SIGKILL);
  BOOST_TEST(x["entries"] == 10);
  w.run().finish();
  w.here().expect_clean();
}

BOOST_AUTO_TEST_CASE(a_killed_shim_takes_its_agent_along_and_the_run_is_lost) {
  held_world w;
  ::kill(w.shim(), SIGKILL);
  w.expect_lost(clock::now());
}

BOOST_AUTO_TEST_CASE(agent_and_shim_killed_is_agent_lost_within_5_s) {
  held_world w;
  kill_both(w);
  w.expect_lost(clock::now());
}

BOOST_AUTO_TEST_CASE(what_was_lost_while_no_daemon_lived_is_found_at_once) {
  held_world w;
  w.here().kill9();
  kill_both(w);
  w.here().start();
  BOOST_REQUIRE(w.here().wait_ready());
  w.expect_lost(clock::now());

  // Its log has every byte that stood in its journal: nothing is left to keep.
  BOOST_TEST(wait_until([&] { return w.here().sandboxes().empty(); }, 10s));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::crash_test
