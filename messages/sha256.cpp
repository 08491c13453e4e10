// SPDX-License-Identifier: MIT
#include "messages/sha256.hpp"

#include "messages/check.hpp"
#include "messages/hex.hpp"

#include <openssl/evp.h>

#include <array>

namespace baton {

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, 32> digest{};
  unsigned int size = 0;
  auto done = EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size,
                         EVP_sha256(), nullptr);
  BATON_CHECK(done == 1 && size == digest.size(), "OpenSSL offers SHA-256");
  return to_hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

} // namespace baton
