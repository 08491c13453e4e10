// SPDX-License-Identifier: MIT
// Whether a database folder has the room that opening it takes.
//
// Guarantees: leaves nothing behind. Between this and the opening others may
// take the room all the same.
// Requires: SIGXFSZ is ignored, where a limit on file sizes is to be told.
// Threads: any.
// Failure: errc::storage_failed, with what to do.
#pragma once

#include "messages/result.hpp"

#include <cstdint>
#include <string>

namespace baton::storage {

/// RocksDB stops the process (Debian builds it with assertions) when it runs
/// out of space while it replays its log: so ask before.
status check_room_to_open(const std::string& folder);

/// What that takes: every byte of the log may have to be written once more,
/// and the engine's own new files come to it.
std::uint64_t room_to_open(const std::string& folder);

} // namespace baton::storage
