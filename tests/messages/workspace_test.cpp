// SPDX-License-Identifier: MIT
// Goal: a workspace keeps its meaning when stored, its definition tells equal
// ones from others, and what cannot be made is refused by name (E6).
#include "messages/git_url.hpp"
#include "messages/instance_identity.hpp"
#include "messages/workspace.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>
#include <set>

using namespace baton;
using place = secret_reference::place;

namespace {

workspace_spec whole() {
  workspace_spec x;
  x.source = git_source{"https://host/repo.git", "main", 3};
  x.install = true;
  x.setup = {{"a"}, {"b", "c \"quoted\"\n"}};
  x.scripts = {{"lint", "run lint"}, {"x.sh", "y"}};
  x.secrets = {{"TOKEN", {place::file, "/run/token"}},
               {"KEY", {place::env, "MY_KEY"}}};
  x.setup_timeout_ms = 1234;
  return x;
}

std::string hash_of(const workspace_spec& x) {
  return workspace_hash(definition_of(x)).value();
}

/// The field that check() complains about; empty: none.
std::string complaint(const std::function<void(workspace_spec&)>& change) {
  auto x = whole();
  change(x);
  auto why = check(x);
  if (why.ok())
    return {};
  BOOST_TEST((why.code == errc::malformed));
  BOOST_REQUIRE(why.details.size() == 1u);
  return std::get<std::string>(why.details[0].value);
}

std::string complaint_of_url(const std::string& url) {
  return complaint([&](workspace_spec& x) {
    x.source = git_source{url, "", 1};
  });
}

} // namespace

BOOST_AUTO_TEST_SUITE(messages_workspace)

BOOST_AUTO_TEST_CASE(what_is_stored_comes_back) {
  std::vector<workspace_spec> all(4, whole());
  all[1] = {};
  all[2].source = path_source{"/srv/tree"};
  all[3].source = git_source{"file:///r", "", 0};
  all[3].setup = {};

  for (const auto& x : all)
    BOOST_TEST((decode_workspace(encode(x)).value() == x));
}

BOOST_AUTO_TEST_CASE(bytes_that_no_encoder_wrote_are_corrupt) {
  auto x = whole();
  x.secrets["1"] = {place::file, "relative"};

  BOOST_TEST((decode_workspace(encode(x)).error().code == errc::corrupt));
  BOOST_TEST((decode_workspace("\xFF").error().code == errc::corrupt));
}

BOOST_AUTO_TEST_CASE(another_definition_is_another_workspace) {
  std::vector<workspace_spec> all(12, whole());
  all[1].source = std::monostate{};
  all[2].source = path_source{"https://host/repo.git"};
  all[3].source = git_source{"https://host/repo.git", "main", 4};
  all[4].source = git_source{"https://host/repo.git", "dev", 3};
  all[5].source = git_source{"https://host/other.git", "main", 3};
  all[6].setup = {{"a"}, {"b"}, {"c \"quoted\"\n"}};
  all[7].setup = {{"a", "b"}, {"c \"quoted\"\n"}};
  all[8].setup.clear();
  all[9].scripts["lint"] = "other";
  all[10].scripts.clear();
  all[11].install = false;

  std::set<std::string> hashes;
  for (const auto& x : all)
    hashes.insert(hash_of(x));

  BOOST_TEST(hashes.size() == all.size());
}

BOOST_AUTO_TEST_CASE(secrets_and_patience_leave_the_workspace_the_same) {
  auto x = whole();
  x.secrets.clear();
  x.setup_timeout_ms = 1;

  BOOST_TEST(hash_of(x) == hash_of(whole()));
  BOOST_TEST(definition_of(whole()).find("TOKEN") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_definition_of_a_workspace_never_changes) {
  BOOST_TEST(definition_of(whole())
             == R"({"install":true,"scripts":{"lint":"run lint","x.sh":"y"},)"
                R"("setup":[["a"],["b","c \"quoted\"\n"]],"source":{"depth":3,)"
                R"("ref":"main","url":"https://host/repo.git"}})");
  BOOST_TEST(definition_of({})
             == R"({"install":false,"scripts":{},"setup":[],"source":null})");
}

BOOST_AUTO_TEST_CASE(only_a_workspace_with_nothing_in_it_is_empty) {
  std::vector<workspace_spec> all(5);
  all[0].source = path_source{"/a"};
  all[1].install = true;
  all[2].setup = {{"a"}};
  all[3].scripts = {{"a", "b"}};
  all[4].secrets = {{"A", {place::env, "B"}}};

  BOOST_TEST(is_empty({}));
  for (const auto& x : all)
    BOOST_TEST(!is_empty(x));
}

