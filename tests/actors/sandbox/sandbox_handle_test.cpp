// SPDX-License-Identifier: MIT
// Goal: files, commands and git in a sandbox, and no way out by `..` (E2).
// Method: a real folder, real commands, a real repository.
#include "actors/sandbox/sandbox_handle.hpp"

#include "actors/sandbox/process_tree.hpp"
#include "tests/actors/sandbox/sandbox_world.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <thread>

namespace baton::sandbox::test {
namespace {

namespace fs = std::filesystem;

struct handle_world {
  temporary_folder folder;
  sandbox_handle box{folder.path()};

  handle_world() { fs::create_directory(folder / "work"); }

  command_request shell(const std::string& text) {
    command_request out;
    out.argv = {"/bin/sh", "-c", text};
    return out;
  }
};

BOOST_AUTO_TEST_SUITE(sandbox_handle_calls)

BOOST_FIXTURE_TEST_CASE(files_live_through_all_calls, handle_world) {
  std::string bytes{"a\0\r\n\xff", 5};
  BOOST_TEST(box.make_folder("a/b").ok());
  BOOST_TEST(box.make_folder("a/b").ok());
  BOOST_TEST(box.write("a/b/f", "old").ok());
  fs::permissions(folder / "work/a/b/f", fs::perms::owner_all);
  BOOST_TEST(box.write("a/b/f", bytes).ok());
  BOOST_TEST((box.read("a/b/f").value() == bytes));
  BOOST_TEST(
    (fs::status(folder / "work/a/b/f").permissions() == fs::perms::owner_all));
  fs::create_symlink("nowhere", folder / "work/a/link");

  auto list = box.list("a").value();
  BOOST_REQUIRE(list.size() == 2u);
  BOOST_TEST((list[0].name == "b" && list[0].kind == file_kind::folder));
  BOOST_TEST((list[1].name == "link" && list[1].kind == file_kind::link));
  BOOST_TEST(box.lstat("a/b/f").value().bytes == 5u);
  BOOST_TEST(box.exists("a/link").value());

  BOOST_TEST(box.rename("a/b/f", "g").ok());
  BOOST_TEST(!box.exists("a/b/f").value());
  BOOST_TEST(box.remove("a").ok());
  BOOST_TEST(box.remove("a").ok());
  BOOST_TEST(box.list("").value().size() == 1u);
}

BOOST_FIXTURE_TEST_CASE(relative_paths_do_not_leave_the_sandbox, handle_world) {
  for (auto bad : {"..", "../journal", "a/../../journal"}) {
    BOOST_TEST((box.read(bad).error().code == errc::malformed));
    BOOST_TEST((box.write(bad, "x").code == errc::malformed));
    BOOST_TEST((box.remove(bad).code == errc::malformed));
    BOOST_TEST((box.rename("a", bad).code == errc::malformed));
  }
  BOOST_TEST((box.read("missing").error().code == errc::not_found));
  BOOST_TEST((box.list("missing").error().code == errc::not_found));
}

BOOST_FIXTURE_TEST_CASE(a_command_gets_all_and_gives_all, handle_world) {
  auto request = shell("pwd; echo $KEY; cat | wc -c; echo oops >&2; exit 3");
  request.env = {{"KEY", "value"}};
  request.stdin_bytes = std::string(1'000'000, 'x');
  auto got = box.exec(request).value();
  BOOST_TEST(got.code == 3);
  BOOST_TEST(got.out == (folder / "work") + "\nvalue\n1000000\n");
  BOOST_TEST(got.err == "oops\n");
}

BOOST_FIXTURE_TEST_CASE(output_beyond_the_limit_is_dropped, handle_world) {
  auto request = shell("head -c 100000 /dev/zero");
  request.output_bytes_max = 1000;
  auto got = box.exec(request).value();
  BOOST_TEST(got.code == 0);
  BOOST_TEST(got.out.size() == 1000u);
  BOOST_TEST(got.truncated);
}

BOOST_FIXTURE_TEST_CASE(a_late_command_dies_with_its_tree, handle_world) {
  auto request = shell("trap '' TERM; setsid sh -c 'echo $$ > pid; exec sleep "
                       "100' & wait");
  request.timeout_ms = 500;
  auto got = box.exec(request).value();
  BOOST_TEST(got.timed_out);
  BOOST_TEST(got.code == 137);
  auto left = pid_in(folder / "work/pid");
  BOOST_TEST(eventually([&] { return !is_running(left); }));
}

BOOST_FIXTURE_TEST_CASE(a_command_ends_when_it_is_told_to_stop, handle_world) {
  std::stop_source stop;
  auto request = shell("echo > ready; exec sleep 100");
  request.stop = stop.get_token();
  std::thread stopper{[&] {
    eventually([&] { return fs::exists(folder / "work/ready"); });
    stop.request_stop();
  }};
  auto got = box.exec(request).value();
  stopper.join();
  BOOST_TEST(got.stopped);
  BOOST_TEST(got.code == 137);
}

BOOST_FIXTURE_TEST_CASE(a_dropped_child_is_killed, handle_world) {
  auto child = box.spawn(shell("echo $$ > pid; exec sleep 100"));
  BOOST_REQUIRE(child.ok());
  auto pid = pid_in(folder / "work/pid");
  child->reset();
  BOOST_TEST(!is_running(pid));
}

BOOST_FIXTURE_TEST_CASE(what_cannot_start_says_so, handle_world) {
  command_request request;
  BOOST_TEST((box.exec(request).error().code == errc::malformed));
  request.argv = {"no-such-command-here"};
  BOOST_TEST((box.exec(request).error().code == errc::launch_failed));
}

BOOST_FIXTURE_TEST_CASE(git_clones_commits_pushes_and_pulls, handle_world) {
  auto set_up = box.exec(shell(
    "git init -q --bare -b trunk origin && git clone -q origin first "
    "2>/dev/null && cd first && git checkout -q -b trunk && for i in 1 2 3; "
    "do "
    "echo $i > f; git add f; git -c user.name=t -c user.email=t@t commit -qm "
    "$i; done && git push -q origin trunk"));
  BOOST_REQUIRE_MESSAGE(set_up.value().code == 0, set_up.value().err);

  auto url = "file://" + (folder / "work/origin");
  BOOST_TEST(box.git_clone(url, "copy").message == "");
  auto count = box.exec(shell("cd copy; git rev-list --count HEAD")).value();
  BOOST_TEST(count.out == "1\n");
  BOOST_TEST(box.git_branch("copy").value() == "trunk");
  BOOST_TEST(box.git_status("copy").value() == "");
  ignore_result(box.exec(shell("cd copy; git config user.name t; git config "
                               "user.email t@t")),
                "shown by the commit");
  BOOST_TEST(box.write("copy/-new", "x").ok());
  BOOST_TEST(box.git_status("copy").value() == "?? -new\n");
  BOOST_TEST(box.git_add("copy", {"-new"}).message == "");
  BOOST_TEST(box.git_commit("copy", "add").message == "");
  BOOST_TEST(box.git_push("copy").message == "");
  ignore_result(box.exec(shell("cd first; git branch -q -u origin/trunk")),
                "shown by the pull");
  BOOST_TEST(box.git_pull("first").message == "");
  BOOST_TEST(box.exists("first/-new").value());
  BOOST_TEST((box.git_commit("copy", "again").code == errc::exit_nonzero));
}

BOOST_FIXTURE_TEST_CASE(what_is_not_supported_is_a_typed_error, handle_world) {
  BOOST_TEST((box.open_port(80).code == errc::unsupported));
  BOOST_TEST((box.snapshot().code == errc::unsupported));
  BOOST_TEST((box.fork().code == errc::unsupported));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace baton::sandbox::test
