// SPDX-License-Identifier: MIT
// Goal: whatever an agent made of a folder, it can be removed, and nothing else
// is. Method: real trees, as an agent of ill will would build them.
#include "actors/sandbox/remove_tree.hpp"

#include "actors/sandbox/unique_fd.hpp"
#include "tests/actors/sandbox/sandbox_world.hpp"

#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace baton::sandbox {
namespace {

namespace fs = std::filesystem;
using test::temporary_folder;

void put(const std::string& path) {
  std::ofstream{path} << "x";
}

struct tree {
  temporary_folder outside;
  std::string top = outside / "top";

  tree() { fs::create_directory(top); }
};

BOOST_AUTO_TEST_SUITE(sandbox_remove_tree)

BOOST_FIXTURE_TEST_CASE(what_is_not_there_is_removed, tree) {
  BOOST_TEST(remove_tree(outside / "nothing") == 0);
  BOOST_TEST(remove_content(outside / "nothing", "") == 0);
}

BOOST_FIXTURE_TEST_CASE(links_are_removed_and_not_followed, tree) {
  fs::create_directory(outside / "precious");
  put(outside / "precious/file");
  fs::create_directory_symlink(outside / "precious", top + "/link");
  fs::create_directory(top + "/folder");
  fs::create_symlink(outside / "precious/file", top + "/folder/link");
  fs::create_directory_symlink(top, outside / "to_top");

  BOOST_TEST(remove_tree(top) == 0);
  BOOST_TEST(remove_tree(outside / "to_top") == 0);

  BOOST_TEST(!fs::exists(top));
  BOOST_TEST(!fs::is_symlink(outside / "to_top"));
  BOOST_TEST(fs::exists(outside / "precious/file"));
}

BOOST_FIXTURE_TEST_CASE(folders_without_permissions_are_no_obstacle, tree) {
  fs::create_directories(top + "/a/b");
  put(top + "/a/b/file");
  ::mkfifo((top + "/a/pipe").c_str(), 0600);
  for (auto folder : {"/a/b", "/a", ""})
    ::chmod((top + folder).c_str(), 0);

  BOOST_TEST(remove_tree(top) == 0);

  BOOST_TEST(!fs::exists(top));
}

BOOST_FIXTURE_TEST_CASE(a_tree_deeper_than_any_path_goes_too, tree) {
  unique_fd at{::open(top.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  const std::string name(40, 'd');
  for (int level = 0; level < 3000; ++level) {
    BOOST_REQUIRE(::mkdirat(at.get(), name.c_str(), 0700) == 0);
    at = unique_fd{
      ::openat(at.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  }
  at.close();

  BOOST_TEST(remove_tree(top) == 0);

  BOOST_TEST(!fs::exists(top));
}

BOOST_FIXTURE_TEST_CASE(the_kept_entry_alone_is_left, tree) {
  put(top + "/lock");
  put(top + "/other");
  fs::create_directories(top + "/folder/lock");

  BOOST_TEST(remove_content(top, "lock") == 0);

  BOOST_TEST(fs::exists(top + "/lock"));
  BOOST_TEST(std::distance(fs::directory_iterator{top}, {}) == 1);
}

/// In a mount namespace of its own; -1 where there can be none.
int remove_with_mount(const std::string& source, const std::string& at,
                      const std::string& top) {
  auto child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0
        || ::mount(source.c_str(), at.c_str(), nullptr, MS_BIND, nullptr) < 0)
      ::_exit(255);
    ::_exit(remove_tree(top));
  }
  int state = 0;
  ::waitpid(child, &state, 0);
  return WIFEXITED(state) && WEXITSTATUS(state) != 255 ? WEXITSTATUS(state)
                                                       : -1;
}

BOOST_FIXTURE_TEST_CASE(what_is_mounted_in_it_is_left_alone, tree) {
  auto source = outside / "source";
  fs::create_directory(source);
  put(source + "/precious");
  fs::create_directories(top + "/a/mounted");
  for (const auto& at : {top + "/a/mounted", top}) {
    auto got = remove_with_mount(source, at, top);
    if (got < 0)
      return; // This machine gives no namespaces.
    BOOST_TEST(got == EBUSY);
    BOOST_TEST(fs::exists(source + "/precious"));
  }
  BOOST_TEST(remove_tree(top) == 0);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace baton::sandbox
