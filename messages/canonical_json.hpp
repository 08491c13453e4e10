// SPDX-License-Identifier: MIT
// JSON in a form that is equal for equal values: for hashing, not for reading.
//
// Guarantees: blanks, the order of keys, the spelling of strings and of
// numbers make no difference; numbers are compared by exact value, no digit is
// lost. A key that is absent differs from one that is null.
// Threads: value type.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace baton {

class canonical_json {
public:
  /// Absent: not JSON, or JSON that is nested over 256 deep, has lone
  /// surrogates, or exponents beyond 32 bits.
  static std::optional<canonical_json> of(std::string_view text);

  bool is_object() const noexcept { return is_object_; }

  /// The canonical text of a member of the object; the last one of that key.
  const std::string* member(std::string_view key) const;

  /// The whole text, for an object without the members named.
  std::string text(std::span<const std::string_view> left_out = {}) const;

private:
  friend class canonical_json_builder;

  bool is_object_ = false;
  /// Of an object: key and canonical text, sorted by key.
  std::vector<std::pair<std::string, std::string>> members_;
  /// Of anything else.
  std::string text_;
};

/// A string as JSON text.
std::string json_quoted(std::string_view text);

} // namespace baton
