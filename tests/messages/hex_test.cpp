// SPDX-License-Identifier: MIT
// Goal: every byte has its two digits.
#include "messages/hex.hpp"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(messages_hex)

BOOST_AUTO_TEST_CASE(bytes_become_two_lower_case_digits_each) {
  using namespace std::string_view_literals;
  BOOST_TEST(baton::to_hex("") == "");
  BOOST_TEST(baton::to_hex("\x00\x0f\x7f\x80\xff"sv) == "000f7f80ff");
}

BOOST_AUTO_TEST_SUITE_END()
