// SPDX-License-Identifier: MIT
#include "messages/instance_identity.hpp"

#include "messages/canonical_json.hpp"
#include "messages/sha256.hpp"

#include <array>

namespace baton {

instance_key key_of(const instance_identity& x) {
  // Sorted by key and without blanks: canonical as it stands.
  return instance_key{sha256_hex(
    "{\"provider\":" + json_quoted(x.provider)
    + ",\"run\":" + (x.run ? json_quoted(x.run->str()) : "null")
    + ",\"sandbox\":" + json_quoted(x.sandbox_id) + ",\"tenant\":"
    + json_quoted(x.tenant) + ",\"thread\":" + json_quoted(x.thread.str())
    + ",\"workspace\":" + json_quoted(x.workspace_hash) + "}")};
}

result<std::string> workspace_hash(std::string_view definition) {
  auto value = canonical_json::of(definition);
  if (!value || !value->is_object())
    return {errc::malformed,
            "workspace definition: expected a JSON object, found "
              + std::string{value ? "another JSON value" : "other text"}};
  constexpr std::array<std::string_view, 1> left_out{"secrets"};
  return sha256_hex(value->text(left_out));
}

} // namespace baton
