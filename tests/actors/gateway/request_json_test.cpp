// SPDX-License-Identifier: MIT
// Bodies give the request they spell out; anything else is refused naming the
// field.
#include "actors/gateway/request_json.hpp"

#include <boost/test/unit_test.hpp>

#include <random>

using namespace baton;
using namespace baton::http;

namespace {

/// The message of a refusal, or "accepted".
template <class T>
std::string refusal(const result<T>& x) {
  if (x.ok())
    return "accepted";
  BOOST_TEST((x.error().code == errc::malformed));
  return x.error().message;
}

bool names(const std::string& message, std::string_view field) {
  return message.find("'" + std::string{field} + "'") != message.npos;
}

} // namespace

BOOST_AUTO_TEST_SUITE(gateway_request_json)

BOOST_AUTO_TEST_CASE(a_create_with_every_field_is_read_in_full) {
  auto got = parse_create(R"({"run_id":"r","thread_id":"t",
    "command":["a","b c",""],"cwd":"/w","env":{"K":"V","E":""},
    "stdin":{"base64":"AAH/"},
    "sandbox":{"provider":"bwrap","reuse":true,"keep_processes":true,
               "network":false},
    "node":"n","detach_on_disconnect":false,"labels":{"x":"y"},
    "external":true})");
  BOOST_REQUIRE(got.ok());
  run_spec wanted;
  wanted.id = run_id{"r"};
  wanted.thread = thread_id{"t"};
  wanted.command.argv = {"a", "b c", ""};
  wanted.cwd = "/w";
  wanted.env = {{"K", "V"}, {"E", ""}};
  wanted.stdin_bytes = std::string{"\0\1\xFF", 3};
  wanted.sandbox = {"bwrap", true, true, false, false, {}, {}};
  wanted.wanted_node = node_id{"n"};
  wanted.detach_on_disconnect = false;
  wanted.labels = {{"x", "y"}};
  wanted.external = true;
  BOOST_TEST((*got == wanted));
}

BOOST_AUTO_TEST_CASE(short_forms_and_defaults) {
  auto got =
    parse_create(R"({"command":"echo 1","stdin":"hé","sandbox":"bwrap"})");
  BOOST_REQUIRE(got.ok());
  BOOST_TEST(got->command.shell);
  BOOST_TEST(got->command.argv.at(0) == "echo 1");
  BOOST_TEST(got->stdin_bytes == "hé");
  BOOST_TEST(got->sandbox.provider == "bwrap");
  BOOST_TEST(got->id.empty());
  BOOST_TEST(got->thread.empty());
  BOOST_TEST(parse_create(R"({"external":true})").ok());
  BOOST_TEST(parse_create(R"({"command":["a"]})")->sandbox.provider == "local");
}

