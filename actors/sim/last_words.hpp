// SPDX-License-Identifier: MIT
// While it is there, what stops or crashes the process names on stderr the seed
// that is under way, and then ends it as it would have.
// Requires: one at a time.
#pragma once

#include <csignal>
#include <cstdint>

namespace baton::sim {

class last_words {
public:
  last_words();
  ~last_words();

  last_words(const last_words&) = delete;
  last_words& operator=(const last_words&) = delete;

  static void name(std::uint64_t seed) noexcept;

private:
  stack_t former_stack_{};
};

} // namespace baton::sim
