// SPDX-License-Identifier: MIT
// Always-on assertions for our own bugs. Never on bytes from wire, disk,
// sandbox or user: those return errc::malformed or errc::corrupt.
#pragma once

#include <string_view>

namespace baton {

/// Prints the failed condition and why it must hold, then aborts.
[[noreturn]] void check_failed(const char* file, int line,
                               const char* condition, std::string_view why);

} // namespace baton

/// `why` names the rule, with the number of the invariant where there is one.
#define BATON_CHECK(condition, why)                                            \
  do {                                                                         \
    if (!(condition)) [[unlikely]]                                             \
      ::baton::check_failed(__FILE__, __LINE__, #condition, why);              \
  } while (false)