BOOST_AUTO_TEST_CASE(a_usable_workspace_is_not_complained_about) {
  BOOST_TEST(complaint([](workspace_spec&) {}) == "");
  for (auto url : {"https://u:p@h/r", "ssh://git@h:22/r", "file:///tmp/r",
                   "git@host:a/b.git", "host:r"})
    BOOST_TEST(complaint_of_url(url) == "", url);
}

BOOST_AUTO_TEST_CASE(an_url_that_could_do_something_else_is_refused) {
  for (auto url : {"", "http://h/r", "git://h/r", "ext::sh -c x", "fd::17",
                   "https://", "ssh://-oProxyCommand=x/y", "-u", "/tmp/r",
                   "./r:x", "https://h/r x", "file:///a\nb", "host:"})
    BOOST_TEST(complaint_of_url(url) == "source.git.url", url);
}

BOOST_AUTO_TEST_CASE(each_unusable_field_is_named) {
  using w = workspace_spec;
  const std::vector<std::pair<std::string, std::function<void(w&)>>> table{
    {"source.git.ref",
     [](w& x) {
       x.source = git_source{"host:r", "-f", 1};
     }},
    {"source.git.ref",
     [](w& x) {
       x.source = git_source{"host:r", "a b", 1};
     }},
    {"source.git.ref",
     [](w& x) {
       x.source = git_source{"host:r", "a..b", 1};
     }},
    {"source.path", [](w& x) { x.source = path_source{"relative"}; }},
    {"source.path", [](w& x) { x.source = path_source{""}; }},
    {"setup[1]", [](w& x) { x.setup[1].clear(); }},
    {"setup[0]", [](w& x) { x.setup[0][0] = ""; }},
    {"setup[0]", [](w& x) { x.setup[0][0] = std::string("a\0b", 3); }},
    {"setup[0]", [](w& x) { x.setup[0][0] = "\xFF"; }},
    {"setup[0]", [](w& x) { x.setup[0][0].assign(200'000, 'x'); }},
    {"setup", [](w& x) { x.setup.assign(1001, {"a"}); }},
    {"scripts.a/b", [](w& x) { x.scripts["a/b"] = "c"; }},
    {"scripts..x", [](w& x) { x.scripts[".x"] = "c"; }},
    {"scripts.x", [](w& x) { x.scripts["x"] = ""; }},
    {"secrets.1A",
     [](w& x) {
       x.secrets["1A"] = {place::env, "B"};
     }},
    {"secrets.BATON_X",
     [](w& x) {
       x.secrets["BATON_X"] = {place::env, "B"};
     }},
    {"secrets.A.file",
     [](w& x) {
       x.secrets["A"] = {place::file, "b"};
     }},
    {"secrets.A.env",
     [](w& x) {
       x.secrets["A"] = {place::env, ""};
     }},
    {"secrets.A.env",
     [](w& x) {
       x.secrets["A"] = {place::env, "BATON_T"};
     }},
    {"setup_timeout_ms", [](w& x) { x.setup_timeout_ms = 0; }},
    {"setup_timeout_ms", [](w& x) { x.setup_timeout_ms = 86'400'001; }},
  };
  for (const auto& [field, change] : table)
    BOOST_TEST(complaint(change) == field);
}

BOOST_AUTO_TEST_CASE(what_stands_before_the_host_is_not_shown) {
  BOOST_TEST(redacted_url("https://u:pw@h/r") == "https://***@h/r");
  BOOST_TEST(redacted_url("https://u:p@w@h/r") == "https://***@h/r");
  BOOST_TEST(redacted_url("https://tok@h") == "https://***@h");
  BOOST_TEST(redacted_url("git@h:r") == "***@h:r");
  BOOST_TEST(redacted_url("https://h/a@b") == "https://h/a@b");
  BOOST_TEST(redacted_url("file:///a@b") == "file:///a@b");
  auto x = whole();
  x.source = git_source{"http://u:geheim@h/r", "", 1};
  BOOST_TEST(check(x).message.find("geheim") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_secret_of_an_url_is_its_password_or_token) {
  BOOST_TEST(secret_of_url("https://u:pw@h/r") == "pw");
  BOOST_TEST(secret_of_url("https://token@h/r") == "token");
  BOOST_TEST(secret_of_url("ssh://git@h/r") == "");
  BOOST_TEST(secret_of_url("git@h:r") == "");
  BOOST_TEST(secret_of_url("https://h/r") == "");
}

BOOST_AUTO_TEST_CASE(only_whole_object_names_are_commits) {
  BOOST_TEST(is_git_commit(std::string(40, 'a')));
  BOOST_TEST(is_git_commit(std::string(64, '0')));
  BOOST_TEST(!is_git_commit(std::string(39, 'a')));
  BOOST_TEST(!is_git_commit(std::string(40, 'g')));
  BOOST_TEST(!is_git_commit("main"));
}

BOOST_AUTO_TEST_SUITE_END()
