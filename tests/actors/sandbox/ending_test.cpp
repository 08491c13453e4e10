// SPDX-License-Identifier: MIT
// Goal: the end is true, whole and never invented (I5, I11, B4b, B12).
// Method: real agents that end in every way there is, and some that refuse.
#include "tests/actors/sandbox/sandbox_world.hpp"

#include "actors/sandbox/process_tree.hpp"

#include <boost/test/unit_test.hpp>

#include <signal.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace baton::sandbox::test {
namespace {

namespace fs = std::filesystem;

/// A tree has 2 s to end; slack for a busy machine.
constexpr int tree_end_ms = 5000;

std::string marker(const launch_order& x, const exit_report& end) {
  auto out = R"({"baton_exit":{"code":)" + std::to_string(end.code);
  if (end.signal)
    out += R"(,"signal":)" + std::to_string(*end.signal);
  return out + R"(,"journal_end":)" + std::to_string(end.journal_end.value)
         + R"(,"nonce":")" + x.nonce + "\"}}\n";
}

/// Everything a process's files tell that an agent could read.
std::string all_of_proc() {
  std::string out;
  for (const auto& item : fs::directory_iterator{"/proc"}) {
    auto name = item.path().filename().string();
    if (name.find_first_not_of("0123456789") != name.npos
        || name == std::to_string(::getpid()))
      continue;
    out += content_of(item.path() / "cmdline");
    out += content_of(item.path() / "environ");
  }
  return out;
}

/// Shell text that waits for tell(): the launch must be answered before its
/// shim is stopped.
std::string when_told(const sandbox_world& w) {
  return "while [ ! -e " + (w.outside() / "go") + " ]; do sleep 0.02; done; ";
}

void tell(const sandbox_world& w) {
  std::ofstream{w.outside() / "go"} << "go";
}

BOOST_AUTO_TEST_SUITE(sandbox_ending)

BOOST_FIXTURE_TEST_CASE(exit_codes_are_the_agent_s, sandbox_world) {
  for (int code : {0, 3, 255}) {
    auto x = start("echo line; exit " + std::to_string(code));
    auto end = end_of(x);
    BOOST_TEST(end.code == code);
    BOOST_TEST(!end.signal.has_value());
    BOOST_TEST(end.journal_end.value == 5u);
    BOOST_TEST(journal_of(x) == "line\n" + marker(x, end));
  }
}

BOOST_FIXTURE_TEST_CASE(a_death_by_signal_is_told_as_code_and_signal,
                        sandbox_world) {
  auto x = start("echo line; kill -9 $$");
  auto end = end_of(x);
  BOOST_TEST(end.code == 137);
  BOOST_TEST((end.signal == SIGKILL));
  BOOST_TEST(journal_of(x) == "line\n" + marker(x, end));
}

BOOST_FIXTURE_TEST_CASE(a_last_line_without_newline_stays_exact,
                        sandbox_world) {
  auto x = start("printf 'a\\nb'");
  auto end = end_of(x);
  BOOST_TEST(end.journal_end.value == 3u);
  BOOST_TEST(journal_of(x) == "a\nb\n" + marker(x, end));
}

BOOST_FIXTURE_TEST_CASE(no_output_at_all_leaves_the_marker_alone,
                        sandbox_world) {
  auto x = start("true");
  auto end = end_of(x);
  BOOST_TEST(end.journal_end.value == 0u);
  BOOST_TEST(journal_of(x) == marker(x, end));
}

BOOST_FIXTURE_TEST_CASE(lines_like_the_marker_end_nothing, sandbox_world) {
  auto first = start("true");
  end_of(first);
  auto copied = journal_of(first);
  auto go = outside() / "go";
  auto x = start("cat '" + first.where.id
                 + "/journal'; echo '{\"baton_exit\":{\"code\":0,"
                   "\"journal_end\":0,\"nonce\":\"\"}}'; while [ ! -e '"
                 + go + "' ]; do sleep 0.01; done; exit 7");
  BOOST_REQUIRE(eventually([&] { return journal_of(x).size() > 100; }));
  BOOST_TEST((state_of(x) == agent_state::alive));

  std::ofstream{go} << "";

  BOOST_TEST(end_of(x).code == 7);
  BOOST_TEST(output_of(x).starts_with(copied));
}

