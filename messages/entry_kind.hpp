// SPDX-License-Identifier: MIT
// What a viewer is told about an entry's bytes. Never stored: it follows from
// the bytes.
#pragma once

#include <cstdint>
#include <string_view>

namespace baton {

enum class entry_kind : std::uint8_t {
  /// The whole line is one JSON value (RFC 8259), of any type.
  json,
  /// Not JSON, but UTF-8.
  text,
  /// Not UTF-8.
  bytes,
  /// A piece of a line longer than the limit, whatever its bytes.
  fragment,
};

/// `json`, `text`, `bytes`, `fragment`.
std::string_view to_string(entry_kind kind) noexcept;

/// Of a whole line without its LF; never `fragment`. Takes time linear in the
/// line and memory of one bit a nesting level.
entry_kind classify(std::string_view line);

/// True when `text` is one JSON value by the grammar of RFC 8259, in UTF-8:
/// no limit on the size of numbers or the depth, repeated keys allowed, blanks
/// around it allowed, a byte order mark not.
bool is_json(std::string_view text);

} // namespace baton
