// SPDX-License-Identifier: MIT
// Goal: a workspace stands before its agent starts; when it cannot, the run
// ends with the reason, and nothing is left (E6, BR-039). Method: real shims,
// real git, real processes that hang, fail and are killed.
#include "tests/actors/sandbox/workspace_world.hpp"

#include <boost/test/unit_test.hpp>

#include <signal.h>

#include <filesystem>
#include <fstream>

namespace baton::sandbox {
namespace {

namespace fs = std::filesystem;
using place = secret_reference::place;
using namespace test;

workspace_spec from(workspace_source source) {
  workspace_spec out;
  out.source = std::move(source);
  return out;
}

workspace_spec with_setup(std::vector<setup_step> steps) {
  workspace_spec out;
  out.setup = std::move(steps);
  out.setup_timeout_ms = 60'000;
  return out;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

BOOST_FIXTURE_TEST_SUITE(sandbox_preparation, workspace_world)

// -- sources ------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_repository_is_cloned_with_one_commit_of_history) {
  repository source{outside() / "repo"};

  auto x = start_in(from(git_source{source.url(), "", 1}),
                    "cat file; git rev-list --count HEAD; git status -s");

  BOOST_TEST(output_of(x) == "two\n1\n");
}

BOOST_AUTO_TEST_CASE(branches_tags_and_commits_are_refs) {
  repository source{outside() / "repo"};
  const std::vector<std::pair<std::string, std::string>> table{
    {"side", "side\n"},
    {"v1", "one\n"},
    {source.commit("v1"), "one\n"},
    {source.commit("main"), "two\n"}};
  for (const auto& [ref, content] : table) {
    auto x = start_in(from(git_source{source.url(), ref, 1}), "cat file");
    BOOST_TEST(output_of(x) == content);
  }
}

BOOST_AUTO_TEST_CASE(the_whole_history_comes_when_asked_for) {
  repository source{outside() / "repo"};

  auto x = start_in(from(git_source{source.url(), "main", 0}),
                    "git rev-list --count HEAD");

  BOOST_TEST(output_of(x) == "2\n");
}

BOOST_AUTO_TEST_CASE(no_hook_or_template_of_the_host_is_run) {
  repository source{outside() / "repo"};
  auto home = outside() / "home";
  shell("mkdir -p " + home + "/t/hooks; cd " + home
        + "; printf '#!/bin/sh\\ntouch " + home
        + "/ran\\n' >t/hooks/post-checkout; chmod +x t/hooks/post-checkout"
          "; printf '[init]\\ntemplateDir="
        + home + "/t\\n[core]\\nhooksPath=" + home
        + "/t/hooks\\n' >.gitconfig");
  auto x = order_in(from(git_source{source.url(), "", 1}), "cat file");
  x.env["HOME"] = home;

  launch(x);

  BOOST_TEST(output_of(x) == "two\n");
  BOOST_TEST(!fs::exists(home + "/ran"));
}

BOOST_AUTO_TEST_CASE(a_clone_that_fails_is_told_without_its_password) {
  auto x =
    start_in(from(git_source{"https://me:geheim@127.0.0.1:1/r.git", "main", 1}),
             "echo never");

  auto why = failure_of(x);

  BOOST_TEST((why.code == errc::workspace_failed));
  BOOST_TEST(has(why.message, "https://***@127.0.0.1:1/r.git at main"));
  BOOST_TEST(!has(why.message, "geheim"));
  BOOST_TEST(!holds(root(), "geheim"));
}

BOOST_AUTO_TEST_CASE(a_ref_that_is_not_there_is_told) {
  repository source{outside() / "repo"};

  auto why =
    failure_of(start_in(from(git_source{source.url(), "none", 1}), "true"));

  BOOST_TEST((why.code == errc::workspace_failed));
  BOOST_TEST(has(why.message, "none not found"));
}

BOOST_AUTO_TEST_CASE(a_node_without_git_says_what_to_install) {
  auto x = order_in(from(git_source{"file:///none", "", 1}), "true");
  x.env["PATH"] = outside() / "nothing";

  launch(x);

  auto why = failure_of(x);
  BOOST_TEST((why.code == errc::workspace_failed));
  BOOST_TEST(has(why.message, "install the package git"));
}

BOOST_AUTO_TEST_CASE(a_folder_is_copied_and_its_links_stay_links) {
  shell("mkdir -p " + (outside() / "tree/sub") + "; cd " + (outside() / "tree")
        + "; echo x >sub/file; chmod 751 sub; ln -s /etc/passwd link");

  auto x = start_in(from(path_source{outside() / "tree"}),
                    "cat sub/file; readlink link; stat -c %a sub; "
                    "echo changed >sub/file");

  BOOST_TEST(output_of(x) == "x\n/etc/passwd\n751\n");
  BOOST_TEST(content_of(outside() / "tree/sub/file") == "x\n");
}

BOOST_AUTO_TEST_CASE(a_folder_that_is_not_there_is_told) {
  auto why =
    failure_of(start_in(from(path_source{outside() / "none"}), "true"));

  BOOST_TEST((why.code == errc::workspace_failed));
  BOOST_TEST(has(why.message, "none"));
}

// -- set-up -------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(steps_run_before_the_agent_and_outside_its_journal) {
  auto x = start_in(with_setup({{"echo noise; echo a >made; mkdir sub"},
                                {"cd sub; export B=b"},
                                {"echo $B >>../made; echo loud >&2"}}),
                    "cat made; echo \"${B-unset}\"; basename \"$PWD\"");

