// SPDX-License-Identifier: MIT
// One node, from its settings to its orderly end.
#pragma once

#include "apps/settings/settings.hpp"
#include "messages/result.hpp"

namespace baton {

/// Serves until SIGTERM or SIGINT; those signals must be blocked in every
/// thread. Prints the ready line. A status that is not ok: it could not start.
status serve(const settings& given);

/// Tells in one line why batond does not serve; the exit code for that.
int tell_refusal(const status& why);

} // namespace baton
