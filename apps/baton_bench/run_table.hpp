// SPDX-License-Identifier: MIT
// Many runs of a daemon at once: made, and counted.
#pragma once

#include "apps/baton_bench/daemon.hpp"

#include <cstdint>
#include <string>

namespace baton::bench {

/// Runs r0, r1, ... of generated agents.
void create_generated_runs(const daemon& where, int runs);

struct entry_count {
  /// Durable entries of all runs that have not ended.
  std::uint64_t sum = 0;
  /// Of the run with the fewest.
  std::uint64_t least = 0;
  std::uint64_t runs = 0;
};

entry_count count_entries(const daemon& where);

/// Until each of the `runs` runs has `least` entries.
void wait_until_flowing(const daemon& where, int runs, std::uint64_t least);

} // namespace baton::bench
