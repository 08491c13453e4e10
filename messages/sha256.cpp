// SPDX-License-Identifier: MIT
#include "messages/sha256.hpp"

#include "messages/check.hpp"

#include <openssl/evp.h>

#include <array>

namespace baton {

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, 32> digest{};
  unsigned int size = 0;
  auto done = EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size,
                         EVP_sha256(), nullptr);
  BATON_CHECK(done == 1 && size == digest.size(), "OpenSSL offers SHA-256");
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(2 * digest.size());
  for (auto byte : digest) {
    out += digits[byte >> 4];
    out += digits[byte & 0xF];
  }
  return out;
}

} // namespace baton
