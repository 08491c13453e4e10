// SPDX-License-Identifier: MIT
// What a confined agent sees of this host, as arguments for bubblewrap.
//
//   /usr /etc /opt /bin /lib*   the host's, read-only; what others than their
//                               owner may not read there is hidden
//   /workspace                  the run's own folder; HOME, and where it starts
//   /tmp                        the run's own, on disk
//   the ordered cwd             the host's, writable, at the same path
//   /proc /dev                  of its own namespaces
//   nothing else
//
// A confinement is decided by the provider, travels to the shim as a prefix of
// command lines, and there wraps all that is executed for the run: the agent
// (confine_agent) and what prepares its workspace (confine_command).
//
// Guarantees: no process of a confinement outlives the process that was started
// with its command line, or that one's parent when it asked to die with it.
// Threads: value types. Needs nothing but the standard library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace baton::sandbox {

/// Where the run's own folder lies for whom is confined.
constexpr std::string_view confined_workspace = "/workspace";
/// Where the shim's program lies, which is the first process of an agent's
/// namespace.
constexpr std::string_view confined_shim = "/run/baton-shim";
/// Its first argument there.
constexpr std::string_view confined_shim_option = "--inside";

/// The part of this host's file system that every confinement shows or hides.
struct host_system {
  /// Shown read-only at their own paths.
  std::vector<std::string> folders;
  /// Made again: path and target.
  struct link {
    std::string path;
    std::string target;
    bool operator==(const link&) const = default;
  };
  std::vector<link> links;
  /// Single files outside of those folders that are needed.
  std::vector<std::string> files;
  /// Inside of what is shown, not to be seen.
  std::vector<std::string> hidden_files;
  std::vector<std::string> hidden_folders;
};

/// This host, as it is now. Finds what is not for everybody under /etc.
host_system look_at_host();

/// What differs from run to run.
struct confinement {
  /// The bubblewrap program and the shim, absolute.
  std::string bwrap;
  std::string shim;
  /// On the host, bound at confined_workspace and /tmp.
  std::string workspace;
  std::string tmp;
  /// On the host, bound at the same path; empty: none. `cwd_source` is what it
  /// resolves to.
  std::string cwd;
  std::string cwd_source;
  bool network = true;
  /// Not to be seen, should they lie in what is shown.
  std::vector<std::string> hidden_files;
  std::vector<std::string> hidden_folders;
};

/// True when `folder` is `path` or lies above it. Both absolute, in plain form.
bool holds(std::string_view folder, std::string_view path);

/// Empty when a confined agent may be given that folder of the host to write
/// to; else why not, in words for the user. `secret`: the daemon's own.
std::string why_not_bound(const std::string& folder, const host_system& host,
                          const std::vector<std::string>& secret);

/// What stands in front of every confined command line.
std::vector<std::string> confinement_prefix(const confinement& what,
                                            const host_system& host);

/// A whole command line. `cwd` as the command sees it. With an empty prefix the
/// command is not confined: then it is `argv`, and `cwd` is the caller's
/// business. The caller's environment becomes the command's.
std::vector<std::string> confine_command(const std::vector<std::string>& prefix,
                                         const std::string& cwd,
                                         const std::vector<std::string>& argv);

/// For the agent: the shim inside is its namespace's first process, takes the
/// command from a descriptor, since bubblewrap takes few arguments, and reports
/// its start and end (apps/baton_shim/inner_shim.hpp).
std::vector<std::string> confine_agent(const std::vector<std::string>& prefix);

} // namespace baton::sandbox
