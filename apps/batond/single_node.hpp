// SPDX-License-Identifier: MIT
// What this version of batond cannot serve, although its settings can be
// written down: anything that needs a second node.
// Guarantees: nothing that was asked for is left out silently.
// Threads: pure.
#pragma once

#include "apps/settings/settings.hpp"

namespace baton {

/// errc::unsupported naming the first setting that needs a cluster.
status check_single_node(const settings& given);

} // namespace baton
