// SPDX-License-Identifier: MIT
// Randomness that is the same on every machine.
// Threads: not thread-safe.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace baton::sim {

class seeded {
public:
  explicit seeded(std::uint64_t seed) : engine_(seed) {}

  /// Uniform enough; std::uniform_int_distribution differs between libraries.
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }

  /// From `low` to `high`, both included.
  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return low + below(high - low + 1);
  }

  bool one_in(std::uint64_t n) { return below(n) == 0; }

  /// As much randomness as one number carries: a generator of its own, so that
  /// what one part of a world draws does not shift what another gets.
  seeded fork() { return seeded{engine_()}; }

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

} // namespace baton::sim
