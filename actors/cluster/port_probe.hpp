// SPDX-License-Identifier: MIT
// Whether somebody listens at a TCP port, within a time of our choosing.
// Threads: blocks; call it where that hurts nobody.
#pragma once

#include "messages/result.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace baton::cluster {

/// ok: a connection was accepted (and closed again). errc::unavailable: why
/// not.
status probe_port(const std::string& host, std::uint16_t port,
                  std::chrono::milliseconds timeout);

} // namespace baton::cluster
