// SPDX-License-Identifier: MIT
// Whether what clients were told about one run can be explained by operations
// that took effect one at a time, each between its request and its answer.
//
// The search is Wing and Gong's with Lowe's memory of configurations. Three
// things keep it short: an operation that is right and changes nothing is
// taken at once, since it only gets harder to place; of claims with an unknown
// outcome only the first is tried, since they are alike; and epochs and seqs
// leave few orders.
// Guarantees: what has no answer may take effect at any time after its
// request, or never.
// Failure: a search that gets too long says so; that is no pass.
#pragma once

#include "actors/sim/history/operation.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace baton::history {

enum class verdict { linearizable, impossible, undecided };

struct finding {
  verdict what = verdict::undecided;
  /// How far an explanation got, and what it cannot explain.
  std::string text;
  std::size_t configurations = 0;
};

/// Operations of one run, in any order. The run began at `first_epoch`: above
/// every run that was removed.
finding check(std::vector<operation> all,
              std::size_t configurations_max = 500'000,
              std::uint64_t first_epoch = 0);

} // namespace baton::history