BOOST_FIXTURE_TEST_CASE(what_outlives_the_main_process_gets_two_seconds,
                        sandbox_world) {
  auto x = start("(sleep 1; echo late) & (exec sleep 100) & "
                 "echo $! > '"
                 + (outside() / "pid") + "'; echo early; exit 3");
  auto begin = now_ms();
  auto end = end_of(x);
  BOOST_TEST(end.code == 3);
  BOOST_TEST(output_of(x) == "early\nlate\n");
  BOOST_TEST(!is_running(pid_in(outside() / "pid")));
  BOOST_TEST(now_ms() - begin < tree_end_ms);
}

BOOST_FIXTURE_TEST_CASE(kept_processes_stay_and_the_run_ends_at_once,
                        sandbox_world) {
  auto x = order("sleep 100 & echo $! > '" + (outside() / "pid") + "'; exit 4");
  x.keep_processes = true;
  BOOST_REQUIRE(here().launch(x).ok());
  BOOST_TEST(end_of(x).code == 4);
  auto pid = pid_in(outside() / "pid");
  BOOST_TEST(is_running(pid));

  BOOST_TEST(here().kill(x.where).ok());

  BOOST_TEST(eventually([&] { return !is_running(pid); }));
}

BOOST_FIXTURE_TEST_CASE(kill_lets_a_willing_agent_say_goodbye, sandbox_world) {
  auto x = start("trap 'echo bye; exit 5' TERM; echo ready; "
                 "while :; do sleep 0.01; done");
  BOOST_REQUIRE(eventually([&] { return journal_of(x) == "ready\n"; }));
  BOOST_TEST(here().kill(x.where).ok());
  BOOST_TEST(end_of(x).code == 5);
  BOOST_TEST(output_of(x) == "ready\nbye\n");
}

BOOST_FIXTURE_TEST_CASE(kill_reaches_ignorers_double_forks_and_new_sessions,
                        sandbox_world) {
  auto ids = outside() / "pids";
  auto id = " echo $$ >> '" + ids + "';";
  auto x = start(
    "trap '' TERM;" + id + " setsid sh -c \"trap '' TERM; echo \\$\\$ >> '"
    + ids
    + "'; while :; do sleep 0.05; done\" & "
      "(setsid sh -c \"echo \\$\\$ >> '"
    + ids
    + "'; exec sleep 100\" & ) & env -i sh -c \"trap '' TERM HUP; echo "
      "\\$\\$ "
      ">> '"
    + ids + "'; while :; do sleep 0.05; done\" & while :; do sleep 0.05; done");
  BOOST_REQUIRE(
    eventually([&] { return count_of(content_of(ids), "\n") == 4; }));
  auto shim = shim_of(x);
  auto tree = descendants_of(shim);
  BOOST_TEST(tree.size() >= 4u);
  auto begin = now_ms();

  BOOST_TEST(here().kill(x.where).ok());

  auto end = end_of(x, tree_end_ms);
  BOOST_TEST(end.code == 137);
  BOOST_TEST((end.signal == SIGKILL));
  BOOST_TEST(now_ms() - begin >= 1900);
  std::ifstream in{ids};
  for (pid_t pid; in >> pid;)
    BOOST_TEST(!is_running(pid));
  BOOST_TEST(eventually([&] { return !is_running(shim); }, 1000));
}

BOOST_FIXTURE_TEST_CASE(kill_beats_a_chain_and_a_crowd_of_forks,
                        sandbox_world) {
  auto ids = outside() / "pids";
  auto x = start("trap '' TERM; chain() { chain & exit; }; "
                 "crowd() { while :; do /bin/true & wait; done; }; "
                 "crowd & crowd & echo go; chain");
  BOOST_REQUIRE(eventually([&] { return journal_of(x) == "go\n"; }));
  BOOST_TEST(here().kill(x.where).ok());
  BOOST_TEST(reaches(x, agent_state::exited, 2 * tree_end_ms));
  auto left = processes_with_variable("BATON_SANDBOX=" + x.where.id);
  BOOST_TEST(left.empty());
}

BOOST_FIXTURE_TEST_CASE(kill_twice_and_after_the_end_is_harmless,
                        sandbox_world) {
  auto x = start("exec sleep 100");
  BOOST_TEST(here().kill(x.where).ok());
  BOOST_TEST(here().kill(x.where).ok());
  auto end = end_of(x);
  BOOST_TEST((end.signal == SIGTERM));
  BOOST_TEST(end.code == 143);
  BOOST_TEST(here().kill(x.where).ok());
  BOOST_TEST((end_of(x) == end));
  BOOST_TEST(here().kill(order("never launched").where).ok());
}

