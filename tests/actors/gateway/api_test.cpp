// SPDX-License-Identifier: MIT
// The API over real sockets: what each request does and how it is refused.
#include "tests/actors/gateway/node_fixture.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>

using namespace baton;
using namespace baton::http::test;

namespace {

boost::json::object json(const reply& r) {
  return boost::json::parse(r.body).as_object();
}

std::string code(const reply& r) {
  auto error = json(r).at("error").as_object();
  BOOST_TEST(!error.at("message").as_string().empty());
  return boost::json::value_to<std::string>(error.at("code"));
}

struct folder {
  folder() {
    char pattern[] = "/tmp/baton-gateway-XXXXXX";
    path = ::mkdtemp(pattern);
  }
  ~folder() { (void)std::system(("rm -rf " + path).c_str()); }
  std::string path;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(gateway_api, node_fixture)

BOOST_AUTO_TEST_CASE(a_run_is_created_once_shown_listed_and_removed) {
  auto made = ask("POST", "/v1/runs",
                  R"({"run_id":"a/b","external":true,"thread_id":"t"})");
  BOOST_TEST(made.status == 201);
  BOOST_TEST(made.headers["location"] == "/v1/runs/a%2Fb");
  auto record = json(made);
  BOOST_TEST(record.at("run_id").as_string() == "a/b");
  auto again = ask("POST", "/v1/runs", R"({"run_id":"a/b","external":true})");
  BOOST_TEST(again.status == 200);
  auto other =
    ask("POST", "/v1/runs", R"({"run_id":"a/b","command":["other"]})");
  BOOST_TEST(other.status == 409);
  BOOST_TEST(code(other) == "run_id_reused");

  auto shown = ask("GET", "/v1/runs/a%2Fb");
  BOOST_TEST(shown.status == 200);
  BOOST_TEST((json(shown).at("started_at") == record.at("started_at")));
  BOOST_TEST(json(ask("GET", "/v1/threads/t/active")).at("run_id").as_string()
             == "a/b");
  auto listed = json(ask("GET", "/v1/runs?status=live"));
  BOOST_TEST(listed.at("runs").as_array().size() == 1u);

  auto early = ask("DELETE", "/v1/runs/a%2Fb");
  BOOST_TEST(early.status == 409);
  BOOST_TEST(code(early) == "not_terminal");
  BOOST_TEST(ask("POST", "/v1/runs/a%2Fb/cancel").status == 202);
  BOOST_TEST(ask("DELETE", "/v1/runs/a%2Fb").status == 200);
  BOOST_TEST(ask("GET", "/v1/runs/a%2Fb").status == 404);
}

BOOST_AUTO_TEST_CASE(a_run_without_an_id_gets_one_and_a_thread) {
  auto made = json(ask("POST", "/v1/runs", R"({"external":true})"));
  BOOST_TEST(made.at("run_id").as_string().size() == 36u);
  BOOST_TEST((made.at("run_id") == made.at("thread_id")));
}

BOOST_AUTO_TEST_CASE(lists_come_in_pages) {
  for (int i = 0; i < 5; ++i)
    start_run("r" + std::to_string(i));
  std::string cursor;
  std::vector<std::string> seen;
  do {
    auto page = json(ask("GET", "/v1/runs?limit=2" + cursor));
    for (const auto& run : page.at("runs").as_array())
      seen.push_back(boost::json::value_to<std::string>(run.at("run_id")));
    auto* next = page.if_contains("next_cursor");
    cursor = next ? "&cursor=" + boost::json::value_to<std::string>(*next) : "";
  } while (!cursor.empty());
  BOOST_TEST(seen == (std::vector<std::string>{"r0", "r1", "r2", "r3", "r4"}));
  for (auto bad : {"limit=0", "limit=1001", "limit=x", "cursor=x", "status=x",
                   "thread_id=", "colour=red"})
    BOOST_TEST(ask("GET", "/v1/runs?" + std::string{bad}).status == 400, bad);
}

BOOST_AUTO_TEST_CASE(external_drivers_write_through_the_fence) {
  BOOST_TEST(ask("POST", "/v1/runs", R"({"run_id":"x","external":true})").status
             == 201);
  auto claim = ask("POST", "/v1/runs/x/claim", R"({"holder":"a"})");
  BOOST_TEST(json(claim).at("epoch").as_int64() == 1);
  BOOST_TEST(json(claim).at("next_seq").as_int64() == 1);
  auto held = ask("POST", "/v1/runs/x/claim", R"({"holder":"b"})");
  BOOST_TEST(held.status == 409);
  BOOST_TEST(code(held) == "held");
  BOOST_TEST(json(held).at("error").at("holder").as_string() == "a");

  auto done = append("x", "{\"a\":1}\nb", 1);
  BOOST_TEST(done.status == 200);
  BOOST_TEST(json(done).at("last_seq").as_int64() == 2);
  BOOST_TEST(json(done).at("position").as_int64() == 9);
  BOOST_TEST(json(append("x", "{\"a\":1}\nb", 1)).at("duplicate").as_bool());
  auto gap = append("x", "c\n", 4);
  BOOST_TEST(gap.status == 409);
  BOOST_TEST(json(gap).at("error").at("next_seq").as_int64() == 3);
  BOOST_TEST(code(append("x", "", 3)) == "empty");
  BOOST_TEST(code(append("x", "other\n", 1)) == "mismatch");

  auto stolen =
    ask("POST", "/v1/runs/x/claim", R"({"holder":"b","steal":true})");
  BOOST_TEST(json(stolen).at("epoch").as_int64() == 2);
  auto fenced = append("x", "c\n", 3);
  BOOST_TEST(fenced.status == 409);
  BOOST_TEST(code(fenced) == "fenced");
  BOOST_TEST(json(fenced).at("error").at("epoch").as_int64() == 2);
  BOOST_TEST(code(finish("x")) == "fenced");
  auto two = "Baton-Epoch: 2\r\n";
  BOOST_TEST(ask("PUT", "/v1/runs/x/claim", "", two).status == 200);
  BOOST_TEST(ask("PUT", "/v1/runs/x/claim").status == 400);
  auto end = ask("POST", "/v1/runs/x/finish",
                 R"({"status":"failed","exit_code":3,"error":"why"})", two);
  BOOST_TEST(end.status == 200);
  BOOST_TEST(json(end).at("status").as_string() == "failed");
  BOOST_TEST(json(end).at("error").at("message").as_string() == "why");
  auto history = json(ask("GET", "/v1/runs/x/claims"));
  BOOST_TEST(history.at("claims").as_array().size() == 2u);
  BOOST_TEST(code(ask("POST", "/v1/runs/x/takeover")) == "terminal");
}

BOOST_AUTO_TEST_CASE(a_claim_can_be_released) {
  start_run("x");
  BOOST_TEST(ask("DELETE", "/v1/runs/x/claim", "", "Baton-Epoch: 1\r\n").status
             == 200);
  BOOST_TEST(ask("POST", "/v1/runs/x/claim", R"({"holder":"b"})").status
             == 200);
}

// BR-054: reading an unknown run creates it and hangs.
BOOST_AUTO_TEST_CASE(an_unknown_run_is_404_at_once_and_comes_not_into_being) {
  for (int i = 0; i < 3; ++i)
    for (auto path : {"", "/events", "/events?live=0", "/journal",
                      "/journal?live=1", "/claims"}) {
      auto r = ask("GET", "/v1/runs/no-such-run" + std::string{path});
      BOOST_TEST(r.status == 404, path);
      BOOST_TEST(code(r) == "unknown_run");
    }
  for (auto path : {"/cancel", "/takeover", "/interrupt", "/resume"})
    BOOST_TEST(ask("POST", "/v1/runs/no-such-run" + std::string{path}).status
               == 404);
  BOOST_TEST(append("no-such-run", "x\n", 1).status == 404);
  BOOST_TEST(json(ask("GET", "/v1/runs")).at("runs").as_array().empty());
  start_run("no-such-run");
  BOOST_TEST(ask("GET", "/v1/threads/none/active").status == 404);
}

// BR-049: id with path parts leaves the data folder.
BOOST_AUTO_TEST_CASE(strange_ids_read_back_as_given_or_are_refused) {
  for (std::string text : {"../../x", "..%2f..%2fx", "a/b", "-rf", "CON",
                           "\xF0\x9F\x8C\x8D", "a b", "a?b#c", "a\\\"b"}) {
    auto body = boost::json::serialize(
      boost::json::object{{"run_id", text}, {"external", true}});
    auto made = ask("POST", "/v1/runs", body);
    BOOST_TEST(made.status == 201, text);
    auto place = made.headers["location"];
    BOOST_TEST(place.find_first_of("\r\n\"\\ ?#") == place.npos);
    auto shown = ask("GET", place);
    BOOST_TEST(json(shown).at("run_id").as_string() == text);
  }
  for (std::string text : {".", "..", "", "a\nb", "a\x7F", "\xC2\x80"}) {
    auto body = boost::json::serialize(
      boost::json::object{{"run_id", text}, {"external", true}});
    BOOST_TEST(ask("POST", "/v1/runs", body).status == 400, text);
  }
  BOOST_TEST(ask("GET", "/v1/runs/a%00b").status == 400);
  BOOST_TEST(ask("GET", "/v1/runs/" + std::string(5000, 'a')).status == 400);
}

BOOST_AUTO_TEST_CASE(health_readiness_and_metrics) {
  BOOST_TEST(ask("GET", "/livez").status == 200);
  BOOST_TEST(ask("GET", "/healthz").status == 200);
  BOOST_TEST(ask("GET", "/readyz").status == 200);
  set_ready(make_status(errc::unavailable, "not yet"));
  auto r = ask("GET", "/readyz");
  BOOST_TEST(r.status == 503);
  BOOST_TEST(r.headers.count("retry-after") == 1u);
  BOOST_TEST(ask("GET", "/livez").status == 200);
  BOOST_TEST(metric("baton_resident_memory_bytes") > 1'000'000u);
}

BOOST_AUTO_TEST_CASE(metrics_count_runs_claims_takeovers_and_fenced_writes) {
  start_run("x");
  start_run("y");
  ask("POST", "/v1/runs/x/claim", R"({"holder":"b","steal":true})");
  BOOST_TEST(append("x", "late\n", 1).status == 409);
  BOOST_TEST(finish("y").status == 200);
  BOOST_TEST(metric("baton_runs{status=\"running\"}") == 1u);
  BOOST_TEST(metric("baton_runs_ended_total{status=\"completed\"}") == 1u);
  BOOST_TEST(metric("baton_claims_total") == 3u);
  BOOST_TEST(metric("baton_takeovers_total{cause=\"steal\"}") == 1u);
  BOOST_TEST(metric("baton_takeovers_total{cause=\"restart\"}") == 0u);
  BOOST_TEST(metric("baton_fenced_writes_total") == 1u);
}

BOOST_AUTO_TEST_CASE(wrong_methods_and_paths) {
  auto r = ask("PUT", "/v1/runs");
  BOOST_TEST(r.status == 405);
  BOOST_TEST(code(r) == "method_not_allowed");
  BOOST_TEST(r.headers["allow"] == "POST, GET, HEAD, OPTIONS");
  BOOST_TEST(ask("OPTIONS", "/v1/runs").status == 204);
  BOOST_TEST(ask("GET", "/nothing").status == 404);
  BOOST_TEST(ask("BREW", "/v1/runs").status == 405);
  auto other = ask("POST", "/v1/nodes");
  BOOST_TEST(code(other) == "method_not_allowed");
  BOOST_TEST(other.headers["allow"] == "GET, HEAD, OPTIONS");
  BOOST_TEST(code(ask("GET", "/nothing")) == "not_found");
  start_run("x");
  for (auto path : {"/v1/runs/x", "/v1/runs/x/events", "/v1/runs/x/journal"}) {
    client c{port()};
    c.send(request("HEAD", path) + request("GET", "/livez"));
    BOOST_TEST(c.read(nullptr, true).status == 200, path);
    BOOST_TEST(c.read().body == "ok\n", path);
  }
}

BOOST_AUTO_TEST_CASE(an_external_run_is_not_moved_between_nodes) {
  start_run("x");
  BOOST_TEST(ask("POST", "/v1/runs/x/takeover").status == 400);
}

// A page in a browser must not be able to start commands.
BOOST_AUTO_TEST_CASE(pages_of_other_sites_cannot_reach_a_node_without_tokens) {
  auto body = R"({"external":true})";
  BOOST_TEST(
    ask("POST", "/v1/runs", body, "Origin: http://evil.example\r\n").status
    == 403);
  // A GET carries no Origin when a page only embeds the answer.
  for (auto site : {"cross-site", "same-site"})
    for (auto path : {"/v1/runs", "/v1/nodes", "/metrics", "/nothing"})
      BOOST_TEST(
        ask("GET", path, "", "Sec-Fetch-Site: " + std::string{site} + "\r\n")
          .status
        == 403);
  for (auto site :
       {"", "Sec-Fetch-Site: none\r\n", "Sec-Fetch-Site: same-origin\r\n"})
    BOOST_TEST(ask("GET", "/v1/runs", "", site).status == 200, site);
  client c{port()};
  c.send("GET /v1/runs HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  BOOST_TEST(c.read().status == 403);
  BOOST_TEST(json(ask("GET", "/v1/runs")).at("runs").as_array().empty());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(gateway_access)

BOOST_AUTO_TEST_CASE(tokens_guard_tcp_and_the_unix_socket_needs_none) {
  folder f;
  gateway_options options;
  options.tokens = {http::make_token("reads", http::scope::read),
                    http::make_token("runs", http::scope::run)};
  options.socket_path = f.path + "/new/s";
  node_fixture node{options};
  auto with = [&](std::string_view method, std::string_view target,
                  std::string token, std::string_view body = {}) {
    return node
      .ask(method, target, body, "Authorization: Bearer " + token + "\r\n")
      .status;
  };
  auto body = R"({"external":true})";
  BOOST_TEST(node.ask("GET", "/livez").status == 200);
  BOOST_TEST(node.ask("GET", "/readyz").status == 200);
  auto none = node.ask("GET", "/v1/runs");
  BOOST_TEST(none.status == 401);
  BOOST_TEST(none.headers["www-authenticate"] == "Bearer");
  BOOST_TEST(node.ask("GET", "/metrics").status == 401);
  BOOST_TEST(node.ask("GET", "/nothing").status == 401);
  BOOST_TEST(with("GET", "/v1/runs", "wrong") == 401);
  BOOST_TEST(with("GET", "/v1/runs", "reads") == 200);
  BOOST_TEST(with("POST", "/v1/runs", "reads", body) == 403);
  BOOST_TEST(with("POST", "/v1/runs", "runs", body) == 201);
  BOOST_TEST(with("POST", "/v1/runs/x/takeover", "runs") == 403);

  client local{options.socket_path};
  local.send(request("POST", "/v1/runs", body));
  BOOST_TEST(local.read().status == 201);
  struct stat info {};
  ::stat(options.socket_path.c_str(), &info);
  BOOST_TEST((info.st_mode & 0777) == 0600u);
  ::stat((f.path + "/new").c_str(), &info);
  BOOST_TEST((info.st_mode & 0777) == 0700u);
}

BOOST_AUTO_TEST_CASE(stale_sockets_are_replaced_live_ones_respected) {
  folder f;
  gateway_options options;
  options.socket_path = f.path + "/s";
  {
    node_fixture first{options};
    BOOST_CHECK_EXCEPTION(
      node_fixture{options}, std::runtime_error, [](const auto& e) {
        return std::string{e.what()}.find("listens") != std::string::npos;
      });
    client c{options.socket_path};
    c.send(request("GET", "/livez"));
    BOOST_TEST(c.read().status == 200);
  }
  // What a killed process leaves: a socket file that nobody listens on.
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  options.socket_path.copy(where.sun_path, sizeof(where.sun_path) - 1);
  int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  BOOST_REQUIRE(
    ::bind(fd, reinterpret_cast<const sockaddr*>(&where), sizeof(where)) == 0);
  ::close(fd);
  node_fixture second{options};
  client c{options.socket_path};
  c.send(request("GET", "/livez"));
  BOOST_TEST(c.read().status == 200);
}

BOOST_AUTO_TEST_CASE(busy_ports_and_bad_certificates_are_said_plainly) {
  node_fixture first;
  gateway_options options;
  options.http_port = first.port();
  BOOST_CHECK_THROW(node_fixture{options}, std::runtime_error);
  gateway_options tls;
  tls.tls_cert = "/nonexistent";
  tls.tls_key = "/nonexistent";
  BOOST_CHECK_EXCEPTION(
    node_fixture{tls}, std::runtime_error, [](const auto& e) {
      return std::string{e.what()}.find("/nonexistent") != std::string::npos;
    });
}

BOOST_AUTO_TEST_SUITE_END()
