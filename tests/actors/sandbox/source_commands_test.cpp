// SPDX-License-Identifier: MIT
// Goal: sources become command lines that cannot be anything else, in an
// environment that holds nothing of the agent's. Method: tables; real git and
// cp run them in preparation_test.
#include "actors/sandbox/source_commands.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

namespace baton::sandbox {
namespace {

using arguments = std::vector<std::string>;

bool has(const arguments& all, const std::string& item) {
  return std::ranges::find(all, item) != all.end();
}

workspace_order of_git(const std::string& url, const std::string& ref,
                       std::uint64_t depth) {
  workspace_order out;
  out.git_url = url;
  out.git_ref = ref;
  out.git_depth = depth;
  return out;
}

BOOST_AUTO_TEST_SUITE(sandbox_source_commands)

BOOST_AUTO_TEST_CASE(no_source_needs_no_command) {
  BOOST_TEST(source_commands({}, "/w").empty());
}

BOOST_AUTO_TEST_CASE(a_branch_is_cloned_with_its_depth) {
  auto all = source_commands(of_git("https://h/r", "main", 1), "/w");

  BOOST_REQUIRE(all.size() == 1u);
  for (auto item : {"clone", "--depth=1", "--branch=main", "--template=",
                    "protocol.allow=never", "core.hooksPath=/dev/null"})
    BOOST_TEST(has(all[0], item), item);
  auto end = all[0].end();
  BOOST_TEST((arguments{end - 3, end})
               == (arguments{"--", "https://h/r", "/w"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(depth_0_is_the_whole_history) {
  auto all = source_commands(of_git("https://h/r", "", 0), "/w");

  for (const auto& item : all.at(0)) {
    BOOST_TEST(!item.starts_with("--depth"));
    BOOST_TEST(!item.starts_with("--branch"));
  }
}

BOOST_AUTO_TEST_CASE(a_commit_is_fetched_by_its_own_name) {
  const std::string commit(40, 'a');
  auto all = source_commands(of_git("host:r", commit, 2), "/w");

  BOOST_REQUIRE(all.size() == 4u);
  BOOST_TEST((has(all[1], "host:r") && has(all[2], commit)
              && has(all[2], "--depth=2") && has(all[3], "FETCH_HEAD")));
}

BOOST_AUTO_TEST_CASE(a_folder_is_copied_without_following_links) {
  workspace_order x;
  x.copied_folder = "/srv/tree";

  BOOST_TEST(source_commands(x, "/w").at(0)
               == (arguments{"cp", "-a", "--", "/srv/tree/.", "/w"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(git_sees_nothing_of_the_agents_environment) {
  auto all = source_environment(
    {"PATH=/bin", "HOME=/h", "TOKEN=x", "GIT_DIR=/evil", "LD_PRELOAD=y"});

  BOOST_TEST((has(all, "PATH=/bin") && has(all, "HOME=/h")
              && has(all, "GIT_TERMINAL_PROMPT=0")));
  for (const auto& item : all)
    BOOST_TEST((!item.starts_with("TOKEN") && !item.starts_with("GIT_DIR")
                && !item.starts_with("LD_")));
}

BOOST_AUTO_TEST_CASE(a_variable_replaces_the_one_of_its_name_alone) {
  BOOST_TEST(with_variables({"A=1", "AB=2", "C=3"}, {"A=9", "D=4"})
               == (arguments{"AB=2", "C=3", "A=9", "D=4"}),
             boost::test_tools::per_element());
  BOOST_TEST(with_path({"XPATH=a", "PATH=b"}, "/s")
               == (arguments{"XPATH=a", "PATH=/s:b"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_source_is_named_without_its_password) {
  BOOST_TEST(source_name(of_git("https://u:geheim@h/r", "main", 1))
             == "the repository https://***@h/r at main");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace baton::sandbox