BOOST_FIXTURE_TEST_CASE(kill_asks_first_without_a_place_for_guards,
                        sandbox_world) {
  auto x =
    start("trap 'exit 5' TERM; echo ready; while :; do sleep 0.01; done");
  BOOST_REQUIRE(eventually([&] { return journal_of(x) == "ready\n"; }));
  std::filesystem::remove_all(root() + "/guards");
  BOOST_TEST(here().kill(x.where).ok());
  std::filesystem::create_directory(root() + "/guards");
  BOOST_TEST(end_of(x).code == 5);
}

BOOST_FIXTURE_TEST_CASE(kill_works_without_the_control_pipe, sandbox_world) {
  auto x = start("rm -f ../control; echo ready; exec sleep 100");
  BOOST_REQUIRE(eventually([&] { return journal_of(x) == "ready\n"; }));
  BOOST_TEST(here().kill(x.where).ok());
  BOOST_TEST((end_of(x).signal == SIGTERM));
}

BOOST_FIXTURE_TEST_CASE(a_stopped_tree_is_killed_truthfully, sandbox_world) {
  auto x = start("exec sleep 100");
  auto shim = shim_of(x);
  for (auto pid : descendants_of(shim))
    ::kill(pid, SIGSTOP);
  ::kill(shim, SIGSTOP);
  BOOST_TEST((state_of(x) == agent_state::alive));

  BOOST_TEST(here().kill(x.where).ok());

  BOOST_TEST((end_of(x, tree_end_ms).signal == SIGTERM));
}

BOOST_FIXTURE_TEST_CASE(a_shim_its_agent_stopped_tells_the_end_all_the_same,
                        sandbox_world) {
  auto x = start(when_told(*this) + "kill -STOP $PPID; echo stopped");
  tell(*this);
  BOOST_TEST(end_of(x).code == 0);
  BOOST_TEST(output_of(x) == "stopped\n");
}

BOOST_FIXTURE_TEST_CASE(agent_and_shim_stopped_are_killed_when_asked,
                        sandbox_world) {
  auto x = start(when_told(*this) + "kill -STOP $PPID; kill -STOP $$");
  auto shim = shim_of(x);
  tell(*this);
  BOOST_REQUIRE(eventually([&] { return is_stopped(shim); }));
  BOOST_TEST((state_of(x) == agent_state::alive));
  BOOST_TEST(eventually([&] { return !is_stopped(shim); }));

  BOOST_TEST(here().kill(x.where).ok());

  BOOST_TEST(*end_of(x).signal == SIGTERM);
}

BOOST_FIXTURE_TEST_CASE(a_shim_that_does_not_obey_dies_with_its_tree,
                        sandbox_world) {
  auto x = start("trap '' TERM; while :; do sleep 0.05; done");
  auto shim = shim_of(x);
  auto tree = descendants_of(shim);
  BOOST_TEST(here().kill(x.where).ok());
  // Held by a tracer it hears neither the control pipe nor SIGCONT.
  if (::ptrace(PTRACE_SEIZE, shim, nullptr, nullptr) < 0) {
    BOOST_TEST_MESSAGE("skipped: holding a shim needs root");
    return;
  }
  ::ptrace(PTRACE_INTERRUPT, shim, nullptr, nullptr);
  int status = 0;
  BOOST_REQUIRE(::waitpid(shim, &status, 0) == shim);
  auto begin = now_ms();
  BOOST_TEST(eventually(
    [&] {
      ignore_result(here().kill(x.where), "repeated until it works");
      return state_of(x) != agent_state::alive;
    },
    2 * tree_end_ms));
  BOOST_TEST(now_ms() - begin >= 3000);
  BOOST_TEST((state_of(x) == agent_state::lost));
  for (auto pid : tree)
    BOOST_TEST(eventually([&] { return !is_running(pid); }, 1000));
  ::waitpid(shim, &status, 0);
}

BOOST_FIXTURE_TEST_CASE(a_killed_shim_takes_its_agent_along, sandbox_world) {
  auto x = start("echo $$ > '" + (outside() / "pid") + "'; exec sleep 100");
  auto agent = pid_in(outside() / "pid");
  ::kill(shim_of(x), SIGKILL);
  BOOST_TEST(eventually([&] { return !is_running(agent); }));
  BOOST_TEST(reaches(x, agent_state::lost));
  BOOST_TEST(journal_of(x) == "");
}

