// SPDX-License-Identifier: MIT
// Goal: every rule catches what it is for and leaves good code alone.
// Method: planted files.
#include "tests/tidy/rules.hpp"

#include "tests/tidy/allowances.hpp"
#include "tests/tidy/bans.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

namespace baton::tidy {
namespace {

const std::string spdx = "// SPDX-License-Identifier: MIT\n";

/// The findings of `rule` in one file, as `line` numbers.
std::vector<int> found(std::string rule, std::string path, std::string text,
                       std::vector<source_file> others = {}) {
  others.push_back({std::move(path), std::move(text)});
  std::vector<int> out;
  for (const auto& x : find_all(others))
    if (x.rule == rule)
      out.push_back(x.line);
  return out;
}

using lines = std::vector<int>;

} // namespace

BOOST_AUTO_TEST_SUITE(tidy_rules)

BOOST_AUTO_TEST_CASE(a_good_file_has_no_finding) {
  std::vector<source_file> files{
    {"storage/x.hpp", spdx + "// A thing.\n#pragma once\n"},
    {"storage/x.cpp", spdx + "#include \"storage/x.hpp\"\n\n"
                        + "#include \"messages/ids.hpp\"\n"
                        + "#include <rocksdb/db.h>\n"},
    {"tests/storage/x_test.cpp", spdx}};
  for (const auto& x : find_all(files))
    BOOST_ERROR(to_string(x));
}

BOOST_AUTO_TEST_CASE(long_lines_are_found_and_counted_in_characters) {
  auto line = [](std::size_t n) { return std::string(n, 'a') + "\n"; };
  std::string umlauts;
  for (int i = 0; i < 80; ++i)
    umlauts += "\xc3\xa4";
  BOOST_TEST((found("columns", "apps/a.cpp", line(80) + line(81)) == lines{2}));
  BOOST_TEST(found("columns", "apps/a.cpp", umlauts + "\n").empty());
  BOOST_TEST(
    (found("columns", "cmake/a.cmake", line(100) + line(101)) == lines{2}));
  BOOST_TEST((found("columns", "apps/a.md", line(101)) == lines{1}));
  BOOST_TEST(found("columns", "apps/a.md", "|" + line(101)).empty());
}

BOOST_AUTO_TEST_CASE(tabs_trailing_blanks_and_missing_newlines_are_found) {
  BOOST_TEST(
    (found("blanks", "apps/a.cpp", "a\tb\nc \nd\r\ne\n") == lines{1, 2, 3}));
  BOOST_TEST((found("blanks", "apps/a.cpp", "a") == lines{0}));
}

BOOST_AUTO_TEST_CASE(a_note_of_work_to_do_needs_its_issue) {
  std::string mark = "TO";
  mark += "DO";
  BOOST_TEST((found("todo", "apps/a.cpp",
                    "// " + mark + "(#7): Why.\n// " + mark + " why\n")
              == lines{2}));
  BOOST_TEST(found("todo", "apps/a.cpp", "\"baton-XXXXXX\"\n").empty());
}

BOOST_AUTO_TEST_CASE(paths_of_a_machine_are_found) {
  std::string home = "/ho";
  home += "me/";
  BOOST_TEST(
    (found("path", "cmake/a.cmake", "x\n\"" + home + "me/x\"\n") == lines{2}));
  BOOST_TEST(found("path", "cmake/a.cmake", "${ROOT}" + home + "x\n").empty());
}

BOOST_AUTO_TEST_CASE(long_files_and_functions_are_found) {
  std::string empty_lines(598, '\n');
  std::string body(69, '\n');
  BOOST_TEST(
    found("file_lines", "apps/a.cpp", "//\n//\n" + empty_lines).empty());
  BOOST_TEST((found("file_lines", "apps/a.cpp", "//\n//\n//\n" + empty_lines)
              == lines{0}));
  BOOST_TEST(
    found("function_lines", "apps/a.cpp", "void f() {" + body + "}\n").empty());
  BOOST_TEST((found("function_lines", "apps/a.cpp",
                    "namespace a {\nvoid f() {\n" + body + "}\n}\n")
              == lines{2}));
}

BOOST_AUTO_TEST_CASE(file_heads_are_checked) {
  BOOST_TEST((found("head", "apps/a.cpp", "int x;\n") == lines{1}));
  BOOST_TEST(
    (found("head", "apps/a.hpp", spdx + "#pragma once\n") == lines{2}));
  BOOST_TEST((found("head", "apps/a.hpp", spdx + "// A thing.\n") == lines{0}));
}

BOOST_AUTO_TEST_CASE(an_include_may_not_point_to_the_right) {
  auto layers_of = [](std::string path, std::string target) {
    return found("layers", std::move(path), spdx + "#include " + target + "\n");
  };
  BOOST_TEST((layers_of("messages/a.cpp", "\"storage/b.hpp\"") == lines{2}));
  BOOST_TEST((layers_of("storage/a.cpp", "\"actors/b.hpp\"") == lines{2}));
  BOOST_TEST((layers_of("actors/a.cpp", "\"apps/b.hpp\"") == lines{2}));
  BOOST_TEST((layers_of("apps/a.cpp", "\"tests/b.hpp\"") == lines{2}));
  BOOST_TEST((layers_of("apps/a.cpp", "\"b.hpp\"") == lines{2}));
  BOOST_TEST(layers_of("tests/a.cpp", "\"actors/b.hpp\"").empty());
  BOOST_TEST((layers_of("storage/a.cpp", "<caf/actor.hpp>") == lines{2}));
  BOOST_TEST((layers_of("messages/a.cpp", "<caf/actor.hpp>") == lines{2}));
  BOOST_TEST(layers_of("messages/caf_a.cpp", "<caf/actor.hpp>").empty());
  BOOST_TEST((layers_of("actors/a.cpp", "<rocksdb/db.h>") == lines{2}));
}

BOOST_AUTO_TEST_CASE(the_own_header_comes_first) {
  source_file header{"apps/a.hpp", spdx + "// A thing.\n#pragma once\n"};
  auto text = spdx + "#include <map>\n#include \"apps/a.hpp\"\n";
  BOOST_TEST((found("own_header", "apps/a.cpp", text, {header}) == lines{2}));
  BOOST_TEST(found("own_header", "apps/a.cpp", text).empty());
}

BOOST_AUTO_TEST_CASE(a_library_source_needs_its_test) {
  BOOST_TEST((found("mirror", "storage/a.cpp", spdx) == lines{0}));
  BOOST_TEST(
    found("mirror", "storage/a.cpp", spdx, {{"tests/storage/a_test.cpp", spdx}})
      .empty());
  BOOST_TEST(found("mirror", "apps/a/main.cpp", spdx).empty());
}

BOOST_AUTO_TEST_CASE(the_test_of_the_whole_covers_its_parts) {
  source_file test{"tests/storage/a_b_test.cpp", spdx};
  BOOST_TEST(found("mirror", "storage/a_b_c.cpp", spdx, {test}).empty());
  BOOST_TEST((found("mirror", "storage/a_d.cpp", spdx, {test}) == lines{0}));
  BOOST_TEST((found("mirror", "storage/d_e/a.cpp", spdx, {test}) == lines{0}));
}

BOOST_AUTO_TEST_CASE(every_ban_catches_its_text_and_only_as_code) {
  for (const auto& b : bans) {
    auto rule = "ban " + std::string{b.text};
    auto text = std::string{b.text};
    auto path = "actors/a.hpp";
    BOOST_TEST((found(rule, path, "int y;\n  " + text + "\n") == lines{2}),
               rule);
    BOOST_TEST(found(rule, path, "// " + text + "\n").empty(), rule);
    BOOST_TEST(found(rule, path, "f(\"" + text + "\");\n").empty(), rule);
    BOOST_TEST(found(rule, path, "static_" + text + "\n").empty(), rule);
    BOOST_TEST(!b.instead.empty());
  }
}

BOOST_AUTO_TEST_CASE(bans_hold_where_they_say) {
  BOOST_TEST(
    (found("ban catch (...)", "apps/a.cpp", "catch(...) {}") == lines{1}));
  BOOST_TEST(found("ban getenv", "apps/a.cpp", "getenv").empty());
  BOOST_TEST((found("ban sleep_for", "tests/a.cpp", "sleep_for") == lines{1}));
  BOOST_TEST(
    found("ban steady_clock::now", "tests/a.cpp", "steady_clock::now()")
      .empty());
  BOOST_TEST(
    found("ban using namespace", "apps/a.cpp", "using namespace x;").empty());
}

BOOST_AUTO_TEST_CASE(strangers_at_the_top_are_found) {
  std::vector<source_file> files{{"notes.txt", ""}, {"lib/a.cpp", spdx}};
  auto all = find_all(files);
  auto n = std::ranges::count(all, std::string{"top_level"}, &finding::rule);
  BOOST_TEST(n == 2);
}

BOOST_AUTO_TEST_CASE(allowances_cover_their_file_and_must_be_needed) {
  const auto& first = allowances.front();
  finding covered{std::string{first.rule}, std::string{first.path}, 1, ""};
  finding elsewhere{std::string{first.rule}, "actors/other.cpp", 1, ""};

  auto left = apply_allowances({covered, elsewhere});

  BOOST_TEST(left.size() == allowances.size());
  BOOST_TEST(left.back().path == "actors/other.cpp");
  BOOST_TEST(left.front().rule == "allowance");
  BOOST_TEST(apply_allowances({}).size() == allowances.size());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::tidy
