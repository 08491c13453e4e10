// SPDX-License-Identifier: MIT
// Every route is found by its method and path, and by no other; ids are
// decoded once and never read as paths.
#include "actors/gateway/router.hpp"

#include <boost/test/unit_test.hpp>

#include <set>

using namespace baton;
using namespace baton::http;

namespace {

struct example {
  std::string_view method;
  std::string_view target;
  std::string_view name;
  scope needs;
};

constexpr example examples[] = {
  {"POST", "/v1/runs", "create_run", scope::run},
  {"GET", "/v1/runs", "list_runs", scope::read},
  {"GET", "/v1/runs/x", "get_run", scope::read},
  {"DELETE", "/v1/runs/x", "remove_run", scope::run},
  {"GET", "/v1/runs/x/events", "events", scope::read},
  {"GET", "/v1/runs/x/journal", "journal", scope::read},
  {"GET", "/v1/runs/x/claims", "claims", scope::read},
  {"POST", "/v1/runs/x/cancel", "cancel", scope::run},
  {"POST", "/v1/runs/x/takeover", "takeover", scope::admin},
  {"POST", "/v1/runs/x/interrupt", "interrupt", scope::run},
  {"POST", "/v1/runs/x/resume", "resume", scope::run},
  {"POST", "/v1/runs/x/trim", "trim", scope::run},
  {"POST", "/v1/runs/x/claim", "claim", scope::run},
  {"PUT", "/v1/runs/x/claim", "renew", scope::run},
  {"DELETE", "/v1/runs/x/claim", "release", scope::run},
  {"POST", "/v1/runs/x/entries", "append", scope::run},
  {"POST", "/v1/runs/x/finish", "finish", scope::run},
  {"GET", "/v1/threads/x/active", "active_run", scope::read},
  {"GET", "/v1/nodes", "nodes", scope::read},
  {"GET", "/v1/sandboxes", "sandboxes", scope::read},
  {"DELETE", "/v1/sandboxes/x", "remove_sandbox", scope::admin},
  {"POST", "/v1/gc", "gc", scope::admin},
  {"GET", "/livez", "livez", scope::none},
  {"GET", "/healthz", "livez", scope::none},
  {"GET", "/readyz", "readyz", scope::none},
  {"GET", "/metrics", "metrics", scope::read},
};

std::string id_of(std::string_view target) {
  auto got = find_route("GET", target);
  return got.route ? got.route->id
                   : "refused " + std::to_string(got.http_status);
}

} // namespace

BOOST_AUTO_TEST_SUITE(gateway_router)

BOOST_AUTO_TEST_CASE(
  every_method_and_path_gives_its_route_or_the_right_refusal) {
  constexpr std::string_view methods[] = {"GET",    "HEAD",  "POST", "PUT",
                                          "DELETE", "PATCH", "get"};
  std::set<std::string_view> targets;
  for (const auto& x : examples)
    targets.insert(x.target);
  for (auto target : targets) {
    for (auto method : methods) {
      const example* wanted = nullptr;
      for (const auto& x : examples)
        if (x.target == target
            && (x.method == method || (x.method == "GET" && method == "HEAD")))
          wanted = &x;
      auto got = find_route(method, target);
      BOOST_TEST_CONTEXT(method << " " << target) {
        if (wanted) {
          BOOST_REQUIRE(got.route.has_value());
          BOOST_TEST(to_string(got.route->name) == wanted->name);
          BOOST_TEST((scope_of(got.route->name) == wanted->needs));
          BOOST_TEST(got.route->head == (method == "HEAD"));
        } else {
          BOOST_TEST(got.http_status == 405);
          BOOST_TEST((got.why.code == errc::method_not_allowed));
          BOOST_TEST(!got.allow.empty());
        }
      }
    }
    BOOST_TEST(find_route("OPTIONS", target).http_status == 204);
  }
}

BOOST_AUTO_TEST_CASE(what_is_no_resource_is_404) {
  for (auto target : {"/", "/v1", "/v1/run", "/v1/runs/x/y", "/v1/runs/x/",
                      "/v1/runs/x/events/", "/v2/runs", "//v1/runs"})
    BOOST_TEST(find_route("GET", target).http_status == 404, target);
}