  BOOST_TEST(output_of(x) == "a\nb\nunset\nwork\n");
  BOOST_TEST(setup_output_of(x)
             == "-- set-up step 1 of 3 --\nnoise\n"
                "-- set-up step 2 of 3 --\n"
                "-- set-up step 3 of 3 --\nloud\n");
}

BOOST_AUTO_TEST_CASE(what_the_set_up_said_is_no_word_of_the_agents) {
  auto x = start_in(with_setup({{"echo fetching; echo warning >&2"}}),
                    "echo oops >&2; exit 4");

  end_of(x);
  BOOST_TEST(here().stderr_tail(x.where, 1000).value() == "oops\n");
}

BOOST_AUTO_TEST_CASE(the_launch_is_answered_before_the_set_up_has_ended) {
  auto gate = outside() / "gate";
  shell("mkfifo " + gate);

  auto x = start_in(with_setup({{"read line <" + gate}}), "echo agent");

  BOOST_TEST((state_of(x) == agent_state::alive));
  BOOST_TEST(journal_of(x) == "");
  // Another launch, as of a successor of a node that died, changes nothing.
  auto again = another()->launch(x);
  BOOST_TEST((again.ok() && *again == launch_outcome::already));
  shell("echo go >" + gate);
  BOOST_TEST(output_of(x) == "agent\n");
}

BOOST_AUTO_TEST_CASE(a_failed_step_is_told_with_what_it_said) {
  auto x =
    start_in(with_setup({{"echo before"}, {"echo 'no such' >&2; exit 3"}}),
             "echo never");

  auto why = failure_of(x);

  BOOST_TEST((why.code == errc::setup_failed));
  BOOST_TEST(has(why.message, "step 2 of 2"));
  BOOST_TEST(has(why.message, "code 3"));
  BOOST_TEST(has(why.message, "its output ends with: no such"));
}

BOOST_AUTO_TEST_CASE(an_end_of_thousand_bytes_is_quoted) {
  auto x =
    start_in(with_setup({{"printf '%05000d' 0; echo END; false"}}), "true");

  auto why = failure_of(x);

  BOOST_TEST(why.message.ends_with("0000END"));
  BOOST_TEST(count_of(why.message, "0") >= 990u);
  BOOST_TEST(why.message.size() < 1500u);
}

BOOST_AUTO_TEST_CASE(a_step_that_hangs_is_ended_with_all_it_started) {
  auto spec = with_setup({{"true"},
                          {"setsid sleep 777 & echo $! >" + (outside() / "pid")
                           + "; trap '' TERM; sleep 778; true"}});
  spec.setup_timeout_ms = 4000;

  auto x = start_in(spec, "echo never");
  auto pid = pid_in(outside() / "pid");
  auto why = failure_of(x);

  BOOST_TEST((why.code == errc::setup_failed));
  BOOST_TEST(has(why.message, "step 2 of 2"));
  BOOST_TEST(has(why.message, "4000 ms"));
  BOOST_TEST(!is_running(pid));
}

BOOST_AUTO_TEST_CASE(a_cancel_ends_the_set_up_at_once) {
  auto x =
    start_in(with_setup({{"setsid sleep 777 & echo $! >" + (outside() / "pid")
                          + "; trap '' TERM; sleep 778; true"}}),
             "echo never");
  auto pid = pid_in(outside() / "pid");

  BOOST_TEST(here().kill(x.where).ok());

  auto end = end_of(x);
  BOOST_TEST(end.signal.value_or(0) == SIGTERM);
  BOOST_TEST(end.code == 128 + SIGTERM);
  BOOST_TEST(!end.error.has_value());
  BOOST_TEST(!is_running(pid));
  BOOST_TEST(end.journal_end.value == 0u);
}

BOOST_AUTO_TEST_CASE(a_shim_killed_in_the_set_up_is_an_agent_lost) {
  auto x =
    start_in(with_setup({{"echo $$ >" + (outside() / "pid") + "; sleep 777"}}),
             "echo never");
  auto pid = pid_in(outside() / "pid");

  ::kill(shim_of(x), SIGKILL);

  BOOST_TEST(reaches(x, agent_state::lost));
  BOOST_TEST(eventually([&] { return !is_running(pid); }));
  BOOST_TEST(here().kill(x.where).ok());
  BOOST_TEST(here().remove(x.where).ok());
}

BOOST_AUTO_TEST_CASE(what_the_set_up_left_running_lives_as_long_as_the_agent) {
  auto gate = outside() / "gate";
  shell("mkfifo " + gate);
  auto x =
    start_in(with_setup({{"sleep 777 & echo $! >" + (outside() / "pid")}}),
             "read line <" + gate);
  auto pid = pid_in(outside() / "pid");

  BOOST_TEST(is_running(pid));
  shell("echo go >" + gate);
  end_of(x);
  BOOST_TEST(!is_running(pid));
}

BOOST_AUTO_TEST_CASE(scripts_are_commands_of_set_up_and_agent) {
  repository source{outside() / "repo"};
  auto spec = from(git_source{source.url(), "", 1});
  spec.scripts = {{"greet", "echo \"hello $1\""}};
  spec.setup = {{"greet set-up >said"}};

  auto x = start_in(spec, "cat said; greet agent; git status --short");

  BOOST_TEST(output_of(x) == "hello set-up\nhello agent\n?? said\n");
}

BOOST_AUTO_TEST_CASE(a_source_cannot_lead_scripts_elsewhere) {
  shell("mkdir -p " + (outside() / "tree") + " " + (outside() / "victim")
        + "; ln -s " + (outside() / "victim") + " "
        + (outside() / "tree/.baton"));
  auto spec = from(path_source{outside() / "tree"});
  spec.scripts = {{"greet", "true"}};

  auto why = failure_of(start_in(spec, "true"));

  BOOST_TEST((why.code == errc::workspace_failed));
  BOOST_TEST(fs::is_empty(outside() / "victim"));
}

BOOST_AUTO_TEST_CASE(packages_are_installed_only_when_asked_for) {
  auto bin = outside() / "bin";
  shell("mkdir -p " + bin + " " + (outside() / "tree") + "; touch "
        + (outside() / "tree/package-lock.json") + "; printf '#!/bin/sh\\n"
        + "echo \"npm $*\" >>installed\\n' >" + bin + "/npm; chmod +x " + bin
        + "/npm");
  auto spec = from(path_source{outside() / "tree"});
  auto path = "PATH";
  for (auto install : {false, true}) {
    spec.install = install;
    auto x = order_in(spec, "cat installed 2>/dev/null || echo none");
    x.env[path] = bin + ":/usr/bin:/bin";
    launch(x);
    BOOST_TEST(output_of(x) == (install ? "npm ci\n" : "none\n"));
  }
}

// -- secrets ------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(secrets_are_in_the_environment_and_nowhere_else) {
  const std::string value = "s3cr3t-0f-t3st";
  std::ofstream{outside() / "secret"} << value << "\n";
  auto gate = outside() / "gate";
  shell("mkfifo " + gate);
  auto spec = with_setup({{"test -n \"$TOKEN\""}});
  spec.secrets = {{"TOKEN", {place::file, outside() / "secret"}}};