BOOST_FIXTURE_TEST_CASE(agent_and_shim_killed_is_lost_and_leftovers_die,
                        sandbox_world) {
  auto x = start("echo a; setsid sh -c 'echo $$ > \"" + (outside() / "left")
                 + "\"; exec sleep 100' & echo $$ > '" + (outside() / "pid")
                 + "'; wait");
  auto agent = pid_in(outside() / "pid");
  auto left = pid_in(outside() / "left");
  ::kill(agent, SIGSTOP);
  ::kill(shim_of(x), SIGKILL);
  ::kill(agent, SIGKILL);
  BOOST_REQUIRE(reaches(x, agent_state::lost, tree_end_ms));
  BOOST_TEST(is_running(left));
  BOOST_TEST((*here().launch(x) == launch_outcome::already));

  BOOST_TEST(here().kill(x.where).ok());

  BOOST_TEST(eventually([&] { return !is_running(left); }));
  BOOST_TEST((state_of(x) == agent_state::lost));
  BOOST_TEST(here().remove(x.where).ok());
}

BOOST_FIXTURE_TEST_CASE(an_end_is_never_seen_as_lost, sandbox_world) {
  for (int i = 0; i < 100; ++i) {
    auto x = order("exit 9");
    std::vector<agent_state> seen;
    BOOST_REQUIRE(here().launch(x).ok());
    while (seen.empty() || seen.back() == agent_state::alive)
      seen.push_back(state_of(x));
    BOOST_REQUIRE((seen.back() == agent_state::exited));
  }
}

BOOST_FIXTURE_TEST_CASE(an_exit_record_the_agent_forges_does_not_count,
                        sandbox_world) {
  auto first = start("exit 0");
  end_of(first);
  auto x = start("cat '" + first.where.id
                 + "/exit' > forged; mv forged ../exit; echo ready; exit 6");
  BOOST_TEST(end_of(x).code == 6);
}

BOOST_FIXTURE_TEST_CASE(the_nonce_stands_nowhere_while_the_agent_lives,
                        sandbox_world) {
  auto x = start("echo ready; exec sleep 100");
  BOOST_REQUIRE(eventually([&] { return journal_of(x) == "ready\n"; }));

  BOOST_TEST(count_of(all_of_proc(), x.nonce) == 0u);
  for (const auto& item : fs::recursive_directory_iterator{root()})
    if (item.is_regular_file())
      BOOST_TEST(count_of(content_of(item.path()), x.nonce) == 0u);

  BOOST_TEST(here().kill(x.where).ok());
  end_of(x);
  BOOST_TEST(count_of(journal_of(x), x.nonce) == 1u);
  BOOST_TEST(count_of(content_of(x.where.id + "/exit"), x.nonce) == 1u);
}

BOOST_FIXTURE_TEST_CASE(a_full_disk_loses_the_marker_but_not_the_end,
                        sandbox_world) {
  auto small = outside() / "small";
  fs::create_directories(small);
  if (::mount("baton-test", small.c_str(), "tmpfs", 0, "size=256k,mode=700")
      < 0) {
    BOOST_TEST_MESSAGE("skipped: mounting a small disk needs root");
    return;
  }
  fs::create_directories(small + "/guards");
  auto x = order("dd if=/dev/zero of=filler bs=1k 2>/dev/null; "
                 "head -c 9000 /dev/zero; exit 3");
  x.where.id = small + "/run-1";
  auto got = here().launch(x);
  BOOST_TEST(got.ok());
  if (got.ok()) {
    auto end = end_of(x);
    BOOST_TEST(end.code == 3);
    BOOST_TEST(fs::file_size(x.where.id + "/journal") == end.journal_end.value);
  }
  BOOST_TEST(::umount(small.c_str()) == 0);
}

BOOST_FIXTURE_TEST_CASE(an_idle_shim_is_small, sandbox_world) {
  auto x = start("exec sleep 100");
  auto status = content_of("/proc/" + std::to_string(shim_of(x)) + "/status");
  auto at = status.find("VmRSS:");
  BOOST_REQUIRE(at != status.npos);
  auto rss_kib = std::stol(status.substr(at + 6));
  BOOST_TEST_MESSAGE("an idle shim holds " << rss_kib << " KiB");
  BOOST_TEST(rss_kib > 0);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace baton::sandbox::test
