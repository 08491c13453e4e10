// SPDX-License-Identifier: MIT
// Goal: I4 over kill -9 of a real process, and BR-043: a torn end of the
// write-ahead log never keeps the store from opening. Method: kill a process
// that tells what was acknowledged; cut bytes off the newest log; compare.
#include "storage/rocksdb_store.hpp"
#include "storage/run_script.hpp"
#include "tests/storage/temp_dir.hpp"

#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace baton;
using namespace baton::storage;
using namespace baton::test;

namespace {

/// Lets the writer acknowledge that many calls, kills it, and returns how many
/// it had acknowledged by then.
std::uint64_t write_and_kill(const std::string& path, std::uint64_t calls) {
  int pipe_ends[2];
  BOOST_REQUIRE(::pipe2(pipe_ends, O_CLOEXEC) == 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  std::string program = BATON_BIN_DIR "/storage_crash_writer";
  std::string argument = path;
  char* argv[] = {program.data(), argument.data(), nullptr};
  pid_t pid = 0;
  BOOST_REQUIRE(
    ::posix_spawn(&pid, program.c_str(), &actions, nullptr, argv, environ)
    == 0);
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe_ends[1]);
  std::uint64_t acked = 0;
  auto is_killed = false;
  char buffer[4096];
  for (;;) {
    auto n = ::read(pipe_ends[0], buffer, sizeof(buffer));
    if (n <= 0)
      break;
    for (auto i = 0; i < n; ++i)
      acked += buffer[i] == '\n';
    if (acked >= calls && !is_killed) {
      ::kill(pid, SIGKILL);
      is_killed = true;
    }
  }
  ::close(pipe_ends[0]);
  int how = 0;
  ::waitpid(pid, &how, 0);
  BOOST_REQUIRE(WIFSIGNALED(how));
  return acked;
}

/// What the writer had committed after that many calls.
std::pair<run_script, run_script> after_calls(std::uint64_t calls) {
  run_script a{"a"}, b{"b"};
  std::vector<commit> batch{a.create(), a.claim("n"), b.create(), b.claim("n")};
  a.numbered(run_no{1});
  b.numbered(run_no{2});
  for (std::uint64_t i = 1; i < calls; ++i)
    batch = {a.append(4, 700), b.append(1, 50), a.append(1, 20)};
  return {a, b};
}

std::unique_ptr<store> open(const std::string& path) {
  rocksdb_options options;
  options.path = path;
  auto s = rocksdb_store::open(options);
  BOOST_REQUIRE(s.ok());
  return *std::move(s);
}

/// The number of whole calls in the store; its content must be theirs exactly.
std::uint64_t whole_calls(const store& s) {
  auto a = s.load(run_id{"a"});
  if (!a)
    return 0;
  // Created and claimed in the first call, two commits in each later one.
  auto calls = 1 + (a->state.version - 2) / 2;
  auto [wanted_a, wanted_b] = after_calls(calls);
  for (const auto* run : {&wanted_a, &wanted_b})
    for (const auto& d : differences(s, *run))
      BOOST_ERROR(d);
  return calls;
}

std::string newest_wal(const std::string& path) {
  std::string newest;
  for (const auto& x : std::filesystem::directory_iterator{path})
    if (x.path().extension() == ".log")
      newest = std::max(newest, x.path().string());
  return newest;
}

} // namespace

BOOST_AUTO_TEST_SUITE(crash)

BOOST_AUTO_TEST_CASE(what_was_acknowledged_survives_kill_9) {
  for (auto round = 0; round < 12; ++round) {
    temp_dir dir;
    auto path = dir / "store";
    auto acked = write_and_kill(path, 1 + 13U * static_cast<unsigned>(round));

    auto calls = whole_calls(*open(path));

    BOOST_TEST(calls >= acked);
    BOOST_TEST(calls <= acked + 1);
  }
}

BOOST_AUTO_TEST_CASE(a_torn_log_end_opens_by_itself_and_halves_no_call) {
  temp_dir dir;
  auto path = dir / "store";
  write_and_kill(path, 30);
  auto before = whole_calls(*open(path));
  for (auto cut : {1, 7, 64, 3000}) {
    auto copy = dir / ("cut-" + std::to_string(cut));
    write_and_kill(copy, 30);
    auto wal = newest_wal(copy);
    auto size = std::filesystem::file_size(wal);
    BOOST_REQUIRE(size > static_cast<std::size_t>(cut));
    std::filesystem::resize_file(wal, size - static_cast<std::size_t>(cut));

    auto calls = whole_calls(*open(copy));

    BOOST_TEST(calls >= 28U);
  }
  BOOST_TEST(before >= 30U);
}

BOOST_AUTO_TEST_CASE(a_garbled_log_end_opens_by_itself) {
  temp_dir dir;
  auto path = dir / "store";
  write_and_kill(path, 5);
  auto wal = newest_wal(path);
  auto size = std::filesystem::file_size(wal);
  std::filesystem::resize_file(wal, size - 40);
  std::filesystem::resize_file(wal, size + 4096);

  auto s = open(path);

  BOOST_TEST(whole_calls(*s) >= 4U);
}

BOOST_AUTO_TEST_SUITE_END()
