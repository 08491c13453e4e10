// SPDX-License-Identifier: MIT
// Goal: what is shown, bound and hidden is decided as documented.
// Method: invented hosts; the arguments as one text.
#include "actors/sandbox/confinement.hpp"

#include <boost/test/unit_test.hpp>

namespace baton::sandbox {
namespace {

host_system merged_host() {
  host_system out;
  out.folders = {"/usr", "/etc", "/opt"};
  out.links = {{"/bin", "usr/bin"}};
  out.hidden_files = {"/etc/shadow"};
  out.hidden_folders = {"/etc/ssl/private"};
  return out;
}

confinement plain() {
  confinement out;
  out.bwrap = "/usr/bin/bwrap";
  out.shim = "/usr/bin/baton-shim";
  out.workspace = "/data/run-1/work";
  out.tmp = "/data/run-1/tmp";
  return out;
}

std::string text_of(const std::vector<std::string>& argv) {
  std::string out;
  for (const auto& x : argv)
    out += x + " ";
  return out;
}

std::string prefix_of(const confinement& x) {
  return text_of(confinement_prefix(x, merged_host()));
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part + " ") != text.npos;
}

BOOST_AUTO_TEST_SUITE(sandbox_confinement)

BOOST_AUTO_TEST_CASE(a_folder_holds_itself_and_what_lies_below) {
  BOOST_TEST(holds("/", "/anything"));
  BOOST_TEST(holds("/a", "/a"));
  BOOST_TEST(holds("/a", "/a/b/c"));
  BOOST_TEST(!holds("/a", "/ab"));
  BOOST_TEST(!holds("/a/b", "/a"));
}

BOOST_AUTO_TEST_CASE(network_is_there_unless_refused) {
  auto x = plain();
  BOOST_TEST(!has(prefix_of(x), "--unshare-net"));
  x.network = false;
  BOOST_TEST(has(prefix_of(x), "--unshare-net"));
}

BOOST_AUTO_TEST_CASE(what_is_hidden_comes_after_what_shows_it) {
  auto x = plain();
  x.hidden_folders = {"/opt/baton", "/srv/me/data"};
  x.hidden_files = {"/opt/baton.sock"};
  auto text = prefix_of(x);
  auto shown = text.find("--ro-bind /opt /opt");
  BOOST_TEST(text.find("--tmpfs /opt/baton ") > shown);
  BOOST_TEST(has(text, "--ro-bind /dev/null /opt/baton.sock"));
  BOOST_TEST(has(text, "--ro-bind /dev/null /etc/shadow"));
  BOOST_TEST(has(text, "--tmpfs /etc/ssl/private"));
  // Nobody shows it, so no trace of it is made.
  BOOST_TEST(!has(text, "--tmpfs /srv/me/data"));
  BOOST_TEST(text.find("--remount-ro /", text.find("--bind")) != text.npos);
}

BOOST_AUTO_TEST_CASE(a_directory_behind_a_link_is_bound_at_both_paths) {
  auto x = plain();
  x.cwd = "/srv/me/link";
  x.cwd_source = "/srv/project";
  BOOST_TEST(has(prefix_of(x), "--bind /srv/project /srv/project"));
  BOOST_TEST(has(prefix_of(x), "--bind /srv/project /srv/me/link"));
  x.cwd = "/usr/local/link";
  BOOST_TEST(!has(prefix_of(x), "/usr/local/link"));
}

BOOST_AUTO_TEST_CASE(the_daemon_s_folders_are_never_bound) {
  std::vector<std::string> secret{"/srv/me/.local/share/baton"};
  auto refused = [&](const std::string& folder) {
    return !why_not_bound(folder, merged_host(), secret).empty();
  };
  for (auto bad :
       {"/", "/srv/me", "/srv/me/.local/share/baton",
        "/srv/me/.local/share/baton/sandboxes", "/proc", "/proc/self", "/dev",
        "/sys/fs", "/run", "/run/user/0", "/usr", "/etc"})
    BOOST_TEST(refused(bad), bad);
  for (auto good : {"/srv/me/project", "/srv/me/.local/share/bat", "/tmp/x",
                    "/usr/src/project", "/srv/you", "/running"})
    BOOST_TEST(!refused(good), good);
}

BOOST_AUTO_TEST_CASE(command_lines_are_wrapped_as_they_are) {
  std::vector<std::string> prefix{"bwrap", "--x"};
  BOOST_TEST(text_of(confine_command(prefix, "/workspace", {"a", "--b"}))
             == "bwrap --x --chdir /workspace -- a --b ");
  BOOST_TEST(text_of(confine_command({}, "/workspace", {"a", "--b"}))
             == "a --b ");
  BOOST_TEST(text_of(confine_agent(prefix))
             == "bwrap --x --as-pid-1 -- /run/baton-shim --inside ");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace baton::sandbox
