// SPDX-License-Identifier: MIT
// Goal: a whole daemon lets in whom it was told to: over TCP those with a token
// of enough scope, over its socket its own user (the settings reach the door).
// Method: every route, asked with no token, a wrong one and each scope.
#include "tests/support/agents.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <sys/stat.h>

#include <filesystem>

namespace baton::test {
namespace {

mode_t mode_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

std::string bearer(const std::string& token) {
  return "Authorization: Bearer " + token + "\r\n";
}

} // namespace

BOOST_AUTO_TEST_SUITE(system_access)

BOOST_AUTO_TEST_CASE(over_tcp_each_request_needs_a_token_of_its_scope) {
  daemon d;
  auto tokens = d.file("tokens");
  write_file(tokens, "look read\nwork run\nrule admin\n");
  std::filesystem::permissions(tokens, std::filesystem::perms::owner_read);
  d.start({"--token-file", tokens});
  auto run = d.cli({"run", "--detach", "--", "sleep", "600"});
  BOOST_TEST_REQUIRE(run.exit == 0, run.err);
  auto id = run.out.substr(0, run.out.find('\n'));
  struct row {
    std::string method, target;
    int read, work;
  };
  for (const auto& x :
       {row{"GET", "/v1/runs", 200, 200},
        row{"GET", daemon::path(id), 200, 200},
        row{"GET", daemon::path(id, "/events?live=0"), 200, 200},
        row{"GET", daemon::path(id, "/journal"), 200, 200},
        row{"DELETE", daemon::path(id), 403, 409},
        row{"POST", daemon::path(id, "/takeover"), 403, 403}})
    BOOST_TEST_CONTEXT(x.method << ' ' << x.target) {
      auto ask = [&](const std::string& headers) {
        return d.request(x.method, x.target, {}, headers).status;
      };
      BOOST_TEST(ask({}) == 401);
      BOOST_TEST(ask(bearer("wrong")) == 401);
      BOOST_TEST(ask(bearer("look")) == x.read);
      BOOST_TEST(ask(bearer("work")) == x.work);
    }
  BOOST_TEST(
    d.request("POST", daemon::path(id, "/takeover"), {}, bearer("rule")).status
    == 200);
  BOOST_TEST(d.get("/livez").status == 200);
}

BOOST_AUTO_TEST_CASE(the_socket_is_its_users_alone) {
  daemon d;
  d.start();
  BOOST_TEST(mode_of(d.socket()) == 0600u);
  BOOST_TEST(mode_of(std::filesystem::path{d.socket()}.parent_path()) == 0700u);
}

BOOST_AUTO_TEST_CASE(a_live_run_is_not_removed_and_a_cancel_can_be_repeated) {
  daemon d;
  d.start();
  auto run = d.create("trap '' TERM; echo up; sleep 600");
  d.wait_for_entries(run, 1);
  auto early = d.request("DELETE", daemon::path(run));
  BOOST_TEST(early.status == 409);
  BOOST_TEST(early.body.find("not_terminal") != std::string::npos, early.body);
  BOOST_TEST(d.cli({"rm", run}).exit == 1);
  BOOST_TEST(d.status_of(run) == "running");
  // While its tree is being ended, and after that.
  for (int i = 0; i < 3; ++i)
    BOOST_TEST(d.request("POST", daemon::path(run, "/cancel")).status == 202);
  BOOST_TEST(d.wait_for_end(run).at("status").as_string() == "aborted");
  BOOST_TEST(d.request("POST", daemon::path(run, "/cancel")).status == 202);
  BOOST_TEST(d.cli({"rm", run}).exit == 0);
  BOOST_TEST(d.get(daemon::path(run)).status == 404);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test
