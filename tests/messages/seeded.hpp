// SPDX-License-Identifier: MIT
// Random input that is the same on every machine.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace baton::test {

class seeded {
public:
  explicit seeded(std::uint64_t seed) : engine_(seed) {}

  /// Uniform enough; std::uniform_int_distribution differs between libraries.
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }

  std::string bytes(std::size_t n) {
    std::string out(n, '\0');
    for (auto& c : out)
      c = static_cast<char>(below(256));
    return out;
  }

  std::string from(std::string_view alphabet, std::size_t n) {
    std::string out(n, '\0');
    for (auto& c : out)
      c = alphabet[below(alphabet.size())];
    return out;
  }

private:
  std::mt19937_64 engine_;
};

} // namespace baton::test
