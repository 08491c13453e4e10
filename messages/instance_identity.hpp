// SPDX-License-Identifier: MIT
// What makes two sandboxes the same one (E4, I10).
#pragma once

#include "messages/ids.hpp"
#include "messages/record.hpp"
#include "messages/result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace baton {

struct instance_identity {
  thread_id thread;
  /// Set for a sandbox that no other run of the thread may use.
  std::optional<run_id> run;
  /// The name of the sandbox's definition.
  std::string sandbox_id;
  std::string provider;
  /// From workspace_hash(); empty: no workspace.
  std::string workspace_hash;
  std::string tenant;

  bool operator==(const instance_identity&) const = default;
};

/// SHA-256 (hex) over the identity as canonical JSON: changing any part gives
/// another key.
instance_key key_of(const instance_identity& x);

/// The key of what the run alone has. Requires: it has its number.
instance_key own_key(const run_record& run);
/// The key of what it shares with its thread; empty: it shares nothing.
instance_key shared_key(const run_spec& spec);

/// SHA-256 (hex) over a workspace's definition, a JSON object, without its
/// `secrets`: rotating a secret keeps the sandbox. Failure: errc::malformed.
result<std::string> workspace_hash(std::string_view definition);

} // namespace baton
