// SPDX-License-Identifier: MIT
// Goal: the commands do what they say under real shells, and a broken answer
// is never taken for an empty one (B5, B6).
// Method: every command under /bin/sh and BusyBox, on paths with odd names.
#include "messages/shell_commands.hpp"

#include "tests/messages/seeded.hpp"
#include "tests/messages/shell.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <fstream>

#include <sys/stat.h>
#include <utime.h>

using namespace baton;
using namespace baton::test;

namespace {

const std::vector<std::string> odd_names{
  "plain",      "two words", "it's",        "$(touch x)", "`id`",
  "a;b&c|d",    "star*?[a]", "back\\slash", "-rf",        "new\nline",
  "\"quoted\"", "#hash",     "~",           "\xFF\xFE"};

std::vector<std::string> sorted(std::vector<std::string> x) {
  std::sort(x.begin(), x.end());
  return x;
}

} // namespace

BOOST_AUTO_TEST_SUITE(messages_shell_commands)

BOOST_AUTO_TEST_CASE(a_quoted_word_comes_back_as_it_was) {
  scratch_dir dir;
  for (const auto& in : shells(dir))
    for (const auto& word : odd_names)
      BOOST_TEST(run(in, "printf '%s' " + shell_quoted(word)) == word);
}

BOOST_AUTO_TEST_CASE(a_bounded_read_gives_exactly_the_bytes_asked_for) {
  scratch_dir dir;
  seeded random{40};
  auto content = random.bytes(20'000);
  for (const auto& in : shells(dir))
    for (const auto& name : odd_names) {
      auto path = dir.at(name);
      write_file(path, content);
      for (auto [from, size] :
           std::vector<std::pair<std::size_t, std::uint32_t>>{{0, 10},
                                                              {0, 100'000},
                                                              {4095, 2},
                                                              {4096, 4096},
                                                              {5000, 8192},
                                                              {19'999, 5},
                                                              {20'000, 5},
                                                              {1'000'000, 5},
                                                              {7, 0}}) {
        auto output = run(in, read_command(path, position{from}, size));
        auto got = read_answer(output, position{from}, size);
        BOOST_REQUIRE_MESSAGE(got.ok() && got->has_value(),
                              in.name << ": " << output);
        auto want = from < content.size() ? content.substr(from, size) : "";
        BOOST_REQUIRE((**got == want));
      }
    }
}

BOOST_AUTO_TEST_CASE(a_read_of_no_file_is_told_from_a_read_of_an_empty_one) {
  scratch_dir dir;
  write_file(dir.at("empty"), "");
  for (const auto& in : shells(dir)) {
    auto empty =
      read_answer(run(in, read_command(dir.at("empty"), {}, 10)), {}, 10);
    auto none =
      read_answer(run(in, read_command(dir.at("none"), {}, 10)), {}, 10);
    BOOST_TEST_REQUIRE(empty.ok());
    BOOST_TEST_REQUIRE(empty->has_value());
    BOOST_TEST((**empty).empty());
    BOOST_TEST_REQUIRE(none.ok());
    BOOST_TEST(!none->has_value());
  }
}

BOOST_AUTO_TEST_CASE(a_shell_without_base64_is_an_error_not_an_empty_file) {
  scratch_dir dir;
  write_file(dir.at("journal"), "");
  std::filesystem::create_directory(dir.at("no-utilities"));
  shell bare{"bare", {"/bin/sh", "-c"}, dir.at("no-utilities")};

  BOOST_TEST(
    !read_answer(run(bare, read_command(dir.at("journal"), {}, 10)), {}, 10)
       .ok());
  BOOST_TEST(!tail_answer(run(bare, tail_command(dir.at("journal")))).ok());
  BOOST_TEST(!list_answer(run(bare, list_command(dir.path().string()))).ok());
  BOOST_TEST(
    !mtimes_answer(run(bare, mtimes_command(dir.path().string()))).ok());
  BOOST_TEST(
    !cleanup_answer(run(bare, cleanup_command(std::vector{dir.at("journal")})))
       .ok());
}

BOOST_AUTO_TEST_CASE(follow_starts_anywhere_and_sees_what_is_appended) {
  scratch_dir dir;
  using namespace std::string_literals;
  auto content = "one\r\n\0two\xFF\n"s;
  for (const auto& in : shells(dir)) {
    for (const auto& name : odd_names) {
      write_file(dir.at(name), content);
      shell_process tail{in, follow_command(dir.at(name), position{0})};
      BOOST_REQUIRE((tail.read(content.size()) == content));
    }
    for (std::size_t from : {0u, 1u, 5u, 11u}) {
      auto path = dir.at("growing");
      write_file(path, content);
      shell_process tail{in, follow_command(path, position{from})};
      BOOST_REQUIRE((tail.read(content.size() - from) == content.substr(from)));
      std::ofstream{path, std::ios::app | std::ios::binary} << "three\n";
      BOOST_REQUIRE(tail.read(6) == "three\n");
    }
  }
}

BOOST_AUTO_TEST_CASE(follow_makes_the_file_and_its_directory_first) {
  scratch_dir dir;
  for (const auto& in : shells(dir)) {
    auto path = dir.at(in.path.empty() ? "a/deep/file" : "b/deep/file");
    shell_process tail{in, follow_command(path, position{0})};
    BOOST_REQUIRE(wait_for([&] { return std::filesystem::exists(path); }));
    std::ofstream{path, std::ios::app} << "late\n";
    BOOST_TEST(tail.read(5) == "late\n");
    struct stat info {};
    BOOST_REQUIRE(stat(path.c_str(), &info) == 0);
    BOOST_TEST((info.st_mode & 0777) == 0600u);
  }
}

BOOST_AUTO_TEST_CASE(existence_is_told_and_anything_else_is_unusable) {
  scratch_dir dir;
  for (const auto& in : shells(dir))
    for (const auto& name : odd_names) {
      write_file(dir.at(name), "x");
      BOOST_TEST(exists_answer(run(in, exists_command(dir.at(name)))).value());
      std::filesystem::remove(dir.at(name));
      BOOST_TEST(!exists_answer(run(in, exists_command(dir.at(name)))).value());
    }
  for (auto output : {"", "2\n", "10\n", "sh: not found\n", "1\n1\n", "x1\n"})
    BOOST_TEST(!exists_answer(output).ok());
}

BOOST_AUTO_TEST_CASE(lists_hold_every_file_of_the_directory_and_none_below) {
  scratch_dir dir;
  scratch_dir links;
  for (const auto& name : odd_names)
    write_file(dir.at(name), "x");
  write_file(dir.at(".hidden"), "x");
  std::filesystem::create_directories(dir.at("sub/below"));
  auto want = odd_names;
  want.erase(std::find(want.begin(), want.end(), "new\nline"));
  want.insert(want.end(), {".hidden", "sub"});
  for (const auto& in : shells(links)) {
    auto names = list_answer(run(in, list_command(dir.path().string())));
    BOOST_TEST_REQUIRE(names.ok());
    BOOST_TEST(sorted(*names) == sorted(want), in.name);
    auto ages = mtimes_answer(run(in, mtimes_command(dir.path().string())));
    BOOST_TEST_REQUIRE(ages.ok());
    std::vector<std::string> aged;
    for (const auto& age : *ages)
      aged.push_back(age.name);
    BOOST_TEST(sorted(aged) == sorted(want), in.name);
  }
}

BOOST_AUTO_TEST_CASE(ages_are_those_of_the_files) {
  scratch_dir dir;
  scratch_dir links;
  write_file(dir.at("old"), "x");
  utimbuf times{1'000'000'007, 1'000'000'007};
  BOOST_REQUIRE(utime(dir.at("old").c_str(), &times) == 0);
  for (const auto& in : shells(links)) {
    auto ages = mtimes_answer(run(in, mtimes_command(dir.path().string())));
    BOOST_TEST_REQUIRE(ages.ok());
    BOOST_TEST((*ages == std::vector{file_age{"old", 1'000'000'007}}));
  }
}

BOOST_AUTO_TEST_CASE(an_empty_directory_is_told_from_one_that_is_not_there) {
  scratch_dir dir;
  scratch_dir links;
  for (const auto& in : shells(links)) {
    auto here = dir.path().string();
    BOOST_TEST(list_answer(run(in, list_command(here))).value().empty());
    BOOST_TEST(mtimes_answer(run(in, mtimes_command(here))).value().empty());
    BOOST_TEST(!list_answer(run(in, list_command(here + "/none"))).ok());
    BOOST_TEST(!mtimes_answer(run(in, mtimes_command(here + "/none"))).ok());
  }
}

BOOST_AUTO_TEST_CASE(a_list_without_its_end_or_witness_is_no_list) {
  for (auto output : {"", "/\n", ".\n./a\n", "./a\n/\n", ".\n./a\n./b", "x"})
    BOOST_TEST(!list_answer(output).ok());
  BOOST_TEST(list_answer(".\n/\n").value().empty());
  for (auto output :
       {"", "/\n", "1 .\n", "1 ./a\n/\n", "x .\n/\n", "1.\n/\n", ".\n/\n"})
    BOOST_TEST(!mtimes_answer(output).ok());
  BOOST_TEST(mtimes_answer("1 .\n/\n").value().empty());
}

BOOST_AUTO_TEST_CASE(a_name_with_a_newline_cannot_pose_as_another_file) {
  BOOST_TEST(list_answer(".\n./a\n./evil.ndjson\nx\n./b\n/\n").value()
               == (std::vector<std::string>{"a", "b"}),
             boost::test_tools::per_element());
  BOOST_TEST((mtimes_answer("1 .\n5 ./evil\n9 victim\n6 ./b\n/\n").value()
              == std::vector{file_age{"b", 6}}));
}

BOOST_AUTO_TEST_CASE(the_exit_probe_finds_the_marker_in_the_last_4_kib) {
  scratch_dir dir;
  std::string nonce = "abcdef0123456789";
  std::vector<std::string> hashes{hash_of_nonce(nonce)};
  auto marker = write_exit_marker({7, std::nullopt, position{9000}}, nonce);
  auto path = dir.at("it's a journal");
  for (const auto& in : shells(dir)) {
    auto probe = [&] {
      return exit_answer(run(in, tail_command(path)), hashes);
    };
    std::filesystem::remove(path);
    BOOST_TEST(!probe().value().has_value());
    write_file(path, "");
    BOOST_TEST(!probe().value().has_value());
    write_file(path, std::string(9000, 'x'));
    BOOST_TEST(!probe().value().has_value());
    write_file(path, std::string(9000, 'x') + "\n" + marker);
    BOOST_TEST_REQUIRE(probe().value().has_value());
    BOOST_TEST(probe().value()->code == 7);
  }
  BOOST_TEST(!exit_answer("", hashes).ok());
}

BOOST_AUTO_TEST_CASE(the_tail_of_stderr_is_at_most_4_kib_and_exact) {
  scratch_dir dir;
  seeded random{41};
  auto content = random.bytes(10'000);
  write_file(dir.at("err"), content);
  for (const auto& in : shells(dir)) {
    auto got = tail_answer(run(in, tail_command(dir.at("err"))));
    BOOST_TEST_REQUIRE(got.ok());
    BOOST_TEST((**got == content.substr(10'000 - 4096)));
  }
}

BOOST_AUTO_TEST_CASE(cleanup_removes_its_files_only_and_is_idempotent) {
  scratch_dir dir;
  scratch_dir links;
  for (const auto& in : shells(links)) {
    std::vector<std::string> paths;
    for (const auto& name : odd_names) {
      paths.push_back(dir.at(name));
      write_file(paths.back(), "x");
    }
    write_file(dir.at("kept"), "x");

    BOOST_TEST(cleanup_answer(run(in, cleanup_command(paths))).ok());
    BOOST_TEST(cleanup_answer(run(in, cleanup_command(paths))).ok());

    for (const auto& path : paths)
      BOOST_TEST(!std::filesystem::exists(path));
    BOOST_TEST(std::filesystem::exists(dir.at("kept")));
  }
  BOOST_TEST(cleanup_answer("1\n").ok());
  BOOST_TEST(to_string(cleanup_answer("0\n").code) == "io_failed");
  BOOST_TEST(to_string(cleanup_answer("").code) == "malformed");
}

BOOST_AUTO_TEST_CASE(an_answer_cut_anywhere_is_an_error) {
  scratch_dir dir;
  write_file(dir.at("journal"), std::string(300, 'x'));
  auto in = shells(dir).front();
  auto output = run(in, read_command(dir.at("journal"), {}, 300));
  auto end = output.find('.');
  for (std::size_t n = 0; n <= end; ++n)
    BOOST_REQUIRE(!read_answer(output.substr(0, n), {}, 300).ok());
  BOOST_TEST(read_answer(output, {}, 300).ok());
}

BOOST_AUTO_TEST_SUITE_END()
