// SPDX-License-Identifier: MIT
// The test vectors of FIPS 180-4.
#include "messages/sha256.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;

BOOST_AUTO_TEST_SUITE(messages_sha256)

BOOST_AUTO_TEST_CASE(known_digests_come_out_as_lower_case_hex) {
  BOOST_TEST(sha256_hex("")
             == "e3b0c44298fc1c149afbf4c8996fb924"
                "27ae41e4649b934ca495991b7852b855");
  BOOST_TEST(sha256_hex("abc")
             == "ba7816bf8f01cfea414140de5dae2223"
                "b00361a396177a9cb410ff61f20015ad");
  BOOST_TEST(sha256_hex(std::string(1'000'000, 'a'))
             == "cdc76e5c9914fb9281a1c7e284d73e67"
                "f1809a48a497200e046d39ccc7112cd0");
}

BOOST_AUTO_TEST_CASE(a_nul_byte_is_part_of_the_input) {
  using namespace std::string_view_literals;

  BOOST_TEST(sha256_hex("a\0b"sv) != sha256_hex("a"));
}

BOOST_AUTO_TEST_SUITE_END()
