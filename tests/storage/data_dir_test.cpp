// SPDX-License-Identifier: MIT
// Goal: a data directory has one user and is never taken from anybody else's
// data. Method: real directories, a real second process.
#include "storage/data_dir.hpp"
#include "tests/storage/temp_dir.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

using namespace baton;
using namespace baton::storage;
using namespace baton::test;

namespace {

void write(const std::string& path, const std::string& text) {
  std::ofstream{path} << text;
}

std::string read(const std::string& path) {
  std::ifstream in{path};
  return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

BOOST_AUTO_TEST_SUITE(data_directory)

BOOST_AUTO_TEST_CASE(a_missing_directory_is_made_private_and_stamped) {
  temp_dir dir;
  auto path = dir / "deep/er";
  auto got = data_dir::open(path + "/");
  BOOST_REQUIRE(got.ok());
  struct stat info {};
  BOOST_REQUIRE(::stat(path.c_str(), &info) == 0);
  BOOST_TEST((info.st_mode & 0777) == 0700U);
  BOOST_TEST(read(path + "/VERSION") == "baton 1\n");
  BOOST_TEST(got->store_path() == path + "/store");
}

BOOST_AUTO_TEST_CASE(a_second_user_is_refused_with_the_firsts_pid) {
  temp_dir dir;
  auto path = dir / "data";
  {
    auto first = data_dir::open(path);
    BOOST_REQUIRE(first.ok());
    auto moved = *std::move(first);
    auto second = data_dir::open(path);
    BOOST_REQUIRE(!second.ok());
    BOOST_TEST((second.error().code == errc::in_use));
    auto pid = std::to_string(::getpid());
    BOOST_TEST(second.error().message.find(pid) != std::string::npos);
  }
  BOOST_TEST(data_dir::open(path).ok());
}

BOOST_AUTO_TEST_CASE(a_killed_process_leaves_no_lock) {
  temp_dir dir;
  auto path = dir / "data";
  auto pid = ::fork();
  if (pid == 0) {
    auto held = data_dir::open(path);
    ::raise(SIGKILL);
  }
  int how = 0;
  ::waitpid(pid, &how, 0);
  BOOST_TEST(data_dir::open(path).ok());
}

BOOST_AUTO_TEST_CASE(a_newer_format_is_refused_and_left_alone) {
  temp_dir dir;
  write(dir / "VERSION", "baton 2\n");
  auto got = data_dir::open(dir.path());
  BOOST_TEST((got.error().code == errc::foreign_data));
  BOOST_TEST(got.error().message.find("newer") != std::string::npos);
  BOOST_TEST(!std::filesystem::exists(dir / "LOCK"));
}

BOOST_AUTO_TEST_CASE(an_unreadable_stamp_is_refused) {
  for (const auto* stamp :
       {"", "baton", "baton \n", "baton x\n", "baton 1", "baton 1\nmore\n",
        "baton 0\n", "baton -1\n", "baton 99999999999999\n", "other 1\n"}) {
    temp_dir dir;
    write(dir / "VERSION", stamp);
    auto got = data_dir::open(dir.path());
    BOOST_REQUIRE(!got.ok());
    BOOST_TEST((got.error().code == errc::foreign_data), stamp);
  }
}

BOOST_AUTO_TEST_CASE(a_strangers_directory_is_refused_and_left_alone) {
  temp_dir dir;
  write(dir / "holiday.jpg", "beach");
  auto got = data_dir::open(dir.path());
  BOOST_TEST((got.error().code == errc::foreign_data));
  BOOST_TEST(!std::filesystem::exists(dir / "LOCK"));
  BOOST_TEST(!std::filesystem::exists(dir / "VERSION"));
}

BOOST_AUTO_TEST_CASE(a_first_start_that_was_killed_midway_starts_again) {
  temp_dir dir;
  write(dir / "LOCK", "1\n");
  write(dir / "VERSION.new", "bat");
  BOOST_TEST(data_dir::open(dir.path()).ok());
}

BOOST_AUTO_TEST_CASE(the_log_of_a_first_background_start_is_no_stranger) {
  temp_dir dir;
  write(dir / storage::daemon_log_file, "");
  BOOST_TEST(data_dir::open(dir.path()).ok());
}

BOOST_AUTO_TEST_CASE(a_file_in_the_way_is_an_io_error) {
  temp_dir dir;
  write(dir / "file", "");
  BOOST_TEST((data_dir::open(dir / "file").error().code == errc::io_failed));
  BOOST_TEST((data_dir::open(dir / "file/x").error().code == errc::io_failed));
  BOOST_TEST((data_dir::open("").error().code == errc::malformed));
}

BOOST_AUTO_TEST_SUITE_END()
