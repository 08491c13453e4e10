// SPDX-License-Identifier: MIT
#include "actors/clock.hpp"

#include "messages/check.hpp"

#include <openssl/rand.h>

namespace baton {

environment system_environment() {
  environment env;
  env.now_wall = [] {
    return std::chrono::floor<std::chrono::milliseconds>(
      std::chrono::system_clock::now());
  };
  env.random_bytes = [](std::size_t n) {
    std::string out(n, '\0');
    auto got = RAND_bytes(reinterpret_cast<unsigned char*>(out.data()),
                          static_cast<int>(n));
    BATON_CHECK(got == 1, "the operating system's random source works");
    return out;
  };
  return env;
}

} // namespace baton
