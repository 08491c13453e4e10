// SPDX-License-Identifier: MIT
// Tokens open what their scope covers and nothing else; files that others can
// read, and requests of foreign web pages, are refused.
#include "actors/gateway/auth.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <concepts>
#include <cstdlib>
#include <fstream>

using namespace baton;
using namespace baton::http;

namespace {

struct token_file {
  token_file() {
    char pattern[] = "/tmp/baton-auth-XXXXXX";
    folder = ::mkdtemp(pattern);
    path = folder + "/tokens";
  }
  ~token_file() {
    ::unlink(path.c_str());
    ::rmdir(folder.c_str());
  }
  void write(std::string_view text, mode_t mode) const {
    std::ofstream{path} << text;
    ::chmod(path.c_str(), mode);
  }
  std::string folder;
  std::string path;
};

} // namespace

BOOST_AUTO_TEST_SUITE(gateway_auth)

BOOST_AUTO_TEST_CASE(each_scope_covers_itself_and_what_is_below) {
  std::vector<access_token> tokens{make_token("r", scope::read),
                                   make_token("u", scope::run),
                                   make_token("a", scope::admin)};
  constexpr scope needed[] = {scope::none, scope::read, scope::run,
                              scope::admin};
  constexpr std::string_view secrets[] = {"", "r", "u", "a"};
  for (std::size_t have = 0; have < 4; ++have)
    for (std::size_t need = 0; need < 4; ++need) {
      auto header = have == 0 ? "" : "Bearer " + std::string{secrets[have]};
      auto why = authorize(tokens, header, needed[need]);
      auto expected = need == 0 || have >= need ? errc::none
                      : have == 0               ? errc::unauthorized
                                                : errc::forbidden;
      BOOST_TEST((why.code == expected), have << " for " << need);
    }
}

BOOST_AUTO_TEST_CASE(what_is_no_token_of_ours_is_unauthorized) {
  std::vector<access_token> tokens{make_token("secret", scope::admin)};
  for (auto header : {"secret", "Basic secret", "Bearer", "Bearer ",
                      "Bearer secret ", "Bearer secre", "Bearer SECRET"})
    BOOST_TEST(
      (authorize(tokens, header, scope::read).code == errc::unauthorized),
      header);
  BOOST_TEST(authorize(tokens, "bearer secret", scope::read).ok());
  BOOST_TEST(authorize({}, "", scope::admin).ok());
}

BOOST_AUTO_TEST_CASE(token_files_name_a_token_and_maybe_a_scope_a_line) {
  auto got = parse_tokens("# ours\n\nabc\n  def read \r\nghi run\njkl admin");
  BOOST_REQUIRE(got.ok());
  std::vector<access_token> wanted{
    make_token("abc", scope::admin), make_token("def", scope::read),
    make_token("ghi", scope::run), make_token("jkl", scope::admin)};
  BOOST_TEST_REQUIRE(got->size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    BOOST_TEST(((*got)[i].digest == wanted[i].digest));
    BOOST_TEST(((*got)[i].allows == wanted[i].allows));
  }
  BOOST_TEST(!parse_tokens("").ok());
  BOOST_TEST(!parse_tokens("# only\n").ok());
  BOOST_TEST(!parse_tokens("abc write").ok());
  BOOST_TEST(!parse_tokens("abc read more").ok());
}

BOOST_AUTO_TEST_CASE(refusals_say_what_to_do_and_show_no_secret) {
  token_file file;
  auto refusal = [&](std::string_view text) {
    file.write(text, 0600);
    auto got = load_token_file(file.path);
    return got.ok() ? "accepted" : got.error().message;
  };
  auto begins = "token file " + file.path + ": ";
  BOOST_TEST(refusal("ok read\ns3cret writes")
             == begins
                  + "line 2: expected TOKEN or TOKEN read|run|admin, found "
                    "another second word");
  BOOST_TEST(refusal("s3cret read only").find("more words")
             != std::string::npos);
  BOOST_TEST(refusal("")
             == begins
                  + "expected a line TOKEN [read|run|admin], "
                    "found none");
  std::vector<access_token> tokens{make_token("s3cret", scope::run)};
  BOOST_TEST(authorize(tokens, "Bearer s3cret", scope::admin).message
             == "this request needs a token of scope admin, found one of run");
  for (auto given : {"", "Basic x", "Bearer x"}) {
    auto message = authorize(tokens, given, scope::read).message;
    BOOST_TEST(message.find("expected") != std::string::npos);
    BOOST_TEST(message.find("s3cret") == std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(a_token_file_that_others_can_read_is_refused) {
  token_file file;
  for (mode_t mode : {0640, 0604, 0644, 0610, 0602}) {
    file.write("abc", mode);
    auto got = load_token_file(file.path);
    BOOST_REQUIRE(!got.ok());
    BOOST_TEST((got.error().code == errc::forbidden));
    BOOST_TEST(got.error().message.find("chmod 600") != std::string::npos);
  }
  file.write("abc", 0600);
  BOOST_TEST(load_token_file(file.path).ok());
  BOOST_TEST(
    (load_token_file(file.folder + "/none").error().code == errc::io_failed));
}

BOOST_AUTO_TEST_CASE(pages_of_other_sites_are_refused) {
  auto refused = [](std::string host, std::string origin, bool loopback) {
    auto why =
      check_browser({std::move(host), std::move(origin), ""}, loopback);
    BOOST_TEST((why.ok() || why.code == errc::forbidden));
    return !why.ok();
  };
  BOOST_TEST(!refused("127.0.0.1:7070", "", true));
  BOOST_TEST(!refused("localhost:7070", "", true));
  BOOST_TEST(!refused("[::1]:7070", "", true));
  BOOST_TEST(!refused("", "", true));
  BOOST_TEST(!refused("localhost:7070", "http://localhost:7070", true));
  BOOST_TEST(refused("localhost:7070", "http://evil.example", true));
  BOOST_TEST(refused("localhost:7070", "null", true));
  BOOST_TEST(refused("evil.example:7070", "", true));
  BOOST_TEST(refused("127.evil.example", "", true));
  BOOST_TEST(!refused("node1:7070", "", false));
}

BOOST_AUTO_TEST_CASE(what_a_browser_says_of_the_page_behind_it_is_believed) {
  for (bool loopback : {true, false}) {
    auto with = [&](std::string site) {
      return check_browser({"localhost:7070", "", std::move(site)}, loopback);
    };
    for (auto site : {"", "none", "same-origin", "Same-Origin"})
      BOOST_TEST(with(site).ok(), site);
    for (auto site : {"cross-site", "same-site", "Cross-Site", "same-origin, x",
                      "something-new"}) {
      auto why = with(site);
      BOOST_TEST((why.code == errc::forbidden), site);
      BOOST_TEST(why.message.find("token") != std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_CASE(tokens_have_no_comparison_that_ends_at_a_difference) {
  static_assert(!std::equality_comparable<access_token>);
}

BOOST_AUTO_TEST_SUITE_END()
