// SPDX-License-Identifier: MIT
// Goal: one launch, ever, of exactly what was ordered (I7, B1, B14).
// Method: real agents, counted by what they leave outside of their sandbox.
#include "actors/sandbox/unique_fd.hpp"
#include "tests/actors/sandbox/sandbox_world.hpp"

#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <latch>
#include <thread>

namespace baton::sandbox::test {
namespace {

namespace fs = std::filesystem;

/// True when a shim of that sandbox has left its launcher's session.
bool someone_waits_for(const std::string& directory) {
  for (const auto& item : fs::directory_iterator{"/proc"}) {
    auto command = content_of(item.path() / "cmdline");
    if (!command.starts_with("baton-shim") || count_of(command, directory) == 0)
      continue;
    auto pid = std::stoi(item.path().filename().string());
    if (::getsid(pid) != ::getsid(0) && ::getsid(pid) != pid)
      return true;
  }
  return false;
}

BOOST_AUTO_TEST_SUITE(sandbox_launch)

BOOST_FIXTURE_TEST_CASE(every_byte_the_agent_writes_stands_in_the_journal,
                        sandbox_world) {
  std::string bytes;
  for (int i = 0; i < 70'000; ++i)
    bytes += static_cast<char>(i * 31 % 256);
  std::ofstream{outside() / "bytes", std::ios::binary} << bytes;

  auto x = start("cat '" + (outside() / "bytes") + "'; printf 'x\\r\\n\\0'");

  auto end = end_of(x);
  BOOST_TEST(end.code == 0);
  BOOST_TEST(!end.signal.has_value());
  BOOST_TEST(!end.error.has_value());
  BOOST_TEST((output_of(x) == bytes + std::string{"x\r\n\0", 4}));
}

BOOST_FIXTURE_TEST_CASE(stderr_goes_to_its_own_file_and_its_tail_is_bounded,
                        sandbox_world) {
  auto x = start("echo out; echo 0123456789 >&2");
  end_of(x);

  BOOST_TEST(output_of(x) == "out\n");
  BOOST_TEST(here().stderr_tail(x.where, 5).value() == "6789\n");
  BOOST_TEST(here().stderr_tail(x.where, 4096).value() == "0123456789\n");
}

BOOST_FIXTURE_TEST_CASE(stdin_is_given_whole_and_then_ends, sandbox_world) {
  auto x = order("cat; echo done");
  x.stdin_bytes = std::string(3'000'000, 'i') + std::string{"\0end\n", 5};
  BOOST_REQUIRE(here().launch(x).ok());

  BOOST_TEST((output_of(x) == x.stdin_bytes + "done\n"));
}

BOOST_FIXTURE_TEST_CASE(without_stdin_the_agent_reads_an_end, sandbox_world) {
  auto x = start("cat; echo done");
  BOOST_TEST(output_of(x) == "done\n");
}

BOOST_FIXTURE_TEST_CASE(the_agent_starts_in_its_own_directory, sandbox_world) {
  auto x = start("pwd");
  BOOST_TEST(output_of(x) == x.where.id + "/work\n");
}

BOOST_FIXTURE_TEST_CASE(the_agent_starts_in_the_directory_ordered,
                        sandbox_world) {
  auto x = order("pwd");
  x.cwd = outside().path();
  BOOST_REQUIRE(here().launch(x).ok());
  BOOST_TEST(output_of(x) == outside().path() + "\n");
}

BOOST_FIXTURE_TEST_CASE(the_environment_is_the_order_s_and_little_else,
                        sandbox_world) {
  ::setenv("BATON_TOKEN", "daemon-secret", 1);
  auto x = order("env");
  x.env = {{"API_KEY", "line 1\nline 2"}, {"HOME", "/elsewhere"}};
  BOOST_REQUIRE(here().launch(x).ok());
  auto env = output_of(x);
  ::unsetenv("BATON_TOKEN");

  BOOST_TEST(count_of(env, "API_KEY=line 1\nline 2\n") == 1u);
  BOOST_TEST(count_of(env, "HOME=/elsewhere\n") == 1u);
  BOOST_TEST(count_of(env, "BATON_SANDBOX=" + x.where.id + "\n") == 1u);
  BOOST_TEST(count_of(env, "daemon-secret") == 0u);
}

BOOST_FIXTURE_TEST_CASE(arguments_arrive_as_they_are, sandbox_world) {
  auto x = order("");
  x.command.shell = false;
  x.command.argv = {"printf", "%s|", "a b", "", "$HOME", "'\"\n"};
  BOOST_REQUIRE(here().launch(x).ok());
  BOOST_TEST(output_of(x) == "a b||$HOME|'\"\n|");
}

BOOST_FIXTURE_TEST_CASE(the_agent_has_a_session_and_no_foreign_descriptors,
                        sandbox_world) {
  auto x = start("cut -d' ' -f1,5,6 /proc/$$/stat; "
                 "ls -l /proc/self/fd | sed 's/.*-> //'");
  auto out = output_of(x);
  auto pid = out.substr(0, out.find(' '));
  BOOST_TEST(out.starts_with(pid + " " + pid + " " + pid + "\n"));
  for (auto foreign : {"alive", "control", "exit", "socket:", "guards"})
    BOOST_TEST(count_of(out, foreign) == 0u);
}

BOOST_FIXTURE_TEST_CASE(the_agent_starts_with_default_signals, sandbox_world) {
  auto x = order("");
  x.command.shell = false;
  x.command.argv = {"grep", "Sig", "/proc/self/status"};
  BOOST_REQUIRE(here().launch(x).ok());
  auto out = output_of(x);
  auto mask = [&out](const std::string& name) {
    return std::stoull(out.substr(out.find(name) + 8, 16), nullptr, 16);
  };
  BOOST_TEST(mask("SigBlk:\t") == 0u);
  // Two signals beyond the named ones are the C library's own; posix_spawn
  // ignores them in every child.
  BOOST_TEST((mask("SigIgn:\t") & 0x7FFF'FFFF) == 0u);
}

BOOST_FIXTURE_TEST_CASE(twenty_launches_of_one_order_by_two_nodes_start_one,
                        sandbox_world) {
  constexpr int launches = 20;
  for (int round = 0; round < 5; ++round) {
    auto words = outside() / ("words" + std::to_string(round));
    auto x = order("echo word >> '" + words + "'");
    auto other = another();
    std::atomic<int> launched{0};
    std::atomic<int> already{0};
    std::latch ready{launches};
    std::vector<std::thread> threads;
    for (int i = 0; i < launches; ++i)
      threads.emplace_back([&, i] {
        ready.arrive_and_wait();
        auto got = (i % 2 == 0 ? here() : *other).launch(x);
        if (got.ok())
          ++(*got == launch_outcome::launched ? launched : already);
      });
    for (auto& t : threads)
      t.join();

    BOOST_TEST(launched == 1);
    BOOST_TEST(already == launches - 1);
    BOOST_TEST(end_of(x).code == 0);
    BOOST_TEST(content_of(words) == "word\n");
  }
}

BOOST_FIXTURE_TEST_CASE(a_launch_that_waited_finds_the_guard_taken,
                        sandbox_world) {
  for (int round = 0; round < 5; ++round) {
    // Another shim's place is taken by this process: it has locked, then
    // launches, then ends, all while ours waits for the lock.
    auto words = outside() / "words";
    auto x = order("echo word >> '" + words + "'");
    fs::create_directory(x.where.id);
    unique_fd lock{::open((x.where.id + "/alive").c_str(),
                          O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
    struct flock all {};
    all.l_type = F_WRLCK;
    BOOST_REQUIRE(::fcntl(lock.get(), F_SETLK, &all) == 0);
    std::thread launcher{[&] {
      auto got = here().launch(x);
      BOOST_TEST((got.ok() && *got == launch_outcome::already));
    }};
    BOOST_TEST(eventually([&] { return someone_waits_for(x.where.id); }));
    std::ofstream{root() + "/guards" + x.where.id.substr(root().size())} << "";
    lock.close();
    launcher.join();
    BOOST_TEST(!fs::exists(words));
  }
}

BOOST_FIXTURE_TEST_CASE(a_launch_that_a_kill_wakes_finds_the_guard_taken,
                        sandbox_world) {
  auto x = order("exit 0");
  fs::create_directory(x.where.id);
  // A shim that has locked, and is held up before it takes the guard.
  int ready[2];
  BOOST_REQUIRE(::pipe(ready) == 0);
  auto shim = ::fork();
  if (shim == 0) {
    auto fd = ::open((x.where.id + "/alive").c_str(), O_RDWR | O_CREAT, 0600);
    struct flock all {};
    all.l_type = F_WRLCK;
    ::fcntl(fd, F_SETLK, &all);
    [[maybe_unused]] auto n = ::write(ready[1], "!", 1);
    for (;;)
      ::pause();
  }
  char locked = 0;
  BOOST_REQUIRE(::read(ready[0], &locked, 1) == 1);

  BOOST_TEST(here().kill(x.where).ok());

  BOOST_TEST(fs::exists(root() + "/guards" + x.where.id.substr(root().size())));
  ::kill(shim, SIGKILL);
  ::waitpid(shim, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

BOOST_FIXTURE_TEST_CASE(a_launch_after_the_end_starts_nothing, sandbox_world) {
  auto x = start("echo word");
  end_of(x);
  BOOST_REQUIRE(here().launch(x).ok());
  BOOST_TEST((*here().launch(x) == launch_outcome::already));
  BOOST_TEST(count_of(journal_of(x), "word") == 1u);
}

BOOST_FIXTURE_TEST_CASE(a_launch_into_a_removed_sandbox_does_nothing,
                        sandbox_world) {
  auto x = start("echo word");
  end_of(x);
  BOOST_REQUIRE(here().remove(x.where).ok());
  BOOST_TEST(!fs::exists(x.where.id));

  auto got = another()->launch(x);

  BOOST_REQUIRE(got.ok());
  BOOST_TEST((*got == launch_outcome::already));
  BOOST_TEST(!fs::exists(x.where.id));
}

BOOST_FIXTURE_TEST_CASE(a_sandbox_removed_before_its_launch_is_never_launched,
                        sandbox_world) {
  auto words = outside() / "words";
  auto x = order("echo word >> '" + words + "'");
  BOOST_REQUIRE(here().remove(x.where).ok());
  BOOST_TEST((*here().launch(x) == launch_outcome::already));
  BOOST_TEST(!fs::exists(words));
  BOOST_TEST(!fs::exists(x.where.id));
}

BOOST_FIXTURE_TEST_CASE(a_sandbox_with_a_living_agent_is_not_removed,
                        sandbox_world) {
  auto x = start("exec sleep 100");
  BOOST_TEST((here().remove(x.where).code == errc::in_use));
  BOOST_TEST((state_of(x) == agent_state::alive));
}

BOOST_FIXTURE_TEST_CASE(a_sandbox_with_closed_folders_is_removed,
                        sandbox_world) {
  auto x = start("mkdir -p a/b; touch a/b/c; chmod 0 a/b a");
  end_of(x);
  BOOST_TEST(here().remove(x.where).message == "");
  BOOST_TEST(!fs::exists(x.where.id));
}

BOOST_FIXTURE_TEST_CASE(the_agent_outlives_the_kill_of_its_launcher,
                        sandbox_world) {
  auto go = outside() / "go";
  auto x = order("echo begin; while [ ! -e '" + go
                 + "' ]; do sleep 0.01; done; echo end");
  auto launcher = ::fork();
  if (launcher == 0) {
    auto other = another();
    auto got = other->launch(x);
    ::kill(::getpid(), SIGKILL);
    ::_exit(got.ok() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(launcher, &status, 0);
  BOOST_REQUIRE(WIFSIGNALED(status));
  BOOST_TEST((state_of(x) == agent_state::alive));

  std::ofstream{go} << "";

  BOOST_TEST(output_of(x) == "begin\nend\n");
}

BOOST_FIXTURE_TEST_CASE(a_command_that_does_not_exist_is_told_as_such,
                        sandbox_world) {
  auto x = order("");
  x.command.shell = false;
  x.command.argv = {"no-such-command-here"};
  BOOST_REQUIRE(here().launch(x).ok());

  auto end = end_of(x);
  BOOST_TEST(end.code == 127);
  BOOST_REQUIRE(end.error.has_value());
  BOOST_TEST((end.error->code == errc::launch_failed));
  BOOST_TEST(count_of(end.error->message, "no-such-command-here") == 1u);
  BOOST_TEST(end.journal_end.value == 0u);
}

BOOST_FIXTURE_TEST_CASE(a_file_that_is_no_program_is_told_as_such,
                        sandbox_world) {
  auto x = order("");
  x.command.shell = false;
  x.command.argv = {"/etc/passwd"};
  BOOST_REQUIRE(here().launch(x).ok());
  auto end = end_of(x);
  BOOST_TEST(end.code == 126);
  BOOST_TEST((end.error && end.error->code == errc::launch_failed));
}

BOOST_FIXTURE_TEST_CASE(a_missing_working_directory_is_told_as_such,
                        sandbox_world) {
  auto x = order("echo never");
  x.cwd = outside() / "missing";
  BOOST_REQUIRE(here().launch(x).ok());
  auto end = end_of(x);
  BOOST_TEST(end.code == 126);
  BOOST_REQUIRE(end.error.has_value());
  BOOST_TEST(count_of(end.error->message, x.cwd) == 1u);
}

BOOST_FIXTURE_TEST_CASE(orders_no_program_can_be_given_are_refused,
                        sandbox_world) {
  auto x = order("echo hi");
  x.command.argv = {std::string{"a\0b", 3}};
  BOOST_TEST((here().launch(x).error().code == errc::malformed));
  x.command.argv = {};
  BOOST_TEST((here().launch(x).error().code == errc::malformed));
  x.command.argv = {"true"};
  x.env = {{"A=B", "c"}};
  BOOST_TEST((here().launch(x).error().code == errc::malformed));
  x.env.clear();
  x.where.id = outside() / "root/../other";
  BOOST_TEST((here().launch(x).error().code == errc::malformed));
  BOOST_TEST((state_of(order("true")) == agent_state::not_launched));
}

BOOST_FIXTURE_TEST_CASE(files_that_go_while_the_agent_lives_do_not_lose_it,
                        sandbox_world) {
  for (auto* gone : {"guards", "alive", "control", "exit"})
    BOOST_TEST_CONTEXT(gone) {
      auto x = start("echo one; while [ ! -e " + (outside() / "go")
                     + " ]; do sleep 0.02; done");
      if (std::string{gone} == "guards")
        for (const auto& guard : fs::directory_iterator{root() + "/guards"})
          fs::remove(guard);
      else
        fs::remove(x.where.id + "/" + gone);

      BOOST_TEST((state_of(x) == agent_state::alive));
      BOOST_TEST((here().launch(x).value() == launch_outcome::already));
      BOOST_TEST((another()->launch(x).value() == launch_outcome::already));
      BOOST_TEST((here().remove(x.where).code == errc::in_use));
      BOOST_TEST(here().kill(x.where).ok());
      BOOST_TEST(*end_of(x).signal == SIGTERM);
    }
}

BOOST_FIXTURE_TEST_CASE(a_guard_that_goes_does_not_let_an_agent_run_again,
                        sandbox_world) {
  auto silent = start("echo ran >> " + (outside() / "runs"));
  auto loud = start("echo out; echo ran >> " + (outside() / "runs"));
  auto killed = start("echo out; sleep 60");
  end_of(silent);
  end_of(loud);
  BOOST_REQUIRE(eventually([&] { return !journal_of(killed).empty(); }));
  ::kill(shim_of(killed), SIGKILL);
  BOOST_REQUIRE(reaches(killed, agent_state::lost));
  for (const auto& guard : fs::directory_iterator{root() + "/guards"})
    fs::remove(guard);

  BOOST_TEST((state_of(silent) == agent_state::exited));
  BOOST_TEST((state_of(killed) == agent_state::lost));
  for (const auto& x : {silent, loud, killed})
    BOOST_TEST((here().launch(x).value() == launch_outcome::already));
  BOOST_TEST(count_of(content_of(outside() / "runs"), "ran") == 2U);
}

BOOST_FIXTURE_TEST_CASE(a_guard_goes_behind_its_sandbox_and_never_before,
                        sandbox_world) {
  auto x = start("true");
  end_of(x);
  auto kept = start("true");
  end_of(kept);
  BOOST_REQUIRE(here().remove(x.where).ok());

  BOOST_TEST((here().launch(x).value() == launch_outcome::already));
  BOOST_TEST((here().forget(kept.where).code == errc::in_use));
  auto gone = start("true");
  end_of(gone);
  BOOST_REQUIRE(here().remove(gone.where).ok());
  BOOST_TEST(here().forget(gone.where).ok());
  BOOST_TEST(!fs::exists(root() + "/guards/"
                         + fs::path{gone.where.id}.filename().string()));
  auto next = another();
  auto listed = next->list().value();
  BOOST_REQUIRE(listed.size() == 2U);
  BOOST_TEST(listed[0].where.id == x.where.id);
  BOOST_TEST(listed[0].is_guard);
  BOOST_TEST(!listed[1].is_guard);
  BOOST_TEST((next->forget(kept.where).code == errc::in_use));
  BOOST_TEST(next->forget(x.where).ok());
  BOOST_TEST(next->list().value().size() == 1U);
  BOOST_TEST((next->launch(kept).value() == launch_outcome::already));
}

BOOST_FIXTURE_TEST_CASE(a_root_without_guards_launches_and_guesses_nothing,
                        sandbox_world) {
  auto x = order("echo hi");
  x.where.id = outside() / "no-root/run-1";
  BOOST_TEST((here().launch(x).error().code == errc::io_failed));
  BOOST_TEST((here().probe(x.where).error().code == errc::io_failed));
  BOOST_TEST(here().remove(x.where).ok());
}

BOOST_FIXTURE_TEST_CASE(what_was_made_is_listed_until_it_is_removed,
                        sandbox_world) {
  auto x = order("exit 0");
  x.where.id = here().make_id(run_id{"r"}, run_no{12});
  BOOST_REQUIRE(here().launch(x).ok());
  end_of(x);
  // Neither the guards nor what somebody else put there.
  std::filesystem::create_directories(root() + "/run-x-1");
  std::filesystem::create_directories(root() + "/mine");

  auto found = another()->list();
  BOOST_REQUIRE(found.ok());
  BOOST_REQUIRE(found->size() == 1u);
  BOOST_TEST(found->front().run.value == 12u);
  BOOST_TEST(found->front().where.id == x.where.id);

  BOOST_TEST(here().remove(x.where).ok());
  found = here().list();
  BOOST_REQUIRE(found.ok());
  BOOST_TEST(found->empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace baton::sandbox::test
