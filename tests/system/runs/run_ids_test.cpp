// SPDX-License-Identifier: MIT
// Goal: what a run id may be, and that it names one run for ever (field cases
// BR-007, BR-049, BR-054). Method: requests against a whole daemon.
#include "tests/support/agents.hpp"
#include "tests/support/run_log.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <set>

namespace baton::test {
namespace {

namespace fs = std::filesystem;

std::set<std::string> files_below(const std::string& folder) {
  std::set<std::string> out;
  for (const auto& x : fs::recursive_directory_iterator{folder})
    out.insert(x.path());
  return out;
}

} // namespace

BOOST_AUTO_TEST_SUITE(system_run_ids)

// BR-007.
BOOST_AUTO_TEST_CASE(a_used_id_starts_nothing_and_names_the_first_run) {
  daemon d;
  d.start();
  d.create("echo '{\"a\":1}'; exit 3", {{"run_id", "r-dup"}});
  d.wait_for_end("r-dup");
  // The last thing about it that changes.
  BOOST_TEST(wait_until([&] {
    return d.record("r-dup").at("sandbox").at("state").as_string() == "gone";
  }));
  auto first = d.record("r-dup");

  auto other = d.create_raw(
    {{"run_id", "r-dup"}, {"command", "echo '{\"b\":2}'; exit 0"}});
  auto same = d.create_raw(
    {{"run_id", "r-dup"}, {"command", "echo '{\"a\":1}'; exit 3"}});

  BOOST_TEST(other.status == 409);
  BOOST_TEST(json::parse(other.body).at("error").at("code").as_string()
             == "run_id_reused");
  BOOST_TEST(json::parse(other.body).at("error").at("differs").as_string()
             == "command");
  auto shown = d.cli({"run", "--id", "r-dup", "--setup", "true", "--", "true"});
  BOOST_TEST(shown.exit == 125);
  BOOST_TEST(shown.err.find("another command and --setup;")
               != std::string::npos,
             shown.err);
  BOOST_TEST(same.status == 200);
  BOOST_TEST((json::parse(same.body).as_object() == first));
  BOOST_TEST((d.record("r-dup") == first));
  BOOST_TEST(read_journal(d, "r-dup") == "{\"a\":1}\n");
  expect_invariants(d, "r-dup");
}

// BR-007.
BOOST_AUTO_TEST_CASE(two_starts_at_the_same_moment_launch_one_agent) {
  daemon d;
  d.start();
  for (int round = 0; round < 20; ++round) {
    auto id = "r-dup2-" + std::to_string(round);
    auto words = d.file("words-" + std::to_string(round));
    auto body = json::serialize(json::object{
      {"run_id", id}, {"command", "echo word >> '" + words + "'; echo x"}});
    http::test::client a{d.port()};
    http::test::client b{d.port()};
    auto text = http::test::request("POST", "/v1/runs", body,
                                    "Content-Type: application/json\r\n");
    a.send(text);
    b.send(text);
    auto codes = std::multiset<int>{a.read().status, b.read().status};
    BOOST_TEST((codes == std::multiset<int>{200, 201}));
    BOOST_TEST(d.wait_for_end(id).at("exit_code").as_int64() == 0);
    BOOST_TEST(content_of(words) == "word\n");
  }
}

// BR-049.
BOOST_AUTO_TEST_CASE(an_odd_id_is_refused_or_reads_back_as_given) {
  daemon d;
  d.start();
  auto outside = files_below(d.folder());
  for (std::string id : {"../../x", "..%2f..%2fx", "a/b", "-rf", "CON",
                         "\xf0\x9f\x8c\x8d", "a b", "a\\b", "a?b#c", "%", "...",
                         "~", "\xc2\xa0", "{\"x\":1}\"'; touch x"}) {
    BOOST_TEST_CONTEXT(id) {
      BOOST_TEST(d.create("echo hi", {{"run_id", id}}) == id);
      auto record = d.wait_for_end(id);
      BOOST_TEST(record.at("run_id").as_string() == id);
      BOOST_TEST(record.at("status").as_string() == "completed");
      expect_invariants(d, id);
      BOOST_TEST(d.request("POST", daemon::path(id, "/cancel")).status == 409);
      auto shown = d.cli({"logs", "--raw", "--", id});
      BOOST_TEST(shown.out == "hi\n");
      BOOST_TEST(d.request("DELETE", daemon::path(id)).status < 300);
      BOOST_TEST(d.get(daemon::path(id)).status == 404);
    }
  }
  for (std::string id :
       {std::string{"."}, std::string{".."}, std::string{},
        std::string{"a\0b", 3}, std::string{"a\nb"}, std::string{"a\rb"},
        std::string{"\x7f"}, std::string{"\xc2\x85"}, std::string(5000, 'a'),
        std::string(513, 'a')}) {
    auto answer = d.create_raw({{"run_id", id}, {"command", "echo hi"}});
    BOOST_TEST(answer.status == 400, id.substr(0, 20));
  }
  BOOST_TEST(d.create("true", {{"run_id", std::string(512, 'a')}}).size()
             == 512u);
  d.wait_for_end(std::string(512, 'a'));
  for (const auto& path : files_below(d.folder()))
    BOOST_TEST((outside.contains(path) || path.starts_with(d.data_dir())),
               path);
}

// BR-054.
BOOST_AUTO_TEST_CASE(reading_an_unknown_run_is_404_and_makes_nothing) {
  daemon d;
  d.start();
  auto before = files_below(d.data_dir() + "/sandboxes");
  for (int time = 0; time < 3; ++time)
    for (auto* rest : {"", "/events?live=1", "/events?live=0", "/events?from=5",
                       "/journal", "/journal?live=1"})
      BOOST_TEST(
        d.request("GET", daemon::path("no-such-run", rest), {}, {}, 1s).status
          == 404,
        rest);
  BOOST_TEST(d.request("POST", daemon::path("no-such-run", "/cancel")).status
             == 404);
  BOOST_TEST(d.cli({"attach", "no-such-run"}).exit == 1);
  BOOST_TEST(d.cli({"logs", "no-such-run"}).exit == 1);

  BOOST_TEST(json::parse(d.get("/v1/runs").body).at("runs").as_array().empty());
  BOOST_TEST((files_below(d.data_dir() + "/sandboxes") == before));
  d.create("echo here", {{"run_id", "no-such-run"}});
  auto record = d.wait_for_end("no-such-run");
  BOOST_TEST(record.at("status").as_string() == "completed");
  BOOST_TEST(record.at("epoch").as_int64() == 1);
  BOOST_TEST(read_journal(d, "no-such-run") == "here\n");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test
