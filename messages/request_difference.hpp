// SPDX-License-Identifier: MIT
// In what two creates of one run id differ.
// Threads: a pure function.
#pragma once

#include "messages/record.hpp"

#include <string>
#include <vector>

namespace baton {

/// The fields of a create that keep `b` from being a retry of `a`, by their
/// names in a request; empty exactly when same_request(a, b).
std::vector<std::string> differing_fields(const run_spec& a, const run_spec& b);

} // namespace baton
