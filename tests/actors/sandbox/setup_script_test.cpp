// SPDX-License-Identifier: MIT
// Goal: steps run in one shell, in order, and the first failure is told (E6).
// Method: the real shell on the real script.
#include "actors/sandbox/setup_script.hpp"

#include "actors/sandbox/child_command.hpp"
#include "tests/actors/sandbox/sandbox_world.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>

namespace baton::sandbox {
namespace {

using steps = std::vector<std::vector<std::string>>;

struct run_of_steps {
  test::temporary_folder folder;
  std::string said;

  std::optional<setup_failure> operator()(const steps& wanted) {
    command_request request;
    request.argv = setup_shell();
    request.cwd = folder.path();
    request.stdin_bytes = setup_script(wanted);
    request.timeout_ms = 20'000;
    auto end = run_command_to_end(request, folder.path());
    BOOST_REQUIRE(end.ok());
    said = end->err;
    return read_setup_report(end->out, end->code);
  }
};

bool is(const std::optional<setup_failure>& x, std::size_t step,
        std::size_t command, int code) {
  return x == setup_failure{step, command, code};
}

BOOST_AUTO_TEST_SUITE(sandbox_setup_script)

BOOST_FIXTURE_TEST_CASE(directory_and_environment_carry_over, run_of_steps) {
  BOOST_TEST(!(*this)({{"mkdir sub; cd sub"},
                       {"export WHO='it is me'"},
                       {"x=1"},
                       {"echo \"$WHO $x\" >out; pwd"}}));

  BOOST_TEST(test::content_of(folder / "sub/out") == "it is me 1\n");
  BOOST_TEST(said.ends_with("/sub\n"));
}

BOOST_FIXTURE_TEST_CASE(what_commands_print_is_not_the_report, run_of_steps) {
  BOOST_TEST(!(*this)({{"echo failed 0 0 1; echo done"}, {"echo begin 9"}}));

  BOOST_TEST(said
             == "-- set-up step 1 of 2 --\nfailed 0 0 1\ndone\n"
                "-- set-up step 2 of 2 --\nbegin 9\n");
}

BOOST_FIXTURE_TEST_CASE(commands_of_a_step_run_at_the_same_time, run_of_steps) {
  // Each can end only when the other runs.
  auto meet = [](const std::string& mine, const std::string& other) {
    return "mkfifo " + mine + " 2>/dev/null; mkfifo " + other
           + " 2>/dev/null; echo x >" + mine + " & cat <" + other
           + " >/dev/null; wait";
  };

  BOOST_TEST(!(*this)({{meet("a", "b"), meet("b", "a")}, {"touch after"}}));

  BOOST_TEST(std::filesystem::exists(folder / "after"));
}

BOOST_FIXTURE_TEST_CASE(a_large_step_leaves_the_shell_as_it_was, run_of_steps) {
  BOOST_TEST(
    !(*this)({{"cd /; export A=1", "cd /"}, {"echo \"${A-none}\" >here"}}));

  BOOST_TEST(test::content_of(folder / "here") == "none\n");
}

BOOST_FIXTURE_TEST_CASE(the_failed_command_is_told, run_of_steps) {
  BOOST_TEST(
    is((*this)({{"true"}, {"exit_7() { return 7; }; exit_7"}}), 1, 0, 7));
  BOOST_TEST(is((*this)({{"true", "sh -c 'exit 3'", "true"}}), 0, 1, 3));
  BOOST_TEST(is((*this)({{"no_such_program_here"}}), 0, 0, 127));
  BOOST_TEST(is((*this)({{"true"}, {"kill -9 $$"}}), 1, 0, 137));
}

BOOST_FIXTURE_TEST_CASE(a_command_that_ends_the_shell_fails_the_set_up,
                        run_of_steps) {
  BOOST_TEST(is((*this)({{"true"}, {"exit 0"}, {"true"}}), 1, 0, 0));
  BOOST_TEST(is((*this)({{"exit 5"}}), 0, 0, 5));
  BOOST_TEST(is((*this)({{"true"}, {"set -e"}, {"false; true"}}), 2, 0, 1));
  auto bad_syntax = (*this)({{"true"}, {"if then ("}, {"touch never"}});
  BOOST_TEST((bad_syntax && bad_syntax->step == 1u && bad_syntax->code != 0));
  BOOST_TEST(!std::filesystem::exists(folder / "never"));
}

BOOST_FIXTURE_TEST_CASE(nothing_runs_after_a_failure, run_of_steps) {
  BOOST_TEST(is((*this)({{"false"}, {"touch never"}}), 0, 0, 1));

  BOOST_TEST(!std::filesystem::exists(folder / "never"));
}

BOOST_FIXTURE_TEST_CASE(no_command_can_read_the_script, run_of_steps) {
  BOOST_TEST(!(*this)({{"cat >stdin"}, {"echo 'it'\"'s\" >ok"}}));

  BOOST_TEST(test::content_of(folder / "stdin") == "");
  BOOST_TEST(test::content_of(folder / "ok") == "it's\n");
}

BOOST_FIXTURE_TEST_CASE(what_one_step_said_is_found, run_of_steps) {
  (*this)({{"echo a"}, {"printf b"}, {"echo c >&2; echo d; false"}});

  BOOST_TEST(said_by_step(said, 2, 3) == "c\nd\n");
  // Its heading was longer ago than the tail reaches.
  BOOST_TEST(said_by_step("tail", 2, 3) == "tail");
}

BOOST_AUTO_TEST_CASE(a_report_without_its_end_is_a_failure) {
  BOOST_TEST(is(read_setup_report("", 137), 0, 0, 137));
  BOOST_TEST(is(read_setup_report("begin 0\nbegin 1\n", 0), 1, 0, 0));
  BOOST_TEST(is(read_setup_report("begin 0\ndone\n", 2), 0, 0, 2));
  BOOST_TEST(!read_setup_report("done\n", 0));
  BOOST_TEST(last_step_of("begin 0\nbegin 12\n") == 12u);
  BOOST_TEST(last_step_of("begin x") == 0u);
}

BOOST_AUTO_TEST_CASE(a_lock_file_tells_what_installs) {
  const std::vector<std::pair<std::set<std::string>, std::string>> table{
    {{"package-lock.json", "package.json"}, "npm ci"},
    {{"pnpm-lock.yaml"}, "pnpm install --frozen-lockfile"},
    {{"yarn.lock"}, "yarn install --frozen-lockfile"},
    {{"uv.lock", "requirements.txt"}, "uv sync --frozen"},
    {{"poetry.lock"}, "poetry install"},
    {{"pnpm-lock.yaml", "package-lock.json"}, "pnpm install --frozen-lockfile"},
    {{"requirements.txt"},
     "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt"},
  };
  for (const auto& [names, command] : table)
    BOOST_TEST(install_command(names).value_or("") == command);
  BOOST_TEST(!install_command({}));
  BOOST_TEST(!install_command({"package.json", "README.md"}));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace baton::sandbox
