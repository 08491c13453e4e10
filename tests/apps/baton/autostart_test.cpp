// SPDX-License-Identifier: MIT
// Goal: a daemon is there when one is needed, and only one, and only then.
// Method: the built program with a stand-in for batond.
#include "tests/apps/baton/cli_process.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>

using namespace baton::test;

namespace {

std::string content(const std::string& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// A data directory whose stand-in daemon ends with it.
struct place {
  temp_dir dir;
  std::string data = dir.path() + "/data";

  ~place() {
    ::unlink((data + "/batond.sock").c_str());
    // The stand-in sees that its socket is gone and ends by itself.
    for (auto pid : pids())
      wait_until([pid] { return ::access(pid.c_str(), F_OK) != 0; });
  }

  std::vector<std::string> env() const {
    return {"BATON_DATA_DIR=" + data,
            std::string{"BATON_BATOND="} + BATON_BIN_DIR "/fake_batond"};
  }

  std::vector<std::string> pids() const {
    std::vector<std::string> out;
    std::ifstream file{data + "/starts"};
    for (std::string pid; std::getline(file, pid);)
      out.push_back("/proc/" + pid);
    return out;
  }
};

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

} // namespace

BOOST_AUTO_TEST_SUITE(apps_baton_autostart)

BOOST_AUTO_TEST_CASE(the_first_command_starts_a_daemon_and_the_next_uses_it) {
  place p;
  for (int i = 0; i < 2; ++i) {
    cli_process baton{{"ps", "-q"}, p.env()};
    BOOST_TEST(baton.wait() == 0, baton.err());
    BOOST_TEST(contains(baton.err(), "one was started on " + p.data)
               == (i == 0));
  }
  BOOST_TEST(p.pids().size() == 1u);
  BOOST_TEST(contains(content(p.data + "/batond.log"), "batond ready"));
}

BOOST_AUTO_TEST_CASE(commands_that_start_at_once_share_one_daemon) {
  for (int round = 0; round < 5; ++round) {
    place p;
    std::vector<std::unique_ptr<cli_process>> all;
    for (int i = 0; i < 8; ++i)
      all.push_back(std::make_unique<cli_process>(
        std::vector<std::string>{"ps", "-q"}, p.env()));
    for (auto& baton : all) {
      auto result = baton->process::wait(60s);
      BOOST_TEST(result.exit == 0, result.err);
    }
    BOOST_TEST(p.pids().size() == 1u, content(p.data + "/batond.log"));
  }
}

BOOST_AUTO_TEST_CASE(a_daemon_that_answers_late_is_not_waited_for_in_vain) {
  place p;
  ::mkdir(p.data.c_str(), 0700);
  std::ofstream{p.data + "/late"} << "x";
  cli_process baton{{"ps", "-q"}, p.env()};
  // Sooner than it would give up: 15 s.
  auto result = baton.process::wait(10s);
  BOOST_TEST(result.exit == 0, result.err);
  BOOST_TEST(p.pids().size() == 1u);
}

BOOST_AUTO_TEST_CASE(the_daemon_has_its_own_session_and_keeps_no_descriptor) {
  place p;
  cli_process baton{{"ps", "-q"}, p.env()};
  // It ends although the daemon lives on: nothing holds its outputs open.
  BOOST_TEST(baton.wait() == 0);
  auto pids = p.pids();
  BOOST_TEST_REQUIRE(pids.size() == 1u);
  auto pid = std::stoi(pids[0].substr(6));
  BOOST_TEST(::getsid(pid) != ::getsid(0));
  BOOST_TEST(::getsid(pid) != pid);
}

BOOST_AUTO_TEST_CASE(a_daemon_that_cannot_start_is_quoted) {
  place p;
  ::mkdir(p.data.c_str(), 0700);
  std::ofstream{p.data + "/refuse"} << "x";
  cli_process baton{{"ps"}, p.env()};

  BOOST_TEST(baton.wait() == 125);
  BOOST_TEST(contains(baton.err(), "batond: data-dir: is broken"));
  BOOST_TEST(contains(baton.err(), p.data + "/batond.log"));
}

BOOST_AUTO_TEST_CASE(nothing_is_started_when_it_is_not_wanted) {
  place p;
  auto env = p.env();
  cli_process forbidden{{"ps", "--no-autostart"}, env};
  BOOST_TEST(forbidden.wait() == 125);
  cli_process status{{"status"}, env};
  BOOST_TEST(status.wait() == 125);
  cli_process version{{"version"}, env};
  BOOST_TEST(version.wait() == 0);
  cli_process elsewhere{{"ps", "--server", "http://127.0.0.1:1"}, env};
  BOOST_TEST(elsewhere.wait() == 125);
  BOOST_TEST(::access(p.data.c_str(), F_OK) != 0);
}

BOOST_AUTO_TEST_CASE(no_batond_to_start_is_told_with_the_way_out) {
  place p;
  cli_process baton{{"ps"}, {"BATON_DATA_DIR=" + p.data, "BATON_BATOND=/none"}};
  BOOST_TEST(baton.wait() == 125);
  BOOST_TEST(contains(baton.err(), "cannot be executed"), baton.err());
}

BOOST_AUTO_TEST_SUITE_END()
