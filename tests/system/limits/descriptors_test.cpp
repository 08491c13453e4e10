// SPDX-License-Identifier: MIT
// Goal: a daemon that is out of descriptors ends no run and turns nobody away
// for good; what it could not do then, it does later.
// Method: its limit is lowered below what it holds, and lifted again.
#include "tests/support/agents.hpp"
#include "tests/support/run_log.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace baton::test {
namespace {

/// A driver gives what it cannot do a dozen tries, a second apart; this is not
/// among what it gives up.
constexpr auto beyond_all_tries = 15s;

constexpr std::array all{"followed", "moved", "launched"};

/// While it lives, the daemon can open nothing.
class shortage {
public:
  explicit shortage(const daemon& d) : pid_(d.pid()) {
    rlimit low{};
    BOOST_REQUIRE(::prlimit(pid_, RLIMIT_NOFILE, nullptr, &before_) == 0);
    low.rlim_cur = 3;
    low.rlim_max = before_.rlim_max;
    BOOST_REQUIRE(::prlimit(pid_, RLIMIT_NOFILE, &low, nullptr) == 0);
  }
  ~shortage() { ::prlimit(pid_, RLIMIT_NOFILE, &before_, nullptr); }
  shortage(const shortage&) = delete;
  shortage& operator=(const shortage&) = delete;

private:
  pid_t pid_;
  rlimit before_{};
};

reply post(http::test::client& client, std::string_view target,
           std::string_view body) {
  client.send(http::test::request("POST", target, body,
                                  "Content-Type: application/json\r\n"));
  return client.read();
}

std::string status_through(http::test::client& client, std::string_view run) {
  client.send(http::test::request("GET", daemon::path(run)));
  return json::value_to<std::string>(
    json::parse(client.read().body).at("status"));
}

std::string gated(const daemon& d) {
  return "echo 1; " + wait_for_file(d.file("go")) + "echo 2";
}

void expect_both_lines(const daemon& d, const std::string& run) {
  BOOST_TEST_CONTEXT("run " << run) {
    auto record = d.wait_for_end(run);
    BOOST_TEST(record.at("status").as_string() == "completed",
               json::serialize(record));
    BOOST_TEST(read_journal(d, run) == "1\n2\n");
    expect_invariants(d, run);
  }
}

/// The sockets that a child of the daemon would get: with a listening one it
/// would stand in for a daemon that was killed. Other descriptors may come from
/// whoever started us.
std::vector<std::string> inheritable_sockets(const daemon& d) {
  namespace fs = std::filesystem;
  auto proc = "/proc/" + std::to_string(d.pid());
  std::vector<std::string> out;
  for (const auto& x : fs::directory_iterator{proc + "/fdinfo"}) {
    std::error_code gone;
    auto number = x.path().filename().string();
    auto what = fs::read_symlink(proc + "/fd/" + number, gone).string();
    if (!what.starts_with("socket:"))
      continue;
    std::ifstream in{x.path()};
    for (std::string word, value; in >> word >> value;)
      if (word == "flags:" && (std::stoul(value, nullptr, 8) & O_CLOEXEC) == 0)
        out.push_back(number + " is " + what);
  }
  return out;
}

} // namespace

BOOST_AUTO_TEST_SUITE(system_descriptors)

BOOST_AUTO_TEST_CASE(a_daemon_out_of_descriptors_ends_no_run) {
  daemon d;
  d.start();
  d.create(gated(d), {{"run_id", "followed"}});
  d.create(gated(d), {{"run_id", "moved"}});
  d.wait_for_entries("followed", 1);
  d.wait_for_entries("moved", 1);
  http::test::client client{d.port()};
  BOOST_TEST(status_through(client, "moved") == "running");
  {
    shortage now{d};
    auto moved = post(client, "/v1/runs/moved/takeover", "{}");
    BOOST_TEST(moved.status == 200, moved.body);
    auto made = post(client, "/v1/runs",
                     json::serialize(json::object{{"run_id", "launched"},
                                                  {"command", gated(d)}}));
    BOOST_TEST(made.status == 201, made.body);
    write_file(d.file("go"), "");
    // It looks at each of them again and again, and can see next to nothing.
    auto lost = wait_until(
      [&] {
        return std::ranges::any_of(all, [&](auto* run) {
          auto status = status_through(client, run);
          return status != "running" && status != "completed";
        });
      },
      beyond_all_tries);
    BOOST_TEST(!lost);
  }
  for (auto* run : all)
    expect_both_lines(d, run);
}

BOOST_AUTO_TEST_CASE(who_connects_without_descriptors_is_served_later) {
  daemon d;
  d.start();
  std::unique_ptr<http::test::client> early;
  {
    shortage now{d};
    early = std::make_unique<http::test::client>(d.port());
    early->send(http::test::request("GET", "/livez"));
    BOOST_TEST(!early->sees_end(1s));
  }
  BOOST_TEST(early->read().status == 200);
  BOOST_TEST(d.get("/livez").status == 200);
}

BOOST_AUTO_TEST_CASE(no_child_of_a_daemon_gets_its_sockets) {
  daemon hub, worker;
  hub.start({"--node-id", "hub", "--cluster", "127.0.0.1:0"});
  worker.start({"--node-id", "w", "--join", hub.cluster_address()});
  auto run = hub.create("echo one; sleep 60", {{"node", "w"}});
  hub.wait_for_entries(run, 1);
  // One connection each that stays open.
  auto seen = hub.view(run);
  auto too = worker.view(run);
  BOOST_TEST(seen.pump_until([&] { return !seen.events().empty(); }));
  BOOST_TEST(too.pump_until([&] { return !too.events().empty(); }));

  for (auto* d : {&hub, &worker})
    for (const auto& what : inheritable_sockets(*d))
      BOOST_ERROR("descriptor " << what);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test
