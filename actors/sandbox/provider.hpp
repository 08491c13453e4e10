// SPDX-License-Identifier: MIT
// The contract of a sandbox provider: where agents live, and how a node
// reaches them.
//
// A run's sandbox directory is named by `sandbox_binding.id`; the node that
// first drives the run chooses it (make_id), every successor uses the same.
//
// Guarantees:
// - launch() starts the command of a (binding, run) at most once, however many
//   nodes call it, however late (I7): the guard is taken atomically by the
//   launched process itself, after its last chance to fail without effect.
// - probe() never guesses: liveness is a lock the kernel holds for the shim.
// - The agent outlives the process that launched it.
// Threads: every call from any thread. Calls return within milliseconds;
// none waits for an agent.
// Failure: a status; the sandbox is left as it was, except where said.
#pragma once

#include "messages/record.hpp"
#include "messages/result.hpp"
#include "messages/workspace.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace baton::sandbox {

/// What a provider can do. An unsupported call is errc::unsupported, never a
/// silent no-op.
struct capabilities {
  bool fs = false;
  bool exec = false;
  bool env = false;
  bool ports = false;
  bool background_processes = false;
  bool writable_stdin = false;
  bool killable_processes = false;
  bool snapshots = false;
  bool network_policy = false;
  bool durable_filesystem = false;
  bool fork = false;
  /// Journals are files this process can pread.
  bool host_visible_journal = false;
};

struct launch_order {
  sandbox_binding where;
  run_command command;
  /// Empty: the sandbox's own directory.
  std::string cwd;
  std::map<std::string, std::string> env;
  std::string stdin_bytes;
  /// Goes to the shim through a pipe; stands in no argv, environ or file.
  std::string nonce;
  bool keep_processes = false;
  /// Null: none. With `where.shared_id` set it is made once, for all runs that
  /// name the same. The values of its secrets are looked up by launch().
  std::shared_ptr<const workspace_spec> workspace;
  /// False: none at all, where the provider can; absent: its default.
  std::optional<bool> network;
};

enum class launch_outcome : std::uint8_t {
  /// This call started the agent.
  launched,
  /// The guard was already taken: the agent runs, ran or was lost.
  already,
};

/// The record a shim leaves when its agent has ended.
struct exit_report {
  /// 128+n after signal n.
  int code = 0;
  std::optional<int> signal;
  /// Bytes of agent output in the journal; what follows is not the agent's.
  position journal_end;
  /// Set when the command could not be executed at all.
  std::optional<run_error> error;
  /// The nonce of the launch that the report is of. Whoever reads the report
  /// believes it only when the run's record has the hash of it: files in a
  /// sandbox may be the agent's work.
  std::string nonce;

  bool operator==(const exit_report&) const = default;
};

enum class agent_state : std::uint8_t {
  /// The guard is free: nobody launched yet.
  not_launched,
  /// The shim holds its lock.
  alive,
  /// The shim ended and left its report.
  exited,
  /// The guard is taken, no lock is held, no report stands: nobody knows. So
  /// is a run that was killed before it was launched.
  lost,
};

struct probe_report {
  agent_state state = agent_state::not_launched;
  /// Set when `exited`.
  std::optional<exit_report> exit;
};

/// What exists: a sandbox with the number of the run it was made for, or a
/// workspace that runs share.
struct found_sandbox {
  sandbox_binding where;
  run_no run;
  /// The sandbox was removed in an earlier life of this node: all that is left
  /// is its launch guard.
  bool is_guard = false;
  /// No run's own: a shared workspace. `where.shared_id` names it, `run` and
  /// `where.id` are empty.
  bool is_instance = false;
  /// When something in its folder last changed, as far as that can be told.
  std::optional<wall_time> changed_at;
};

/// A journal under observation. Threads: read() and size() from one thread at
/// a time; destruction ends the observation, no callback runs after it.
class journal_source {
public:
  virtual ~journal_source() = default;

  /// Reads up to out.size() bytes from `from`; 0 at the end. A journal that
  /// does not exist yet is empty.
  virtual result<std::size_t> read(position from, std::span<char> out) = 0;

  virtual result<position> size() = 0;
};

class provider {
public:
  virtual ~provider() = default;

  virtual std::string_view name() const noexcept = 0;
  virtual capabilities can() const noexcept = 0;

  /// The id under which this node would place the sandbox of a new run.
  virtual std::string make_id(const run_id& run, run_no no) const = 0;

  /// The `shared_id` under which this node would make the shared workspace of
  /// that key; empty when this provider has none.
  virtual std::string make_instance_id(const instance_key& key) const {
    (void)key;
    return {};
  }

  /// Makes the sandbox exist and starts the command in it. With a workspace the
  /// answer comes before that is made: what fails then is told by the report of
  /// the run's end, as errc::workspace_failed or errc::setup_failed.
  virtual result<launch_outcome> launch(const launch_order& order) = 0;

  virtual result<probe_report> probe(const sandbox_binding& where) = 0;

  /// Observes the run's journal. `on_change` is called, from any thread, soon
  /// after the journal grew or the agent ended; it may be called for nothing
  /// and may coalesce, so callers still poll, seldom.
  virtual result<std::unique_ptr<journal_source>>
  open_journal(const sandbox_binding& where,
               std::function<void()> on_change) = 0;

  /// Asks for the death of the whole process tree: SIGTERM, then SIGKILL 2 s
  /// later. Returns at once; the end shows in probe(). Idempotent. Of a run
  /// that was not launched yet it takes the guard: no launch can follow, and
  /// probe() tells it as lost.
  virtual status kill(const sandbox_binding& where) = 0;

  /// The last bytes of the agent's stderr, at most `bytes_max`; empty when
  /// there is none.
  virtual result<std::string> stderr_tail(const sandbox_binding& where,
                                          std::size_t bytes_max) = 0;

  /// Removes what the run left on disk, the launch guard excepted, so that a
  /// delayed launch stays a no-op. Requires: the agent is not alive.
  virtual status remove(const sandbox_binding& where) = 0;

  /// Removes the launch guard that remove() left. Requires: the run has ended,
  /// and no call of ours can launch it any more (node/leftover.hpp): one would
  /// make the sandbox anew and start the agent again. A shim that is late finds
  /// no sandbox to start in. errc::in_use while the sandbox is there.
  virtual status forget(const sandbox_binding& where) {
    (void)where;
    return {};
  }

  /// Removes a shared workspace, with the processes that runs left in it;
  /// success when it is gone. errc::unavailable while a run lives in it or
  /// makes it.
  virtual status destroy_instance(const std::string& shared_id) {
    return make_status(errc::unsupported, "the sandbox '" + std::string{name()}
                                            + "' has no shared workspaces, so "
                                            + shared_id
                                            + " is none of its own");
  }

  /// The sandboxes and shared workspaces this node has made and that still
  /// exist, those of dead runs included.
  virtual result<std::vector<found_sandbox>> list() = 0;
};

} // namespace baton::sandbox
