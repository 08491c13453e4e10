// SPDX-License-Identifier: MIT
// Goal: a journal's bytes are this journal's bytes, and its growth is told.
// Method: real files, damaged in every way an agent could.
#include "actors/sandbox/journal_file.hpp"
#include "actors/sandbox/journal_watcher.hpp"

#include "tests/actors/sandbox/sandbox_world.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>

namespace baton::sandbox::test {
namespace {

namespace fs = std::filesystem;

struct journal_world {
  temporary_folder folder;
  std::string path = folder / "journal";
  std::shared_ptr<journal_watcher> watcher = journal_watcher::make();
  std::atomic<int> calls{0};

  std::unique_ptr<journal_file> open() {
    return std::make_unique<journal_file>(path, watcher, [this] { ++calls; });
  }

  void append(const std::string& text) {
    std::ofstream{path, std::ios::binary | std::ios::app} << text;
  }

  static std::string read(journal_source& x, std::uint64_t from) {
    std::string out(100, '\0');
    auto n = x.read(position{from}, out);
    BOOST_REQUIRE_MESSAGE(n.ok(), (n.ok() ? "" : n.error().message));
    out.resize(*n);
    return out;
  }

  static errc read_error(journal_source& x, std::uint64_t from) {
    std::string out(100, '\0');
    auto n = x.read(position{from}, out);
    return n.ok() ? errc::none : n.error().code;
  }
};

BOOST_AUTO_TEST_SUITE(sandbox_journal_file)

BOOST_FIXTURE_TEST_CASE(bytes_are_read_from_any_position, journal_world) {
  append("hello\n");
  auto x = open();
  BOOST_TEST(read(*x, 0) == "hello\n");
  BOOST_TEST(read(*x, 3) == "lo\n");
  BOOST_TEST(read(*x, 6) == "");
  append("more");
  BOOST_TEST(read(*x, 6) == "more");
  BOOST_TEST(x->size().value().value == 10u);
}

BOOST_FIXTURE_TEST_CASE(a_journal_not_there_yet_is_empty_then_appears,
                        journal_world) {
  auto x = open();
  BOOST_TEST(read(*x, 0) == "");
  BOOST_TEST(x->size().value().value == 0u);
  append("a\n");
  BOOST_TEST(read(*x, 0) == "a\n");
}

BOOST_FIXTURE_TEST_CASE(growth_is_told_and_told_again_after_reading,
                        journal_world) {
  append("a\n");
  auto x = open();
  // Stays open: the close of a writer would be told in any case.
  std::ofstream out{path, std::ios::binary | std::ios::app};
  for (int i = 1; i <= 3; ++i) {
    read(*x, 0);
    calls = 0;
    out << "b\n" << std::flush;
    BOOST_TEST(eventually([&] { return calls > 0; }, 3000));
  }
}

BOOST_FIXTURE_TEST_CASE(much_growth_without_reading_is_told_once,
                        journal_world) {
  append("a\n");
  auto x = open();
  std::ofstream out{path, std::ios::binary | std::ios::app};
  out << "b\n" << std::flush;
  BOOST_TEST(eventually([&] { return calls == 1; }));
  for (int i = 0; i < 1000; ++i)
    out << "b\n" << std::flush;
  BOOST_TEST(calls == 1);
  // A writer that closes is told in any case.
  out.close();
  BOOST_TEST(eventually([&] { return calls == 2; }));
}

BOOST_FIXTURE_TEST_CASE(two_observers_of_one_journal_both_hear, journal_world) {
  append("a\n");
  std::atomic<int> other{0};
  auto x = open();
  auto y = std::make_unique<journal_file>(path, watcher, [&] { ++other; });
  append("b\n");
  BOOST_TEST(eventually([&] { return calls > 0 && other > 0; }));
  y.reset();
  read(*x, 0);
  calls = 0;
  auto heard = other.load();
  append("c\n");
  BOOST_TEST(eventually([&] { return calls > 0; }));
  BOOST_TEST(other == heard);
}

BOOST_FIXTURE_TEST_CASE(no_call_comes_after_the_end_of_the_observation,
                        journal_world) {
  append("a\n");
  for (int i = 0; i < 200; ++i) {
    std::atomic<bool> ended{false};
    auto x = std::make_unique<journal_file>(path, watcher, [&] {
      if (ended)
        ++calls;
    });
    append("b\n");
    x.reset();
    ended = true;
  }
  BOOST_TEST(calls == 0);
}

BOOST_FIXTURE_TEST_CASE(a_cut_journal_is_damaged, journal_world) {
  append("hello\n");
  auto x = open();
  read(*x, 0);
  fs::resize_file(path, 2);
  BOOST_TEST((read_error(*x, 6) == errc::journal_damaged));
}

BOOST_FIXTURE_TEST_CASE(a_removed_journal_is_damaged, journal_world) {
  append("hello\n");
  auto x = open();
  calls = 0;
  fs::remove(path);
  BOOST_TEST(eventually([&] { return calls > 0; }));
  BOOST_TEST(read(*x, 0) == "hello\n");
  BOOST_TEST((read_error(*x, 6) == errc::journal_damaged));
  BOOST_TEST((x->size().error().code == errc::journal_damaged));
}

BOOST_FIXTURE_TEST_CASE(a_replaced_journal_is_damaged, journal_world) {
  append("hello\n");
  auto x = open();
  read(*x, 0);
  std::ofstream{folder / "other"} << "hello\nhello\n";
  fs::rename(folder / "other", path);
  BOOST_TEST((read_error(*x, 6) == errc::journal_damaged));
}

BOOST_FIXTURE_TEST_CASE(a_journal_that_went_before_it_was_opened_is_damaged,
                        journal_world) {
  auto x = open();
  BOOST_TEST((read_error(*x, 6) == errc::journal_damaged));
}

BOOST_FIXTURE_TEST_CASE(the_end_of_an_agent_is_told_when_it_can_be_probed,
                        sandbox_world) {
  for (int i = 0; i < 20; ++i) {
    auto x = order("read line < '" + (outside() / "go") + "'");
    fs::remove(outside() / "go");
    BOOST_REQUIRE(::mkfifo((outside() / "go").c_str(), 0600) == 0);
    BOOST_REQUIRE(here().launch(x).ok());
    std::atomic<bool> ended{false};
    auto journal = here().open_journal(x.where, [&] {
      auto got = here().probe(x.where);
      if (got.ok() && got->state == agent_state::exited)
        ended = true;
    });
    BOOST_REQUIRE(journal.ok());
    std::ofstream{outside() / "go"} << "line\n";
    // No read and no poll: the callback alone must see the end.
    BOOST_TEST(eventually([&] { return ended.load(); }, 3000));
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace baton::sandbox::test
