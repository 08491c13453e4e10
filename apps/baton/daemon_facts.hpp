// SPDX-License-Identifier: MIT
// What a daemon says of itself where no run is concerned.
#pragma once

#include "apps/baton/http_client.hpp"
#include "messages/result.hpp"

#include <string>

namespace baton::cli {

/// From its metrics; empty when it does not tell.
std::string daemon_version(const http_client& client);

/// Ok, or why it is not ready.
status daemon_readiness(const http_client& client);

} // namespace baton::cli
