// SPDX-License-Identifier: MIT
// Goal: a workspace in a request is read in full, and what is wrong with it is
// named (E6).
#include "actors/gateway/workspace_json.hpp"

#include "actors/gateway/request_json.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using place = secret_reference::place;

namespace json = boost::json;

namespace {

result<run_spec> with(const std::string& workspace) {
  return http::parse_create(R"({"command":"a","sandbox":{"workspace":)"
                            + workspace + "}}");
}

std::string refused_field(const std::string& workspace) {
  auto got = with(workspace);
  BOOST_REQUIRE_MESSAGE(!got.ok(), workspace);
  BOOST_TEST((got.error().code == errc::malformed));
  for (const auto& detail : got.error().details)
    if (detail.name == "field") {
      auto field = std::get<std::string>(detail.value);
      BOOST_TEST(got.error().message.find("'" + field + "'")
                   != std::string::npos,
                 got.error().message);
      return field;
    }
  return {};
}

} // namespace

BOOST_AUTO_TEST_SUITE(gateway_workspace_json)

BOOST_AUTO_TEST_CASE(a_workspace_with_every_field_is_read_in_full) {
  auto got = with(R"({"source":{"git":{"url":"https://h/r","ref":"main",
    "depth":0}},"install":"auto","setup":["a",["b","c"]],
    "scripts":{"lint":"l"},"secrets":{"T":{"file":"/t"},"K":{"env":"E"}},
    "setup_timeout_ms":5})");

  workspace_spec wanted;
  wanted.source = git_source{"https://h/r", "main", 0};
  wanted.install = true;
  wanted.setup = {{"a"}, {"b", "c"}};
  wanted.scripts = {{"lint", "l"}};
  wanted.secrets = {{"T", {place::file, "/t"}}, {"K", {place::env, "E"}}};
  wanted.setup_timeout_ms = 5;
  BOOST_REQUIRE(got.ok());
  BOOST_TEST((got->sandbox.workspace == wanted));
}

BOOST_AUTO_TEST_CASE(short_forms_and_defaults) {
  auto workspace = [](const std::string& text) {
    auto got = with(text);
    BOOST_REQUIRE(got.ok());
    return got->sandbox.workspace;
  };
  BOOST_TEST((workspace("{}") == workspace_spec{}));
  BOOST_TEST(
    (workspace(R"({"source":"none","install":false})") == workspace_spec{}));
  BOOST_TEST((workspace(R"({"source":{"git":"host:r"}})").source
              == workspace_source{git_source{"host:r", "", 1}}));
  BOOST_TEST((workspace(R"({"source":{"path":"/p"}})").source
              == workspace_source{path_source{"/p"}}));
}

BOOST_AUTO_TEST_CASE(reuse_and_its_end_are_read_beside_it) {
  auto got = http::parse_create(
    R"({"command":"a","sandbox":{"reuse":true,"destroy_on_complete":true,
        "tenant":"t"}})");

  BOOST_REQUIRE(got.ok());
  BOOST_TEST((got->sandbox.reuse && got->sandbox.destroy_on_complete));
  BOOST_TEST(got->sandbox.tenant == "t");
}

BOOST_AUTO_TEST_CASE(a_directory_below_the_workspace_can_be_named) {
  auto in = [](const std::string& cwd, const std::string& sandbox) {
    return http::parse_create(R"({"command":"a","cwd":")" + cwd
                              + R"(","sandbox":{)" + sandbox + "}}")
      .ok();
  };
  BOOST_TEST(in("sub", R"("reuse":true)"));
  BOOST_TEST(in("sub/x", R"("workspace":{"setup":["a"]})"));
  BOOST_TEST(!in("../x", R"("workspace":{"setup":["a"]})"));
  BOOST_TEST(!in("sub", R"("workspace":{})"));
}

BOOST_AUTO_TEST_CASE(every_wrong_field_is_named) {
  const std::vector<std::pair<std::string, std::string>> table{
    {"", "7"},
    {".image", R"({"image":"x"})"},
    {".source", R"({"source":"git"})"},
    {".source", R"({"source":{}})"},
    {".source", R"({"source":{"git":"host:r","path":"/p"}})"},
    {".source.svn", R"({"source":{"svn":"x"}})"},
    {".source.git", R"({"source":{"git":7}})"},
    {".source.git.url", R"({"source":{"git":{}}})"},
    {".source.git.url", R"({"source":{"git":"ext::sh"}})"},
    {".source.git.depth", R"({"source":{"git":{"url":"host:r","depth":-1}}})"},
    {".source.git.branch", R"({"source":{"git":{"branch":"x"}}})"},
    {".source.path", R"({"source":{"path":"rel"}})"},
    {".install", R"({"install":"npm"})"},
    {".setup", R"({"setup":"make"})"},
    {".setup", R"({"setup":[7]})"},
    {".setup", R"({"setup":[["a",7]]})"},
    {".setup[0]", R"({"setup":[[]]})"},
    {".scripts.a", R"({"scripts":{"a":7}})"},
    {".scripts.a/b", R"({"scripts":{"a/b":"c"}})"},
    {".secrets", R"({"secrets":[]})"},
    {".secrets.T", R"({"secrets":{"T":"the value itself"}})"},
    {".secrets.T", R"({"secrets":{"T":{"file":"/a","env":"B"}}})"},
    {".secrets.PATH", R"({"secrets":{"PATH":{"env":"B"}}})"},
    {".secrets.LD_PRELOAD", R"({"secrets":{"LD_PRELOAD":{"env":"B"}}})"},
    {".secrets.T.vault", R"({"secrets":{"T":{"vault":"x"}}})"},
    {".secrets.T.file", R"({"secrets":{"T":{"file":"rel"}}})"},
    {".setup_timeout_ms", R"({"setup_timeout_ms":0})"},
  };
  for (const auto& [field, workspace] : table)
    BOOST_TEST(refused_field(workspace) == "sandbox.workspace" + field);
}

BOOST_AUTO_TEST_CASE(a_value_given_for_a_reference_is_not_repeated) {
  auto got = with(R"({"secrets":{"T":"geheim"}})");

  BOOST_TEST(got.error().message.find("geheim") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_summary_tells_the_source_and_no_value_or_password) {
  auto summary = [](const std::string& text) {
    auto got = with(text);
    BOOST_REQUIRE(got.ok());
    return json::serialize(http::workspace_summary(got->sandbox.workspace));
  };
  BOOST_TEST(summary(R"({"source":{"git":{"url":"https://me:geheim@h/r",)"
                     R"("ref":"main"}},"install":"auto","setup":["a","b"],)"
                     R"("secrets":{"T":{"file":"/t"}}})")
             == R"({"source":{"git":{"url":"https://***@h/r","ref":"main"}},)"
                R"("install":"auto","setup_steps":2,"secrets":["T"]})");
  BOOST_TEST(summary(R"({"source":{"path":"/a"}})")
             == R"({"source":{"path":"/a"},"setup_steps":0})");
  BOOST_TEST(summary(R"({"setup":["a"]})")
             == R"({"source":"none","setup_steps":1})");
}

BOOST_AUTO_TEST_SUITE_END()
