// SPDX-License-Identifier: MIT
// Named places at which a test can have the process killed: with
// BATON_CRASH_AT=NAME or NAME:N in the environment, the N-th passage (default
// 1) through that place is a `kill -9` of the process itself. Unset, a passage
// costs one load of a constant.
#pragma once

#include <array>
#include <string_view>

namespace baton {

enum class crash_point : unsigned char {
  before_claim_commit,
  after_claim_commit,
  before_launch,
  after_launch,
  before_append_commit,
  /// Durable in the store, the driver not yet told.
  after_append_commit,
  mid_append,
  before_final_commit,
  after_final_commit,
};

constexpr std::array<std::string_view, 9> crash_point_names{
  "before_claim_commit", "after_claim_commit",   "before_launch",
  "after_launch",        "before_append_commit", "after_append_commit",
  "mid_append",          "before_final_commit",  "after_final_commit"};

/// Dies here when the environment asks for it.
void pass(crash_point here);

} // namespace baton
