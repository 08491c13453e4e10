// SPDX-License-Identifier: MIT
// Goal: a confined agent works like any other, ends as exactly, and leaves
// nothing behind. tests/conformance runs the kit too; here is what only
// confinement can get wrong.
// Method: real agents, real bubblewrap, and programs in bubblewrap's place.
#include "actors/sandbox/process_tree.hpp"
#include "tests/actors/sandbox/confined_world.hpp"

#include <boost/test/unit_test.hpp>

#include <signal.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace baton::sandbox::test {
namespace {

namespace fs = std::filesystem;
namespace utf = boost::unit_test;

constexpr int tree_end_ms = 8000;

std::string mark_of(const launch_order& x) {
  return std::string{sandbox_variable} + "=" + x.where.id;
}

/// A provider with that program in bubblewrap's place.
std::unique_ptr<provider> with_program(const sandbox_world& w,
                                       const std::string& program) {
  bwrap_options options;
  options.where = {w.root(), BATON_BIN_DIR "/baton-shim"};
  options.bwrap = program;
  auto made = bwrap_provider::open(std::move(options));
  BOOST_REQUIRE(made.ok());
  return std::move(*made);
}

std::string script(const sandbox_world& w, const std::string& text) {
  auto path = w.outside() / "program";
  std::ofstream{path} << "#!/bin/sh\n" << text << "\n";
  ::chmod(path.c_str(), 0700);
  return path;
}

BOOST_AUTO_TEST_SUITE(bwrap, *utf::precondition(can_confine))

BOOST_FIXTURE_TEST_CASE(home_and_start_are_the_workspace, confined_world) {
  auto x = order("pwd; echo $HOME $TMPDIR; umask; touch kept; "
                 "touch /tmp/a /var/tmp/b /dev/shm/c && ls /tmp");
  BOOST_REQUIRE(here().launch(x).ok());
  auto mask = ::umask(022);
  ::umask(mask);
  BOOST_TEST(output_of(x).starts_with("/workspace\n/workspace /tmp\n0"));
  BOOST_TEST(output_of(x).ends_with("\na\nb\n"));
  BOOST_TEST(fs::exists(work_of(x) + "/kept"));
}

BOOST_FIXTURE_TEST_CASE(a_relative_directory_lies_in_the_workspace,
                        confined_world) {
  auto x = order("pwd");
  x.cwd = "../tmp";
  BOOST_REQUIRE(here().launch(x).ok());
  BOOST_TEST(output_of(x) == "/tmp\n");
}

BOOST_FIXTURE_TEST_CASE(an_ordered_directory_is_the_host_s, confined_world) {
  fs::create_directories(outside() / "real/project");
  fs::create_directory_symlink(outside() / "real", outside() / "link");
  std::ofstream{outside() / "real/project/there"} << "content";
  for (std::string name : {"real", "link"}) {
    auto x = order("pwd; cat there; ls ..; echo x > made-" + name);
    x.cwd = outside() / (name + "/project/");
    BOOST_REQUIRE(here().launch(x).ok());
    // A shell resolves no link that is none inside.
    BOOST_TEST(output_of(x)
               == outside() / (name + "/project\ncontentproject\n"));
    BOOST_TEST(fs::exists(outside() / ("real/project/made-" + name)));
  }
}

BOOST_FIXTURE_TEST_CASE(twenty_thousand_arguments_arrive, confined_world) {
  auto x = order("");
  x.command.shell = false;
  x.command.argv = {"sh", "-c", "echo $#", "name"};
  x.command.argv.insert(x.command.argv.end(), 20'000, "argument");
  BOOST_REQUIRE(here().launch(x).ok());
  BOOST_TEST(output_of(x) == "20000\n");
}

BOOST_FIXTURE_TEST_CASE(what_makes_a_loader_run_code_acts_inside_only,
                        confined_world) {
  auto x = order("env; echo ready; exec sleep 100");
  x.env = {{"LD_PRELOAD", "/nonexistent.so"}, {"PLAIN", "value"}};
  BOOST_REQUIRE(here().launch(x).ok());
  BOOST_REQUIRE(eventually([&] { return journal_of(x).ends_with("ready\n"); }));
  auto outer = descendants_of(shim_of(x)).front();
  auto environment = content_of("/proc/" + std::to_string(outer) + "/environ");
  BOOST_TEST(count_of(environment, "PLAIN=value") == 1u);
  BOOST_TEST(count_of(environment, "LD_PRELOAD") == 0u);
  BOOST_TEST(count_of(journal_of(x), "LD_PRELOAD=/nonexistent.so\n") == 1u);
}

BOOST_FIXTURE_TEST_CASE(no_bubblewrap_is_told_before_anything_is_launched,
                        confined_world) {
  auto none = with_program(*this, outside() / "none");
  auto x = order("echo never");

  auto got = none->launch(x);

  BOOST_REQUIRE(!got.ok());
  BOOST_TEST((got.error().code == errc::launch_failed));
  BOOST_TEST(count_of(got.error().message, "Debian package bubblewrap") == 1u);
  BOOST_TEST((state_of(x) == agent_state::not_launched));
  BOOST_TEST(!fs::exists(x.where.id));
  auto tried = static_cast<bwrap_provider&>(*none).try_out();
  BOOST_TEST(count_of(tried.message, "Debian package bubblewrap") == 1u);
}

BOOST_FIXTURE_TEST_CASE(a_confinement_that_cannot_be_made_is_told_as_such,
                        confined_world) {
  auto failing = with_program(
    *this, script(*this, "echo 'first line' >&2; "
                         "echo 'bwrap: No permissions to create' >&2; exit 1"));
  auto x = order("echo never");

  BOOST_REQUIRE(failing->launch(x).ok());

  auto end = end_of(x);
  BOOST_REQUIRE(end.error.has_value());
  BOOST_TEST((end.error->code == errc::launch_failed));
  BOOST_TEST(end.code == 126);
  BOOST_TEST(count_of(end.error->message, "bwrap: No permissions to create")
             == 1u);
  BOOST_TEST(count_of(end.error->message, "package bubblewrap") == 1u);
  BOOST_TEST(journal_of(x) == "");
  BOOST_TEST(here().stderr_tail(x.where, 100).value() == "");
  auto tried = static_cast<bwrap_provider&>(*failing).try_out();
  BOOST_TEST(count_of(tried.message, "No permissions") == 1u);
}

BOOST_FIXTURE_TEST_CASE(a_program_that_went_after_the_check_is_told_as_such,
                        confined_world) {
  // Executable, but no program: what the check before cannot see.
  auto path = outside() / "program";
  std::ofstream{path} << "\x7f"
                         "ELF of nothing";
  ::chmod(path.c_str(), 0700);
  auto broken = with_program(*this, path);
  auto x = order("echo never");

  BOOST_REQUIRE(broken->launch(x).ok());

  auto end = end_of(x);
  BOOST_REQUIRE(end.error.has_value());
  BOOST_TEST(count_of(end.error->message, "cannot be executed") == 1u);
}

BOOST_FIXTURE_TEST_CASE(a_set_up_that_hangs_can_be_killed, confined_world) {
  auto hanging = with_program(*this, script(*this, "exec sleep 100"));
  auto x = order("echo never");
  ignore_result(hanging->launch(x), "it is unknown what will come of it");
  BOOST_REQUIRE((state_of(x) == agent_state::alive));

  BOOST_TEST(eventually([&] {
    ignore_result(here().kill(x.where), "asked again until it is dead");
    return state_of(x) != agent_state::alive;
  }));

  BOOST_TEST(processes_with_variable(mark_of(x)).empty());
}

BOOST_FIXTURE_TEST_CASE(a_directory_of_the_daemon_or_the_system_is_refused,
                        confined_world) {
  auto other = start("true");
  end_of(other);
  fs::create_directory_symlink(root(), outside() / "link");
  for (const auto& cwd :
       {root(), work_of(other), outside().path(), std::string{"/"},
        outside() / "link", std::string{"/proc"}, std::string{"/dev/shm"},
        std::string{"/run"}, std::string{"/etc"}, std::string{"/usr"},
        std::string{"/etc/../usr/"}, std::string{"/sys/kernel"}}) {
    auto x = order("echo never");
    x.cwd = cwd;
    auto got = here().launch(x);
    BOOST_TEST_CONTEXT(cwd) {
      BOOST_REQUIRE(!got.ok());
      BOOST_TEST((got.error().code == errc::launch_failed));
      BOOST_TEST(got.error().message.starts_with("the working directory"));
      BOOST_TEST((state_of(x) == agent_state::not_launched));
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_workspace_brings_in_nothing_of_the_daemon,
                        confined_world) {
  auto other = start("true");
  end_of(other);
  fs::create_directory_symlink(root(), outside() / "link");
  std::ofstream{root() + "/token"} << "t";
  std::vector<workspace_spec> wrong(5);
  wrong[0].source = path_source{root()};
  wrong[1].source = path_source{work_of(other)};
  wrong[2].source = path_source{outside() / "link"};
  wrong[3].source = path_source{outside().path()};
  wrong[4].secrets["T"] = {secret_reference::place::file, root() + "/token"};
  for (const auto& workspace : wrong) {
    auto x = order("echo never");
    x.workspace = std::make_shared<const workspace_spec>(workspace);
    auto got = here().launch(x);
    BOOST_REQUIRE(!got.ok());
    BOOST_TEST((got.error().code == errc::workspace_failed));
    BOOST_TEST((state_of(x) == agent_state::not_launched));
  }
}

BOOST_FIXTURE_TEST_CASE(kept_processes_are_refused, confined_world) {
  auto x = order("true");
  x.keep_processes = true;
  auto got = here().launch(x);
  BOOST_TEST((!got.ok() && got.error().code == errc::unsupported));
  BOOST_TEST((state_of(x) == agent_state::not_launched));
}

// -- endings ------------------------------------------------------------------

BOOST_FIXTURE_TEST_CASE(a_bomb_of_sessions_is_gone_two_seconds_after_a_kill,
                        confined_world) {
  // Each refuses to be asked, and leaves two more behind, up to 200 at a time.
  auto x = order("");
  x.command.shell = false;
  x.command.argv = {
    "perl", "-MPOSIX", "-e",
    "$SIG{TERM}=$SIG{HUP}=q(IGNORE); $|=1; print qq(lit\\n); while(1){ "
    "@p=glob(q(/proc/[0-9]*)); if(@p<200){ if(!fork){ POSIX::setsid(); } } "
    "else { select(undef,undef,undef,0.05); } }"};
  BOOST_REQUIRE(here().launch(x).ok());
  BOOST_REQUIRE(eventually(
    [&] { return processes_with_variable(mark_of(x)).size() >= 100; }));

  BOOST_TEST(here().kill(x.where).ok());

  BOOST_TEST(reaches(x, agent_state::exited, tree_end_ms));
  BOOST_TEST(processes_with_variable(mark_of(x)).empty());
  BOOST_TEST((end_of(x).signal == SIGKILL));
}

// The order tells, whatever the machine's speed: force comes after 1.5 s here,
// and after 2 s outside.
BOOST_FIXTURE_TEST_CASE(who_refuses_is_gone_before_one_outside_asked_earlier,
                        confined_world) {
  auto stubborn = "trap '' TERM HUP; (setsid sleep 1000 &); echo on; "
                  "while :; do sleep 1; done";
  sandbox_world outside;
  auto slow = outside.start(stubborn);
  auto x = start(stubborn);
  BOOST_REQUIRE(eventually([&] {
    return !outside.journal_of(slow).empty() && !journal_of(x).empty();
  }));

  BOOST_TEST(outside.here().kill(slow.where).ok());
  BOOST_TEST(here().kill(x.where).ok());

  BOOST_TEST(outside.reaches(slow, agent_state::exited, tree_end_ms));
  BOOST_TEST((state_of(x) == agent_state::exited));
  BOOST_TEST((end_of(x).signal == SIGKILL));
}

BOOST_FIXTURE_TEST_CASE(a_killed_shim_takes_the_namespace_along,
                        confined_world) {
  auto x = start("setsid sleep 100 & (setsid sleep 100 &) ; echo ready; "
                 "trap '' TERM HUP; while :; do sleep 1; done");
  BOOST_REQUIRE(eventually([&] { return journal_of(x) == "ready\n"; }));
  ::kill(shim_of(x), SIGKILL);
  BOOST_TEST(
    eventually([&] { return processes_with_variable(mark_of(x)).empty(); }));
  BOOST_TEST(reaches(x, agent_state::lost));
}

BOOST_FIXTURE_TEST_CASE(a_killed_bubblewrap_takes_the_namespace_along,
                        confined_world) {
  auto x = start("setsid sleep 100 & echo ready; sleep 100");
  BOOST_REQUIRE(eventually([&] { return journal_of(x) == "ready\n"; }));
  ::kill(descendants_of(shim_of(x)).front(), SIGKILL);
  auto end = end_of(x, tree_end_ms);
  BOOST_TEST(end.code == 137);
  BOOST_TEST((end.signal == SIGKILL));
  BOOST_TEST(processes_with_variable(mark_of(x)).empty());
}

BOOST_FIXTURE_TEST_CASE(an_agent_cannot_end_or_stop_its_namespace,
                        confined_world) {
  auto x = start("kill -9 1; kill -STOP 1; kill -TERM 1; kill -9 -1; exit 6");
  BOOST_TEST(end_of(x).code == 6);
}

BOOST_FIXTURE_TEST_CASE(an_idle_confinement_leaves_the_journal_alone,
                        confined_world) {
  auto x = start("echo ready; exec sleep 100");
  BOOST_REQUIRE(eventually([&] { return journal_of(x) == "ready\n"; }));
  BOOST_TEST(here().kill(x.where).ok());
  auto end = end_of(x);
  BOOST_TEST(end.journal_end.value == 6u);
  BOOST_TEST((end.signal == SIGTERM));
  BOOST_TEST(count_of(journal_of(x), "baton_exit") == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace baton::sandbox::test