BOOST_AUTO_TEST_CASE(ids_are_decoded_once_and_stay_ids) {
  BOOST_TEST(id_of("/v1/runs/a%2Fb") == "a/b");
  BOOST_TEST(id_of("/v1/runs/..%2f..%2fx") == "../../x");
  BOOST_TEST(id_of("/v1/runs/a%2520b") == "a%20b");
  BOOST_TEST(id_of("/v1/runs/a+b") == "a+b");
  BOOST_TEST(id_of("/v1/runs/-rf") == "-rf");
  BOOST_TEST(id_of("/v1/runs/%F0%9F%8C%8D") == "\xF0\x9F\x8C\x8D");
  BOOST_TEST(id_of("http://h:1/v1/runs/x?") == "x");
}

BOOST_AUTO_TEST_CASE(ids_that_cannot_be_are_400) {
  for (std::string target :
       {"/v1/runs/", "/v1/runs/.", "/v1/runs/..", "/v1/runs/%2e%2e",
        "/v1/runs/a%00b", "/v1/runs/a%0Ab", "/v1/runs/a%7F", "/v1/runs/%C2%80",
        "/v1/runs/%FF", "/v1/runs/%", "/v1/runs/%4", "/v1/runs/%zz",
        "/v1/runs//events"})
    BOOST_TEST(find_route("GET", target).http_status == 400, target);
  BOOST_TEST(
    find_route("GET", "/v1/runs/" + std::string(512, 'a')).route.has_value());
  BOOST_TEST(find_route("GET", "/v1/runs/" + std::string(513, 'a')).http_status
             == 400);
}

BOOST_AUTO_TEST_CASE(targets_that_are_no_paths_are_400) {
  for (auto target :
       {"", "v1/runs", "*", "/v1/runs#x", "/v1/runs?a=%", "/v1/runs?a=1&a=2"})
    BOOST_TEST(find_route("GET", target).http_status == 400, target);
  BOOST_TEST(find_route("OPTIONS", "*").http_status == 204);
}

BOOST_AUTO_TEST_CASE(query_parts_are_decoded_and_checked) {
  auto got = find_route("GET", "/v1/runs?thread_id=a+b%26c&&limit=&cursor");
  BOOST_REQUIRE(got.route.has_value());
  const auto& params = got.route->params;
  BOOST_TEST(*find_param(params, "thread_id") == "a b&c");
  BOOST_TEST(*find_param(params, "limit") == "");
  BOOST_TEST(*find_param(params, "cursor") == "");
  BOOST_TEST(check_names(params, {"thread_id", "limit", "cursor"}).ok());
  auto why = check_names(params, {"thread_id", "limit"});
  BOOST_TEST(why.message.find("cursor") != why.message.npos);
}

BOOST_AUTO_TEST_CASE(numbers_are_plain_decimal_and_fit) {
  BOOST_TEST(*parse_number("x", "0") == 0u);
  BOOST_TEST(*parse_number("x", "007") == 7u);
  BOOST_TEST(*parse_number("x", "9223372036854775807") == INT64_MAX);
  for (std::string text : {"", "-2", "abc", "1e3", "0x10", "+1", " 1", "1 ",
                           "9223372036854775808", "99999999999999999999"})
    BOOST_TEST(!parse_number("x", text).ok(), text);
  BOOST_TEST(!parse_number("x", std::string_view{"\0", 1}).ok());
  BOOST_TEST(!parse_number("x", std::string(8192, '9')).ok());
}

BOOST_AUTO_TEST_CASE(encoding_is_what_decoding_undoes_and_is_header_safe) {
  std::string all;
  for (int c = 0; c < 256; ++c)
    all += static_cast<char>(c);
  auto text = percent_encode(all);
  BOOST_TEST(*percent_decode(text, false) == all);
  BOOST_TEST(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "abcdefghijklmnopqrstuvwxyz0123456789"
                                    "-._~%")
             == text.npos);
}

BOOST_AUTO_TEST_SUITE_END()
