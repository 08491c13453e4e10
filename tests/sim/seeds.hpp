// SPDX-License-Identifier: MIT
// Seeds that once broke something, each with what it was. They stay.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace baton::test {

struct past_failure {
  std::uint64_t seed = 0;
  std::string_view what;
};

inline constexpr std::array past_failures{
  past_failure{14'076, "a history began at an epoch above 0"},
  past_failure{31'466, "a worker's first beat came behind its lease's end"},
};

} // namespace baton::test
