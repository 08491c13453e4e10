// SPDX-License-Identifier: MIT
// What a daemon says of itself where no run is concerned.
#pragma once

#include "apps/baton/http_client.hpp"
#include "messages/result.hpp"

#include <string>

namespace baton::cli {

struct daemon_identity {
  std::string version;
  std::string node;
  /// ADDR:PORT, or what it says when it has none.
  std::string http;
};

/// From its metrics; empty where it does not tell.
daemon_identity identity_of_daemon(const http_client& client);

/// Ok, or why it is not ready.
status daemon_readiness(const http_client& client);

} // namespace baton::cli
