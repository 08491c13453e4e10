// SPDX-License-Identifier: MIT
// Goal: no value of a secret, and no piece of one, is left in what is shown.
#include "actors/sandbox/secret_masking.hpp"

#include <boost/test/unit_test.hpp>

namespace baton::sandbox {
namespace {

using texts = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(sandbox_secret_masking)

BOOST_AUTO_TEST_CASE(values_come_longest_first_and_none_is_empty) {
  BOOST_TEST(values_of({"A=x", "B=", "C=long=er", "D"})
               == (texts{"long=er", "x"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(each_line_of_a_value_is_one_too_unless_it_tells_little) {
  BOOST_TEST(
    values_of({"KEY=--begin--\n  0123456789\t\r\nabc=\n\n      \nlast-line"})
      == (texts{"--begin--\n  0123456789\t\r\nabc=\n\n      \nlast-line",
                "0123456789", "--begin--", "last-line"}),
    boost::test_tools::per_element());
  // One line and its end is one value.
  BOOST_TEST(values_of({"A=0123456789\n"})
               == (texts{"0123456789\n", "0123456789"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_value_within_another_leaves_nothing_of_the_longer) {
  auto values = values_of({"A=key", "B=keyring"});

  BOOST_TEST(without_secrets("a keyring, a key, keykey", values)
             == "a ***, a ***, ******");
}

BOOST_AUTO_TEST_CASE(masking_keeps_the_length) {
  std::string text = "the key to the key\n";

  BOOST_TEST(mask_secrets(text, {"key"}));
  BOOST_TEST(text == "the *** to the ***\n");
  BOOST_TEST(!mask_secrets(text, {"key"}));
}

BOOST_AUTO_TEST_CASE(a_tail_begins_with_no_piece_of_a_value) {
  auto text = std::string(50, 'x') + "secret" + std::string(6, 'y');

  for (std::size_t size = 6; size < 12; ++size)
    BOOST_TEST(safe_tail(text, {"secret"}, size) == "yyyyyy");
  BOOST_TEST(safe_tail(text, {"secret"}, 12) == "***yyyyyy");
  BOOST_TEST(safe_tail(text, {"secret"}, 13) == "x***yyyyyy");
  BOOST_TEST(safe_tail("xsecretsecretyy", {"secret"}, 10) == "***yy");
  // The end of one may lie in another.
  BOOST_TEST(safe_tail("xabcdefgyy", {"cdefg", "abcd"}, 6) == "yy");
}

BOOST_AUTO_TEST_CASE(many_values_bring_no_piece_of_one_into_the_tail) {
  // Read from the middle of a longer text, as much as is asked for.
  std::string whole;
  for (int i = 0; i < 50; ++i)
    whole += "secret ";
  for (std::size_t cut = 0; cut < 7; ++cut) {
    auto tail =
      safe_tail(whole.substr(whole.size() - 100 - 6 - cut), {"secret"}, 100);
    BOOST_TEST(tail.find_first_not_of("* ") == tail.npos);
  }
}

BOOST_AUTO_TEST_CASE(a_tail_begins_with_a_whole_character) {
  BOOST_TEST(safe_tail("aa\xC3\xA4zz\n", {}, 4) == "zz");
  BOOST_TEST(safe_tail("aa\xC3\xA4zz\n", {}, 5) == "\xC3\xA4zz");
}

BOOST_AUTO_TEST_CASE(nothing_and_blanks_give_nothing) {
  BOOST_TEST(safe_tail("", {"x"}, 10) == "");
  BOOST_TEST(safe_tail(" \n\t\r\n", {"x"}, 10) == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace baton::sandbox
