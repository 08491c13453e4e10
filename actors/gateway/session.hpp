// SPDX-License-Identifier: MIT
// What happens on one connection: request after request, each checked for
// access before its body is read.
// Threads: the I/O thread.
#pragma once

#include "actors/gateway/connection.hpp"
#include "actors/gateway/service.hpp"

namespace baton::http {

/// Serves until the connection ends.
asio::awaitable<void> serve(service& s, std::shared_ptr<connection> c);

} // namespace baton::http
