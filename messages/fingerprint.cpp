// SPDX-License-Identifier: MIT
#include "messages/fingerprint.hpp"

#include "messages/canonical_json.hpp"
#include "messages/sha256.hpp"

#include <array>

namespace baton {

entry_fingerprint fingerprint_of(std::string_view line) {
  using namespace std::string_view_literals;
  constexpr std::array volatile_keys{"timestamp"sv};
  constexpr std::array thread_keys{"timestamp"sv, "threadId"sv, "thread_id"sv};
  if (line.ends_with('\n'))
    line.remove_suffix(1);
  auto value = canonical_json::of(line);
  if (!value) {
    // The prefixes keep a line from posing as another one's canonical form.
    auto hash = sha256_hex("bytes:" + std::string{line});
    return {hash, hash, false};
  }
  auto* type = value->member("type");
  return {sha256_hex("json:" + value->text(volatile_keys)),
          sha256_hex("json:" + value->text(thread_keys)),
          type != nullptr && *type == "\"CUSTOM\""};
}

} // namespace baton
