// SPDX-License-Identifier: MIT
// How the process's file descriptors are shared out: clients never get those
// that the store and the sandboxes need, for a store without one ends the
// process.
// Threads: pure.
#pragma once

#include <cstddef>

namespace baton {

/// Connections that each of the gateway's two listeners may hold when the
/// process may have `limit` descriptors.
std::size_t connections_for(std::size_t limit);

} // namespace baton
