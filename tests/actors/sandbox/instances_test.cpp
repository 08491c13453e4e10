// SPDX-License-Identifier: MIT
// Goal: one workspace per key, made once, whoever asks, however often, whoever
// dies (E5, I10, BR-039, BR-041). Method: real shims at the same time and after
// one another, killed in between; three providers stand for three nodes.
#include "actors/sandbox/sandbox_layout.hpp"
#include "tests/actors/sandbox/workspace_world.hpp"

#include <boost/test/unit_test.hpp>

#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

namespace baton::sandbox {
namespace {

namespace fs = std::filesystem;
using place = secret_reference::place;
using namespace test;

struct world : workspace_world {
  /// Its set-up leaves a line in `count`, outside.
  workspace_spec counted(const std::string& more = "true") {
    workspace_spec out;
    out.setup = {{"echo $$ >>" + (outside() / "count")}, {more}};
    out.setup_timeout_ms = 60'000;
    return out;
  }

  std::size_t bootstraps() {
    return count_of(content_of(outside() / "count"), "\n");
  }

  /// Launched at the same time over three nodes.
  std::vector<launch_order> start_many(int n, const workspace_spec& spec,
                                       const std::string& text,
                                       const std::string& id) {
    std::vector<launch_order> out;
    for (int i = 0; i < n; ++i)
      out.push_back(order_in(spec, text, id));
    std::vector<std::unique_ptr<provider>> nodes;
    for (int i = 0; i < 3; ++i)
      nodes.push_back(another());
    std::vector<std::thread> callers;
    std::vector<int> launched(out.size(), 0);
    for (std::size_t i = 0; i < out.size(); ++i)
      callers.emplace_back([&, i] {
        auto got = nodes[i % 3]->launch(out[i]);
        launched[i] = got.ok() && *got == launch_outcome::launched;
      });
    for (auto& caller : callers)
      caller.join();
    BOOST_TEST(std::ranges::count(launched, 1) == n);
    return out;
  }

