// SPDX-License-Identifier: MIT
// What is said about sandboxes: what operators ask of the coordinator, and what
// the coordinator asks of the nodes that reach a sandbox.
#pragma once

#include "messages/instance_record.hpp"
#include "messages/run_messages.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace baton {

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, instance_record& x) {
  return inspect_as_bytes(
    f, "instance_record", [&] { return encode(x); },
    [&](const std::string& bytes) {
      auto got = decode_instance(bytes);
      if (!got)
        return got.error();
      x = *std::move(got);
      return status{};
    });
}

// -- to the coordinator -------------------------------------------------------

/// Every sandbox that exists or may exist (I10) -> sandbox_list.
struct list_sandboxes {
  bool unused = false;
};
struct sandbox_list {
  std::vector<instance_record> sandboxes;
};

/// Has the sandbox destroyed -> sandbox_list of that one, as it stands now.
/// errc::unknown_sandbox; errc::not_terminal while a run that has not ended
/// uses it.
struct remove_sandbox {
  instance_key key;
};

/// Looks on every live node for sandboxes that no record names ->
/// garbage_report.
struct collect_garbage {
  /// Remove what is found to be nobody's.
  bool remove = false;
};
struct garbage {
  node_id node;
  std::string provider;
  std::string id;
  /// `removed`, `removable`, `kept`, `adopted`, `failed`.
  std::string fate;
  /// Why, for people.
  std::string reason;
};
struct garbage_report {
  std::vector<garbage> found;
  /// Nodes that did not answer.
  std::vector<node_id> silent;
};

// -- coordinator to node, which answers each ----------------------------------

/// Destroys the sandbox and whatever lives in it -> sandbox_destroyed. One that
/// is not there is destroyed.
struct destroy_sandbox {
  instance_record what;
};
struct sandbox_destroyed {
  instance_key key;
  std::string id;
  /// errc::none: it is known to be gone.
  errc code = errc::none;
  std::string message;
};

/// Has the run's agent ended? -> sandbox_probed.
struct probe_sandbox {
  run_record run;
};

/// Any failure to find out is `unknown` (D4).
enum class probe_verdict : std::uint8_t { finished = 1, producing, unknown };

struct sandbox_probed {
  run_id run;
  probe_verdict verdict = probe_verdict::unknown;
  std::string message;
};

/// What there is on the node's host -> local_sandboxes.
struct list_local_sandboxes {
  bool unused = false;
};
struct local_sandbox {
  std::string provider;
  std::string id;
  /// The run it was made for, by number; 0 for a shared workspace.
  run_no run;
  /// The workspace of several runs; the store names it by its id.
  bool shared = false;
  /// Since anything in its folder changed, as far as the file system tells.
  bool has_age = false;
  std::uint64_t age_ms = 0;
};
struct local_sandboxes {
  std::vector<local_sandbox> all;
};

BATON_INSPECT(list_sandboxes, x.unused)
BATON_INSPECT(sandbox_list, x.sandboxes)
BATON_INSPECT(remove_sandbox, x.key)
BATON_INSPECT(collect_garbage, x.remove)
BATON_INSPECT(garbage, x.node, x.provider, x.id, x.fate, x.reason)
BATON_INSPECT(garbage_report, x.found, x.silent)
BATON_INSPECT(destroy_sandbox, x.what)
BATON_INSPECT(sandbox_destroyed, x.key, x.id, x.code, x.message)
BATON_INSPECT(probe_sandbox, x.run)
BATON_INSPECT(list_local_sandboxes, x.unused)
BATON_INSPECT(local_sandbox, x.provider, x.id, x.run, x.shared, x.has_age,
              x.age_ms)
BATON_INSPECT(local_sandboxes, x.all)
BATON_INSPECT(sandbox_probed, x.run, x.verdict, x.message)

} // namespace baton
