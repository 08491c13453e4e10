// SPDX-License-Identifier: MIT
// An entry as the contract's JSON object, on one line without CR or LF.
// Guarantees: a line that is JSON stands in it as it was written, byte for
// byte (BR-055); only a raw CR, which JSON allows between tokens, becomes a
// space, since SSE and NDJSON readers would take it for a line end (BR-027).
// Threads: pure functions.
#pragma once

#include "messages/entry.hpp"

#include <string>

namespace baton::http {

/// Appends the object to `out`.
void append_json(const entry& x, std::string& out);

} // namespace baton::http