BOOST_AUTO_TEST_CASE(every_wrong_field_of_a_create_is_named) {
  struct {
    std::string_view field;
    std::string_view body;
  } const bad[] = {
    {"comand", R"({"comand":["a"]})"},
    {"command", R"({})"},
    {"command", R"({"external":false})"},
    {"command", R"({"command":[]})"},
    {"command", R"({"command":""})"},
    {"command", R"({"command":[""]})"},
    {"command", R"({"command":["a",1]})"},
    {"command", R"({"command":7})"},
    {"command", R"({"command":["a\u0000b"]})"},
    {"run_id", R"({"run_id":7,"command":"a"})"},
    {"run_id", R"({"run_id":"","command":"a"})"},
    {"run_id", R"({"run_id":null,"command":"a"})"},
    {"run_id", R"({"run_id":"..","command":"a"})"},
    {"thread_id", R"({"thread_id":"a\nb","command":"a"})"},
    {"cwd", R"({"cwd":"rel","command":"a"})"},
    {"cwd", R"({"cwd":1,"command":"a"})"},
    {"env", R"({"env":[],"command":"a"})"},
    {"env", R"({"env":{"A=B":"x"},"command":"a"})"},
    {"env", R"({"env":{"":"x"},"command":"a"})"},
    {"env.K", R"({"env":{"K":1},"command":"a"})"},
    {"stdin", R"({"stdin":1,"command":"a"})"},
    {"stdin.base64", R"({"stdin":{"base64":"A"},"command":"a"})"},
    {"stdin.base64", R"({"stdin":{},"command":"a"})"},
    {"stdin.x", R"({"stdin":{"x":"y"},"command":"a"})"},
    {"sandbox", R"({"sandbox":"","command":"a"})"},
    {"sandbox", R"({"sandbox":[],"command":"a"})"},
    {"sandbox.reuse", R"({"sandbox":{"reuse":1},"command":"a"})"},
    {"sandbox.image", R"({"sandbox":{"image":"x"},"command":"a"})"},
    {"node", R"({"node":"","command":"a"})"},
    {"external", R"({"external":"yes"})"},
    {"detach_on_disconnect", R"({"detach_on_disconnect":0,"command":"a"})"},
    {"labels.a", R"({"labels":{"a":true},"command":"a"})"},
  };
  for (const auto& x : bad) {
    auto message = refusal(parse_create(x.body));
    BOOST_TEST(names(message, x.field), x.body << " -> " << message);
  }
  for (auto body : {"", "nonsense", "[]", "\"x\"", "{", "{} {}", "\xFF"})
    BOOST_TEST(refusal(parse_create(body)).find("body") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_field_given_twice_is_refused_by_its_name) {
  auto create = R"({"run_id":"a","command":"x","run_id":"b"})";
  BOOST_TEST(names(refusal(parse_create(create)), "run_id"));
  BOOST_TEST(parse_create(create).error().details.at(0).name == "field");
  BOOST_TEST(
    names(refusal(parse_create(R"({"command":"x","env":{"K":"1","K":"1"}})")),
          "env.K"));
  BOOST_TEST(
    names(refusal(parse_claim(R"({"holder":"h","steal":false,"steal":true})")),
          "steal"));
  BOOST_TEST(
    names(refusal(parse_takeover(R"({"node":"a","node":"b"})")), "node"));
  BOOST_TEST(
    names(refusal(parse_finish(
            R"({"status":"failed","status":"completed","exit_code":0})")),
          "status"));
  auto why = parse_nothing(R"({"a":1,"a":1})");
  BOOST_TEST(why.message.find("more than once") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(claims_take_a_holder_a_lease_and_steal) {
  auto got = parse_claim(R"({"holder":"h","ttl_ms":100,"steal":true})");
  BOOST_REQUIRE(got.ok());
  BOOST_TEST(got->holder == "h");
  BOOST_TEST(got->ttl_ms == 100u);
  BOOST_TEST(got->steal);
  BOOST_TEST(parse_claim(R"({"holder":"h"})")->ttl_ms == 0u);
  BOOST_TEST(parse_claim(R"({"holder":"h","ttl_ms":600000})").ok());
  BOOST_TEST(names(refusal(parse_claim(R"({})")), "holder"));
  BOOST_TEST(names(refusal(parse_claim(R"({"holder":""})")), "holder"));
  for (auto ttl : {"99", "600001", "-1", "1.5", "1e3", "\"100\"", "null",
                   "99999999999999999999"}) {
    auto body = R"({"holder":"h","ttl_ms":)" + std::string{ttl} + "}";
    BOOST_TEST(names(refusal(parse_claim(body)), "ttl_ms"), body);
  }
}

BOOST_AUTO_TEST_CASE(finish_takes_the_terminal_statuses) {
  auto got = parse_finish(
    R"({"status":"failed","exit_code":3,"error":"why","usage":{"n":1}})");
  BOOST_REQUIRE(got.ok());
  BOOST_TEST((got->status == run_status::failed));
  BOOST_TEST(*got->exit_code == 3);
  BOOST_TEST((got->error == run_error{errc::driver_failed, "why"}));
  BOOST_TEST(got->usage == R"({"n":1})");
  auto coded = parse_finish(
    R"({"status":"failed","error":{"code":"agent_lost","message":"m"}})");
  BOOST_TEST((coded->error == run_error{errc::agent_lost, "m"}));
  auto own =
    parse_finish(R"({"status":"failed","error":{"code":"oom","message":"m"}})");
  BOOST_TEST((own->error == run_error{errc::driver_failed, "oom: m"}));
  BOOST_TEST(parse_finish(R"({"status":"completed"})").ok());
  BOOST_TEST(parse_finish(R"({"status":"aborted"})").ok());
  for (auto status : {"running", "interrupted", "", "done"}) {
    auto body = R"({"status":")" + std::string{status} + "\"}";
    BOOST_TEST(names(refusal(parse_finish(body)), "status"), body);
  }
  BOOST_TEST(names(refusal(parse_finish("{}")), "status"));
  BOOST_TEST(
    names(refusal(parse_finish(R"({"status":"failed","exit_code":"1"})")),
          "exit_code"));
  BOOST_TEST(
    names(refusal(parse_finish(R"({"status":"failed","error":1})")), "error"));
  BOOST_TEST(
    names(refusal(parse_finish(R"({"status":"failed","usage":1})")), "usage"));
}

BOOST_AUTO_TEST_CASE(requests_without_content_take_nothing_or_an_empty_object) {
  BOOST_TEST(parse_nothing("").ok());
  BOOST_TEST(parse_nothing("{}").ok());
  BOOST_TEST(!parse_nothing(R"({"a":1})").ok());
  BOOST_TEST(!parse_nothing("x").ok());
  BOOST_TEST(parse_takeover("")->empty());
  BOOST_TEST(parse_takeover("{}")->empty());
  BOOST_TEST(parse_takeover(R"({"node":"n"})")->str() == "n");
  BOOST_TEST(!parse_takeover(R"({"node":7})").ok());
}

BOOST_AUTO_TEST_CASE(seeded_garbage_is_refused_without_harm) {
  std::mt19937 random{7};
  std::string good = R"({"run_id":"r","command":["a"],"env":{"K":"V"}})";
  for (int i = 0; i < 20'000; ++i) {
    auto body = good;
    for (auto n = random() % 4 + 1; n > 0; --n)
      body[random() % body.size()] = static_cast<char>(random());
    body.resize(random() % (body.size() + 1));
    ignore_result(parse_create(body), "must not crash");
    ignore_result(parse_finish(body), "must not crash");
    ignore_result(parse_claim(body), "must not crash");
  }
}

BOOST_AUTO_TEST_SUITE_END()
