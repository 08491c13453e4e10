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

BOOST_AUTO_TEST_CASE(a_tail_is_cut_behind_the_masking) {
  // Were it cut first, "cret" would be left.
  auto text = std::string(50, 'x') + "secret" + std::string(6, 'y');

  BOOST_TEST(safe_tail(text, {"secret"}, 10) == "x***yyyyyy");
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
