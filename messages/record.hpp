// SPDX-License-Identifier: MIT
// A run's record: what was asked (the spec, fixed at creation) and how it
// stands (the state, rewritten by every commit, so kept small).
// Threads: value types; a spec is shared and never changes.
#pragma once

#include "messages/errc.hpp"
#include "messages/ids.hpp"
#include "messages/wall_time.hpp"
#include "messages/workspace.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace baton {

/// Values are stored: never renumber.
enum class run_status : std::uint8_t {
  running = 1,
  /// Waits for a person: not terminal, never reaped, never expired.
  interrupted = 2,
  completed = 3,
  failed = 4,
  aborted = 5,
};

std::string_view to_string(run_status s) noexcept;
std::optional<run_status> run_status_from_string(std::string_view s) noexcept;

constexpr bool is_terminal(run_status s) noexcept {
  return s >= run_status::completed;
}

/// What to execute.
struct run_command {
  /// True: `argv` is one text for `/bin/sh -c`.
  bool shell = false;
  std::vector<std::string> argv;

  bool operator==(const run_command&) const = default;
};

/// Where to execute it.
struct sandbox_spec {
  std::string provider = "local";
  /// One workspace for all runs of the thread, instead of a fresh one each.
  bool reuse = false;
  /// Leave what remains of the process tree alive after the main process.
  bool keep_processes = false;
  /// Absent: the provider's default.
  std::optional<bool> network;
  /// With `reuse`: the shared workspace goes when its last run has ended.
  bool destroy_on_complete = false;
  /// Part of the instance key: tenants never share.
  std::string tenant;
  workspace_spec workspace;

  bool operator==(const sandbox_spec&) const = default;
};

/// What was asked. Immutable once the run exists.
struct run_spec {
  run_id id;
  thread_id thread;
  run_command command;
  /// Absolute; empty: the sandbox's own working directory.
  std::string cwd;
  std::map<std::string, std::string> env;
  /// Given to the agent at launch, then closed.
  std::string stdin_bytes;
  sandbox_spec sandbox;
  /// baton launches nothing; whoever claims the run drives it.
  bool external = false;
  /// Empty: any eligible node.
  node_id wanted_node;
  bool detach_on_disconnect = true;
  std::map<std::string, std::string> labels;
  wall_time started_at{};

  bool operator==(const run_spec&) const = default;
};

/// True when a create with `b` is a retry of the create that made `a`: command,
/// cwd, env, stdin, sandbox and external agree, whatever thread or labels say.
bool same_request(const run_spec& a, const run_spec& b);

struct run_error {
  errc code = errc::none;
  std::string message;

  bool operator==(const run_error&) const = default;
};

/// How a run ended, as its driver tells it.
struct run_outcome {
  run_status status = run_status::completed;
  /// 128+n after signal n.
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::optional<run_error> error;
  /// JSON text; empty: none.
  std::string usage;

  bool operator==(const run_outcome&) const = default;
};

/// Where the run's sandbox is, for whichever node drives the run.
struct sandbox_binding {
  instance_key key;
  /// The provider's own name of what this run alone has: its journal, and its
  /// workspace unless that is shared.
  std::string id;
  /// Nodes with this label reach it; empty: every node does.
  std::string host_label;
  /// The provider's own name of the workspace that `key` shares among the
  /// thread's runs; empty: the run has its own.
  std::string shared_id;

  bool operator==(const sandbox_binding&) const = default;
};

/// How the run stands.
struct run_state {
  /// Counts the commits of this run; the expected value of the next commit.
  std::uint64_t version = 0;
  run_no no;
  run_status status = run_status::running;

  /// The claim: 0 and empty before the first.
  baton::epoch epoch;
  /// Node id, or the holder an external driver named.
  std::string holder;

  /// The log: its last seq and the position behind its last entry.
  seq last_seq;
  position end;
  /// The last entry is a piece of a longer line that goes on.
  bool inside_line = false;
  /// The last entry that was trimmed from the log's beginning; 0: none.
  seq trimmed;

  sandbox_binding sandbox;
  /// SHA-256 (hex) of the nonce of each launch that may have happened. The
  /// nonces themselves are never stored (see exit_marker.hpp).
  std::vector<std::string> nonce_hashes;

  /// A cancel's way: asked for, with the driver, the agent's tree dead (which
  /// is `finished_at`), the sandbox gone (which the instance store tells).
  std::optional<wall_time> cancel_requested_at;
  std::optional<wall_time> cancel_delivered_at;
  /// Why it was cancelled: errc::cancelled by a person, errc::expired by the
  /// detached time-to-live.
  errc cancel_cause = errc::none;

  /// Nobody watches since. The uptime is the coordinator's own, accumulated
  /// over its lives, so that no wall-clock jump expires a run.
  std::optional<wall_time> detached_since;
  std::uint64_t detached_at_uptime_ms = 0;

  std::optional<wall_time> finished_at;
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::optional<run_error> error;
  /// JSON text as the driver reported it; empty: none.
  std::string usage;

  bool operator==(const run_state&) const = default;
};

/// One version of a run. Copies share the spec.
struct run_record {
  std::shared_ptr<const run_spec> spec;
  run_state state;

  const run_id& id() const { return spec->id; }
};

/// One claim in the run's history, written in the claim's own commit.
struct claim_note {
  baton::epoch epoch;
  std::string holder;
  /// placement, restart, node_lost, lease_lapsed, takeover, steal, external.
  std::string cause;
  /// The first seq this claim may write.
  seq first_seq;
  wall_time at{};

  bool operator==(const claim_note&) const = default;
};

// -- run ids and thread ids from outside --------------------------------------

/// True for 1 to 512 bytes of UTF-8 without control characters (C0, DEL, C1),
/// other than `.` and `..`.
bool is_valid_id(std::string_view text);

/// For messages to people: `text` with control characters escaped and cut to
/// 80 bytes.
std::string printable(std::string_view text);

} // namespace baton
