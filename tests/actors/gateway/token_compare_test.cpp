// SPDX-License-Identifier: MIT
// Goal: how long a check of a token takes tells nothing about the tokens.
// Method: libcrypto's comparison in constant time is replaced by one that
// counts; every token must go through it, whole, whichever of them matches.
#include "actors/gateway/auth.hpp"

#include <boost/test/unit_test.hpp>

#include <openssl/crypto.h>

#include <cstddef>
#include <vector>

namespace {

std::vector<std::size_t> compared;

} // namespace

/// Takes the place of the library's.
extern "C" int CRYPTO_memcmp(const void* a, const void* b, std::size_t n) {
  compared.push_back(n);
  auto* x = static_cast<const unsigned char*>(a);
  auto* y = static_cast<const unsigned char*>(b);
  int differ = 0;
  for (std::size_t i = 0; i < n; ++i)
    differ |= x[i] ^ y[i];
  return differ;
}

using namespace baton;
using namespace baton::http;

BOOST_AUTO_TEST_SUITE(gateway_token_compare)

BOOST_AUTO_TEST_CASE(every_token_is_compared_whole_whichever_one_matches) {
  std::vector<access_token> tokens{make_token("a", scope::admin),
                                   make_token("b", scope::read),
                                   make_token("c", scope::run)};
  const std::vector<std::size_t> each_whole(3, 32);
  for (auto given : {"a", "b", "c", "none", ""}) {
    compared.clear();
    ignore_result(
      authorize(tokens, "Bearer " + std::string{given}, scope::admin),
      "how it was found out is what counts");
    BOOST_TEST((compared == each_whole), given);
  }
}

BOOST_AUTO_TEST_CASE(one_bit_anywhere_in_a_digest_makes_another_token) {
  auto right = make_token("secret", scope::admin);
  BOOST_TEST(authorize({right}, "Bearer secret", scope::admin).ok());
  for (std::size_t bit = 0; bit < 256; ++bit) {
    auto other = right;
    other.digest[bit / 8] ^= static_cast<unsigned char>(1U << (bit % 8));
    auto why = authorize({other}, "Bearer secret", scope::read);
    BOOST_TEST((why.code == errc::unauthorized), bit);
  }
}

BOOST_AUTO_TEST_SUITE_END()
