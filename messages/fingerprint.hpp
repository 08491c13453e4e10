// SPDX-License-Identifier: MIT
// What makes two entries of a translated stream the same one (C5).
#pragma once

#include <string>
#include <string_view>

namespace baton {

struct entry_fingerprint {
  /// SHA-256 (hex) over the line as canonical JSON, its `timestamp` left out;
  /// over the bytes of a line that has no canonical form.
  std::string whole;
  /// The same without the thread id, to tell why two entries differ.
  std::string without_thread;
  /// A custom event: what a bridge adds to the stream and a replay lacks.
  bool out_of_band = false;

  bool operator==(const entry_fingerprint&) const = default;
};

/// Of a line with or without its LF.
entry_fingerprint fingerprint_of(std::string_view line);

} // namespace baton
