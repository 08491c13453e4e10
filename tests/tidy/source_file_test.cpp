// SPDX-License-Identifier: MIT
// Goal: the reader of C++ is right where the rules rely on it.
// Method: planted texts.
#include "tests/tidy/source_file.hpp"

#include <boost/test/unit_test.hpp>

namespace baton::tidy {
namespace {

std::vector<std::pair<int, int>> bodies(std::string_view text) {
  std::vector<std::pair<int, int>> out;
  for (auto b : bodies_of(text))
    out.emplace_back(b.first_line, b.last_line);
  return out;
}

using ranges = std::vector<std::pair<int, int>>;

} // namespace

BOOST_AUTO_TEST_SUITE(tidy_source_file)

BOOST_AUTO_TEST_CASE(comments_and_literals_become_blanks_of_equal_length) {
  BOOST_TEST(blank_noncode("a; // b\nc;") == "a;     \nc;");
  BOOST_TEST(blank_noncode("a /* b\nc */ d") == "a     \n     d");
  BOOST_TEST(blank_noncode(R"(f("a\"b", 'c', '\'');)")
             == "f(      ,    ,     );");
  BOOST_TEST(blank_noncode("x = R\"q(a)\" \")q\"; y")
             == "x = R" + std::string(11, ' ') + "; y");
}

BOOST_AUTO_TEST_CASE(digit_separators_open_no_literal) {
  BOOST_TEST(blank_noncode("1'000'000 + f('x')") == "1'000'000 + f(   )");
  BOOST_TEST(blank_noncode("0xff'ff; g") == "0xff'ff; g");
}

BOOST_AUTO_TEST_CASE(directives_go_with_their_continuation_lines) {
  BOOST_TEST(blank_noncode("#define A \\\n  {\nb", false)
             == std::string(11, ' ') + "\n   \nb");
}

BOOST_AUTO_TEST_CASE(tokens_know_their_lines) {
  auto tokens = tokens_of("a::b\n(1)");
  BOOST_TEST_REQUIRE(tokens.size() == 7u);
  BOOST_TEST(tokens[3].text == "b");
  BOOST_TEST(tokens[3].line == 1);
  BOOST_TEST(tokens[5].text == "1");
  BOOST_TEST(tokens[5].line == 2);
}

BOOST_AUTO_TEST_CASE(a_body_runs_from_its_open_to_its_closing_brace) {
  BOOST_TEST(
    (bodies("void f(int x) {\n  if (x) {\n  }\n}\n") == ranges{{1, 4}}));
  BOOST_TEST((bodies("int f()\n{\n}\nint g() {}\n") == ranges{{2, 3}, {4, 4}}));
}

BOOST_AUTO_TEST_CASE(namespaces_and_types_are_no_bodies_but_hold_them) {
  BOOST_TEST((bodies("namespace a::b {\nclass [[nodiscard]] c : d<e> {\n"
                     "  int f() const {\n  }\n};\nenum class g : h { i };\n}")
              == ranges{{3, 4}}));
  BOOST_TEST((bodies("template <class T>\nT f(T x) {\n}\n"
                     "template <class T>\nstruct s {\n};\n")
              == ranges{{2, 3}}));
  BOOST_TEST((bodies("A_BLOCK(a, b)\nnamespace c {\nint f() {\n}\n}\n")
              == ranges{{3, 4}}));
}

BOOST_AUTO_TEST_CASE(a_table_is_no_body) {
  BOOST_TEST(bodies("int x[] = {\n1,\n2};\nconst y z{\n{1, f()},\n};").empty());
}

BOOST_AUTO_TEST_CASE(a_constructor_with_braced_members_has_its_whole_body) {
  auto found = bodies("a::a(int x) : b_{x}, c_{1} {\n  f();\n}\n");
  BOOST_TEST_REQUIRE(!found.empty());
  BOOST_TEST((found.back() == std::pair{1, 3}));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::tidy