  std::size_t instances() {
    std::size_t n = 0;
    auto found = here().list();
    BOOST_REQUIRE(found.ok());
    for (const auto& x : *found)
      n += x.is_instance;
    return n;
  }
};

BOOST_FIXTURE_TEST_SUITE(sandbox_instances, world)

BOOST_AUTO_TEST_CASE(twenty_starts_make_one_workspace) {
  auto id = instance("k1");
  auto in_work = id + "/" + work_folder;

  auto all = start_many(20, counted("sleep 0.2"),
                        "pwd; echo x >>together; echo done", id);

  for (const auto& x : all) {
    BOOST_REQUIRE(reaches(x, agent_state::exited, 60'000));
    BOOST_TEST(output_of(x) == in_work + "\ndone\n");
  }
  BOOST_TEST(bootstraps() == 1u);
  BOOST_TEST(content_of(in_work + "/together").size() == 40u);
  BOOST_TEST(instances() == 1u);
}

BOOST_AUTO_TEST_CASE(a_later_run_goes_on_with_what_is_there) {
  auto id = instance("k1");
  end_of(start_in(counted(), "echo mine >made", id));

  auto x = start_in(counted(), "cat made", id);

  BOOST_TEST(output_of(x) == "mine\n");
  BOOST_TEST(bootstraps() == 1u);
}

BOOST_AUTO_TEST_CASE(twenty_starts_on_an_existing_workspace_use_it) {
  auto id = instance("k1");
  end_of(start_in(counted(), "echo mine >made", id));

  for (const auto& x : start_many(20, counted(), "cat made", id)) {
    BOOST_REQUIRE(reaches(x, agent_state::exited, 60'000));
    BOOST_TEST(output_of(x) == "mine\n");
  }

  BOOST_TEST(bootstraps() == 1u);
}

BOOST_AUTO_TEST_CASE(a_run_enters_while_another_lives_there) {
  auto id = instance("k1");
  auto gate = outside() / "gate";
  shell("mkfifo " + gate);
  auto first = start_in(counted(), "read line <" + gate, id);

  auto second = start_in(counted(), "echo in", id);

  BOOST_TEST(output_of(second) == "in\n");
  BOOST_TEST((state_of(first) == agent_state::alive));
  shell("echo go >" + gate);
  end_of(first);
}

BOOST_AUTO_TEST_CASE(secrets_are_given_anew_to_each_run) {
  auto id = instance("k1");
  auto spec = counted();
  spec.secrets = {{"TOKEN", {place::file, outside() / "secret"}}};
  for (auto value : {"first", "second"}) {
    std::ofstream{outside() / "secret"} << value;
    auto x = start_in(spec, "echo $TOKEN", id);
    BOOST_TEST(output_of(x) == std::string{value} + "\n");
  }
  BOOST_TEST(bootstraps() == 1u);
  BOOST_TEST(!holds(id, "first"));
}

BOOST_AUTO_TEST_CASE(a_failed_set_up_leaves_no_workspace_and_harms_no_other) {
  auto other = instance("k0");
  end_of(start_in(counted(), "echo mine >made", other));
  auto id = instance("k1");

  auto all = start_many(5, counted("exit 1"), "true", id);

  for (const auto& x : all) {
    BOOST_TEST((failure_of(x).code == errc::setup_failed));
    BOOST_TEST(here().remove(x.where).ok());
  }
  BOOST_TEST(!fs::exists(id));
  BOOST_TEST(instances() == 1u);
  BOOST_TEST(output_of(start_in(counted(), "cat made", other)) == "mine\n");
}

BOOST_AUTO_TEST_CASE(a_half_made_workspace_is_made_anew_without_its_ghosts) {
  auto id = instance("k1");
  auto x = start_in(counted("touch half; setsid sleep 777 & echo $! >"
                            + (outside() / "pid") + "; sleep 778"),
                    "true", id);
  auto ghost = pid_in(outside() / "pid");
  ::kill(shim_of(x), SIGKILL);
  BOOST_REQUIRE(reaches(x, agent_state::lost));
  BOOST_TEST(is_running(ghost));

  auto next = start_in(counted(), "ls -A", id);

  BOOST_TEST(output_of(next) == "");
  BOOST_TEST(eventually([&] { return !is_running(ghost); }));
  BOOST_TEST(bootstraps() == 2u);
}

BOOST_AUTO_TEST_CASE(a_dead_workspace_is_replaced) {
  auto id = instance("k1");
  end_of(start_in(counted(), "true", id));
  fs::remove_all(id + "/work");

  auto x = start_in(counted(), "echo alive", id);

  BOOST_TEST(output_of(x) == "alive\n");
  BOOST_TEST(bootstraps() == 2u);
}

BOOST_AUTO_TEST_CASE(whoever_waits_for_a_workspace_can_be_cancelled) {
  auto id = instance("k1");
  auto first_run = start_in(counted("sleep 777"), "true", id);
  BOOST_REQUIRE(eventually([&] { return bootstraps() == 1; }));
  auto waiting = start_in(counted("sleep 777"), "true", id);

  BOOST_TEST(here().kill(waiting.where).ok());

  BOOST_TEST(end_of(waiting).signal.value_or(0) == SIGTERM);
  BOOST_TEST((state_of(first_run) == agent_state::alive));
  BOOST_TEST(here().kill(first_run.where).ok());
  BOOST_TEST(end_of(first_run).signal.value_or(0) == SIGTERM);
  BOOST_TEST(!fs::exists(id));
}

BOOST_AUTO_TEST_CASE(whoever_waits_goes_on_when_the_maker_is_killed) {
  auto id = instance("k1");
  auto first = counted("test -e " + (outside() / "second") + " || sleep 777");
  auto first_run = start_in(first, "true", id);
  BOOST_REQUIRE(eventually([&] { return bootstraps() == 1; }));
  auto waiting = start_in(first, "echo mine", id);
  std::ofstream{outside() / "second"} << "x";

  ::kill(shim_of(first_run), SIGKILL);

  BOOST_TEST(output_of(waiting) == "mine\n");
  BOOST_TEST(bootstraps() == 2u);
}

BOOST_AUTO_TEST_CASE(a_workspace_is_destroyed_only_when_nobody_lives_in_it) {
  auto id = instance("k1");
  auto gate = outside() / "gate";
  shell("mkfifo " + gate);
  auto x = start_in(counted(),
                    "mkdir -p a/b; touch a/b/c; chmod 0 a/b a; echo in; "
                    "read line <"
                      + gate,
                    id);
  BOOST_REQUIRE(eventually([&] { return journal_of(x) == "in\n"; }));

  BOOST_TEST((here().destroy_instance(id).code == errc::unavailable));
  BOOST_TEST(fs::exists(id + "/work"));
  shell("echo go >" + gate);
  end_of(x);
  BOOST_TEST(eventually([&] { return here().destroy_instance(id).ok(); }));

  BOOST_TEST(!fs::exists(id));
  BOOST_TEST(instances() == 0u);
  BOOST_TEST(here().destroy_instance(id).ok());
  BOOST_TEST(
    (here().destroy_instance(root() + "/run-1-x").code == errc::malformed));
}

BOOST_AUTO_TEST_CASE(a_workspace_being_made_is_not_destroyed) {
  auto id = instance("k1");
  auto x = start_in(counted("sleep 777"), "true", id);
  BOOST_REQUIRE(eventually([&] { return bootstraps() == 1; }));

  BOOST_TEST((here().destroy_instance(id).code == errc::unavailable));

  BOOST_TEST(here().kill(x.where).ok());
  end_of(x);
}

BOOST_AUTO_TEST_CASE(destroying_ends_what_runs_left_behind) {
  auto id = instance("k1");
  auto x = order_in(counted(),
                    "setsid sleep 777 & echo $! >" + (outside() / "pid"), id);
  x.keep_processes = true;
  launch(x);
  auto pid = pid_in(outside() / "pid");
  end_of(x);
  BOOST_TEST(is_running(pid));

  BOOST_TEST(eventually([&] { return here().destroy_instance(id).ok(); }));

  BOOST_TEST(eventually([&] { return !is_running(pid); }));
}

BOOST_AUTO_TEST_CASE(destroying_and_starting_at_once_never_mix) {
  auto id = instance("k1");
  for (int round = 0; round < 10; ++round) {
    auto x = order_in(counted(), "echo x >mine; cat mine; ls -A ..", id);
    std::thread destroyer{[&] {
      for (int i = 0; i < 50; ++i)
        ignore_result(here().destroy_instance(id), "races on purpose");
    }};
    auto got = another()->launch(x);
    destroyer.join();
    BOOST_REQUIRE((got.ok() && *got == launch_outcome::launched));
    BOOST_TEST(output_of(x) == "x\nlock\nready\nwork\n");
  }
}

BOOST_AUTO_TEST_CASE(the_path_of_something_else_is_refused) {
  auto x = order_in({}, "true", "/etc/instances/../k");

  auto got = here().launch(x);

  BOOST_TEST((!got.ok() && got.error().code == errc::malformed));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace baton::sandbox
