// SPDX-License-Identifier: MIT
// Records and entries as bytes, for the store and for the wire (stored.proto).
// Failure: decoding returns errc::corrupt for anything the encoder cannot have
// written, unknown enum values included (A2: never "terminal" by accident).
#pragma once

#include "messages/entry.hpp"
#include "messages/record.hpp"
#include "messages/result.hpp"

#include <string>
#include <string_view>

namespace baton {

std::string encode(const run_spec& x);
std::string encode(const run_state& x);
std::string encode(const claim_note& x);
std::string encode(const run_outcome& x);
/// Appends to `out`: the append path encodes many entries into one buffer.
void encode_to(const entry& x, std::string& out);

result<run_spec> decode_spec(std::string_view bytes);
result<run_state> decode_state(std::string_view bytes);
result<claim_note> decode_claim_note(std::string_view bytes);
result<run_outcome> decode_outcome(std::string_view bytes);
result<entry> decode_entry(std::string_view bytes);

} // namespace baton
