// SPDX-License-Identifier: MIT
// Goal: a run in the sandbox `bwrap` is a run like any other: it outlives its
// daemon, ends exactly, is cancelled whole; and it sees nothing of the daemon.
// Method: whole programs. Where nothing can be confined, only what is said
// then is tested.
#include "tests/support/agents.hpp"
#include "tests/support/run_log.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <filesystem>

namespace baton::test {
namespace {

namespace fs = std::filesystem;
namespace utf = boost::unit_test;

bool offers_bwrap() {
  static const bool yes = [] {
    daemon d;
    d.start();
    return d.log().find("'bwrap' is not offered") == std::string::npos;
  }();
  return yes;
}

boost::test_tools::assertion_result can_confine(utf::test_unit_id) {
  boost::test_tools::assertion_result out{offers_bwrap()};
  out.message() << "nothing can be confined here";
  return out;
}

std::string text(const json::object& record, std::string_view name) {
  return json::value_to<std::string>(record.at(name));
}

std::string error_text(const json::object& record, std::string_view name) {
  auto* error = record.if_contains("error");
  return error == nullptr ? "" : text(error->as_object(), name);
}

bool has(const std::string& all, const std::string& part) {
  return all.find(part) != std::string::npos;
}

/// A folder that the daemon's own are apart from.
std::string project_of(const daemon& d) {
  auto out = d.file("project");
  fs::create_directories(out);
  return out;
}

} // namespace

BOOST_AUTO_TEST_SUITE(system_confined, *utf::precondition(can_confine))

BOOST_AUTO_TEST_CASE(a_run_is_confined_from_the_command_line_on) {
  daemon d;
  d.start();
  auto project = project_of(d);
  auto got =
    d.cli({"run", "--sandbox", "bwrap", "--cwd", project, "--", "sh", "-c",
           "pwd; ls -A; echo $HOME; for f in '" + d.data_dir() + "' '"
             + d.socket() + "' '" + d.file("home")
             + "'; do [ -e \"$f\" ] && echo $f; done; exit 3"});
  BOOST_TEST(got.exit == 3);
  BOOST_TEST(got.out == project + "\n/workspace\n");
  BOOST_TEST(wait_until([&] { return d.agents().empty(); }, 10s));
}

BOOST_AUTO_TEST_CASE(a_confined_run_outlives_the_kill_of_its_daemon) {
  daemon d;
  d.start();
  auto project = project_of(d);
  auto run = d.create("echo start >> starts; " + counter(1'000'000, 2, "stop"),
                      {{"sandbox", "bwrap"}, {"cwd", project}});
  for (int round = 0; round < 3; ++round) {
    d.wait_for_entries(run, 50 * (round + 1));
    d.kill9();
    d.restart();
  }
  auto seen = d.record(run).at("entries").to_number<std::int64_t>();
  d.wait_for_entries(run, seen + 50);
  write_file(project + "/stop", "");

  auto record = d.wait_for_end(run);

  BOOST_TEST(text(record, "status") == "completed");
  expect_invariants(d, run);
  auto log = read_log(d, run);
  for (const auto& x : log)
    if (x.data_text != counted(x.seq - 1)) {
      BOOST_ERROR("entry " << x.seq << " is " << x.data_text);
      break;
    }
  BOOST_TEST(content_of(project + "/starts") == "start\n");
  BOOST_TEST(wait_until([&] { return d.agents().empty(); }, 10s));
}

BOOST_AUTO_TEST_CASE(a_cancel_ends_a_bomb_of_sessions) {
  daemon d;
  d.start();
  auto run =
    d.create("trap '' TERM HUP; echo lit; while :; do set -- /proc/[0-9]*; "
             "[ $# -gt 100 ] && sleep 0.1 || setsid sleep 1000 & done",
             {{"sandbox", "bwrap"}});
  d.wait_for_entries(run, 1);
  BOOST_TEST(wait_until([&] { return d.agents().size() > 50; }));

  BOOST_TEST(d.request("POST", d.path(run, "/cancel")).status == 202);

  BOOST_TEST(text(d.wait_for_end(run), "status") == "aborted");
  BOOST_TEST(wait_until([&] { return d.agents().empty(); }, 10s));
}

BOOST_AUTO_TEST_CASE(the_network_is_the_request_s) {
  daemon d;
  d.start();
  auto ask = "perl -MIO::Socket::INET -e 'print IO::Socket::INET->new("
             "PeerAddr=>\"127.0.0.1\",PeerPort=>"
             + std::to_string(d.port()) + ") ? \"in\" : \"out\"'";
  auto open = d.create(ask, {{"sandbox", "bwrap"}});
  json::object without{{"provider", "bwrap"}, {"network", false}};
  auto closed = d.create(ask, {{"sandbox", without}});
  d.wait_for_end(open);
  d.wait_for_end(closed);
  BOOST_TEST(read_journal(d, open) == "in");
  BOOST_TEST(read_journal(d, closed) == "out");
}

BOOST_AUTO_TEST_CASE(a_directory_of_the_daemon_s_ends_the_run_with_a_reason) {
  daemon d;
  d.start();
  auto run =
    d.create("echo never", {{"sandbox", "bwrap"}, {"cwd", d.folder()}});
  auto record = d.wait_for_end(run);
  BOOST_TEST(text(record, "status") == "failed");
  BOOST_TEST(error_text(record, "code") == "launch_failed");
  BOOST_TEST(has(error_text(record, "message"), "the daemon's own files"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(system_not_confined)

BOOST_AUTO_TEST_CASE(a_sandbox_that_nobody_can_ever_offer_is_refused) {
  daemon d;
  d.start();
  auto got = d.create_raw({{"command", "echo never"}, {"sandbox", "docker"}});
  BOOST_TEST(got.status == 400);
  BOOST_TEST(has(got.body, "'docker'"));
  BOOST_TEST(has(got.body, "'bwrap'"));
}

BOOST_AUTO_TEST_CASE(a_node_without_bubblewrap_says_so_and_runs_wait) {
  daemon d;
  d.start({}, {}, "export PATH=/nonexistent");
  BOOST_TEST(has(d.log(), "the sandbox 'bwrap' is not offered"));
  BOOST_TEST(has(d.log(), "Debian package bubblewrap"));
  auto got = d.cli({"run", "--detach", "--sandbox", "bwrap", "--", "true"});
  BOOST_TEST(has(got.err, "asked: sandbox bwrap"));
  BOOST_TEST(d.cli({"run", "--", "/bin/true"}).exit == 0);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test
