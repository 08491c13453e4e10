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

instance_key own_key(const run_record& run) {
  instance_identity x;
  x.thread = run.spec->thread;
  x.run = run.id();
  // An id that is used again, behind a removal, names another sandbox.
  x.sandbox_id = "run " + std::to_string(run.state.no.value);
  x.provider = run.spec->sandbox.provider;
  x.tenant = run.spec->sandbox.tenant;
  return key_of(x);
}

instance_key shared_key(const run_spec& spec) {
  if (!spec.sandbox.reuse)
    return {};
  instance_identity x;
  x.thread = spec.thread;
  x.provider = spec.sandbox.provider;
  x.tenant = spec.sandbox.tenant;
  // What canonical JSON of ours hashes to cannot be malformed.
  x.workspace_hash = workspace_hash(definition_of(spec.sandbox.workspace)).value();
  return key_of(x);
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