  auto x = start_in(spec, "echo ${#TOKEN}; read line <" + gate);

  BOOST_TEST(eventually([&] { return has(journal_of(x), "\n"); }));
  BOOST_TEST(!is_on_a_command_line(value));
  BOOST_TEST(!holds(root(), value));
  shell("echo go >" + gate);
  BOOST_TEST(output_of(x) == std::to_string(value.size()) + "\n");
  BOOST_TEST(!holds(root(), value));
}

BOOST_AUTO_TEST_CASE(a_secret_that_a_failed_step_shows_is_not_told) {
  const std::string value = "s3cr3t-0f-t3st";
  std::ofstream{outside() / "secret"} << value;
  auto spec = with_setup({{"echo \"token $TOKEN\"; exit 1"}});
  spec.secrets = {{"TOKEN", {place::file, outside() / "secret"}}};

  auto x = start_in(spec, "true");
  auto why = failure_of(x);

  BOOST_TEST(has(why.message, "token ***"));
  BOOST_TEST(!has(why.message, value));
  BOOST_TEST(!holds(root(), value));
}

BOOST_AUTO_TEST_CASE(a_secret_on_the_agents_stderr_is_masked_before_its_end) {
  const std::string value = "s3cr3t-0f-t3st";
  std::ofstream{outside() / "secret"} << value;
  workspace_spec spec;
  spec.secrets = {{"TOKEN", {place::file, outside() / "secret"}}};

  auto x = start_in(spec, "echo \"bad $TOKEN\" >&2; exit 1");

  end_of(x);
  BOOST_TEST(here().stderr_tail(x.where, 1000).value()
             == "bad " + std::string(value.size(), '*') + "\n");
}

BOOST_AUTO_TEST_CASE(a_secret_that_is_not_there_fails_the_launch) {
  workspace_spec spec;
  spec.secrets = {{"TOKEN", {place::file, outside() / "none"}}};
  auto x = order_in(spec, "true");

  auto got = here().launch(x);

  BOOST_TEST((!got.ok() && got.error().code == errc::workspace_failed));
  BOOST_TEST((state_of(x) == agent_state::not_launched));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace baton::sandbox
