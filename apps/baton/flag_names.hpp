// SPDX-License-Identifier: MIT
// A daemon's complaints name the fields of a request; whoever typed flags is
// told of flags.
// Threads: pure functions.
#pragma once

#include "messages/result.hpp"

#include <string>
#include <string_view>

namespace baton::cli {

/// `--setup number 2` for `sandbox.workspace.setup[1]`; empty for a field that
/// no flag sets.
std::string flag_of(std::string_view field);

/// `why` with flags in place of the fields that its details `field` and
/// `differs` name.
status in_flags(status why);

} // namespace baton::cli
