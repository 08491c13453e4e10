// SPDX-License-Identifier: MIT
// The invariants, checked on one ended run from what HTTP tells and what the
// world outside saw.
#pragma once

#include "tests/crash/runs.hpp"

namespace baton::crash_test {

/// I2 to I8 and I11, as far as one run shows them.
void judge(const world& w, const tended_run& run);

/// The record as it is now, without what viewers change.
std::string record_of(const world& w, const tended_run& run);

} // namespace baton::crash_test
