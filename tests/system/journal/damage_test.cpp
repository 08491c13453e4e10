// SPDX-License-Identifier: MIT
// Goal: a journal that shrinks ends its run in words, a full disk ends nothing
// (field cases BR-033, BR-035). Method: agents that cut their own journal, and
// sandboxes on a file system of a megabyte.
#include "tests/support/agents.hpp"
#include "tests/support/run_log.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>

namespace baton::test {
namespace {

namespace fs = std::filesystem;

constexpr auto noticed_within = 10s;

/// A perl script of the daemon's own, as shell text.
std::string perl(const daemon& d, const std::string& script) {
  write_file(d.file("agent.pl"), script);
  return "exec perl '" + d.file("agent.pl") + "'";
}

/// Ten lines, and the rest of `script` once the file `go` is there.
std::string ten_lines_and(const daemon& d, const std::string& script) {
  return perl(d, "$| = 1; print \"{\\\"n\\\":$_}\\n\" for 0..9;\n"
                 "select(undef, undef, undef, 0.02) until -e '"
                   + d.file("go") + "';\n" + script);
}

/// The run fails soon and says why; what was shown stays, and nothing else
/// comes.
void expect_damage(daemon& d, const std::string& run) {
  d.wait_for_entries(run, 10);
  auto viewer = d.view(run);
  write_file(d.file("go"), "");

  auto record = d.wait_for_end(run, noticed_within);
  BOOST_TEST(record.at("status").as_string() == "failed");
  BOOST_TEST(record.at("error").at("code").as_string() == "journal_damaged");
  BOOST_TEST(viewer.pump_to_end());
  BOOST_TEST_REQUIRE(viewer.events().size() == 11u);
  BOOST_TEST(viewer.events().back().type == "end");
  auto log = read_log(d, run);
  BOOST_TEST_REQUIRE(log.size() == 10u);
  for (const auto& x : log)
    BOOST_TEST(x.data_text == counted(x.seq - 1));
  expect_invariants(d, run);
  BOOST_TEST(wait_until([&] { return d.agents().empty(); }));
}

// -- a full disk --------------------------------------------------------------

boost::test_tools::assertion_result may_mount(boost::unit_test::test_unit_id) {
  return ::geteuid() == 0;
}

/// Starts `d` with its sandboxes on a file system of 1 MiB, a quarter of it
/// taken by a file that can go.
class small_disk {
public:
  explicit small_disk(daemon& d) : path_(d.data_dir() + "/sandboxes") {
    // It wants to make its directory itself.
    d.start();
    BOOST_TEST(d.stop() == 0);
    BOOST_REQUIRE(
      ::mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=1m,mode=0700") == 0);
    write_file(path_ + "/ballast", std::string(256 * 1024, 'b'));
    d.restart();
  }
  ~small_disk() { ::umount2(path_.c_str(), MNT_DETACH); }
  small_disk(const small_disk&) = delete;
  small_disk& operator=(const small_disk&) = delete;

  void free_space() { fs::remove(path_ + "/ballast"); }

private:
  std::string path_;
};

/// Lines of 1 kB until the disk is full, then the rest of `script`. The file
/// `account` gets each byte that the journal took; `full` says when.
std::string fill_and(const daemon& d, const std::string& script) {
  return perl(d, "open A, '>', '" + d.file("account") + R"(' or die;
sub put {
  my $w = syswrite STDOUT, $_[0];
  syswrite A, substr($_[0], 0, $w) if $w;
  return $w == length $_[0];
}
$n = 0;
1 while put(sprintf("{\"n\":%d,\"x\":\"%s\"}\n", $n++, "x" x 1000));
open F, '>', ')" + d.file("full")
                   + R"(' or die;
select(undef, undef, undef, 0.02) until -e ')"
                   + d.file("go") + "';\n" + script);
}

} // namespace

BOOST_AUTO_TEST_SUITE(system_damage)

// BR-035.
BOOST_AUTO_TEST_CASE(a_journal_cut_to_nothing_ends_its_run_in_words) {
  daemon d;
  d.start();
  expect_damage(d, d.create(ten_lines_and(
                     d, "truncate STDOUT, 0; print \"{\\\"n\\\":10}\\n\";"
                        "sleep 600;")));
}

BOOST_AUTO_TEST_CASE(a_journal_cut_again_and_again_ends_its_run_once) {
  daemon d;
  d.start();
  expect_damage(d, d.create(ten_lines_and(
                     d, "for $r (1..5) { truncate STDOUT, 0;"
                        " print \"{\\\"r\\\":$r,\\\"n\\\":$_}\\n\" for 1..11 }"
                        "sleep 600;")));
}

BOOST_AUTO_TEST_CASE(zeros_before_what_follows_a_cut_are_no_lines) {
  daemon d;
  d.start();
  expect_damage(d, d.create(ten_lines_and(
                     d, "open F, '+<', '/proc/self/fd/1'; seek F, 0, 2;"
                        "truncate F, 0; syswrite F, \"{\\\"n\\\":10}\\n\";"
                        "sleep 600;")));
}

// BR-033.
BOOST_AUTO_TEST_CASE(a_disk_that_was_full_for_a_while_loses_nothing_it_took,
                     *boost::unit_test::precondition(may_mount)) {
  daemon d;
  small_disk disk{d};
  auto run = d.create(
    fill_and(d, "put(\"\\n\"); put(\"{\\\"after\\\":$_}\\n\") for 1..3;"));
  BOOST_REQUIRE(wait_until([&] { return fs::exists(d.file("full")); }));
  auto account = content_of(d.file("account"));
  BOOST_TEST(account.size() > 100'000u);
  d.wait_for_entries(run, std::count(account.begin(), account.end(), '\n'));
  BOOST_TEST(d.status_of(run) == "running");
  disk.free_space();
  write_file(d.file("go"), "");

  auto record = d.wait_for_end(run);
  BOOST_TEST(record.at("status").as_string() == "completed");
  BOOST_TEST(record.at("exit_code").as_int64() == 0);
  BOOST_TEST((read_journal(d, run) == content_of(d.file("account"))));
  auto log = read_log(d, run);
  BOOST_TEST_REQUIRE(log.size() > 3u);
  for (std::size_t i = 1; i <= 3; ++i)
    BOOST_TEST(log[log.size() - 4 + i].data_text
               == "{\"after\":" + std::to_string(i) + "}");
  expect_invariants(d, run);
}

BOOST_AUTO_TEST_CASE(an_end_on_a_full_disk_is_told_as_it_was,
                     *boost::unit_test::precondition(may_mount)) {
  daemon d;
  small_disk disk{d};
  auto run = d.create(fill_and(d, "exit 7;"));
  BOOST_REQUIRE(wait_until([&] { return fs::exists(d.file("full")); }));
  write_file(d.file("go"), "");

  auto record = d.wait_for_end(run);
  BOOST_TEST(record.at("status").as_string() == "failed");
  BOOST_TEST(record.at("exit_code").as_int64() == 7);
  BOOST_TEST((read_journal(d, run) == content_of(d.file("account"))));
  expect_invariants(d, run);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test
