// SPDX-License-Identifier: MIT
// The provider of agents confined by bubblewrap: what a local sandbox is, with
// the agent in namespaces of its own. See confinement.hpp for what it sees.
//
// Guarantees: those of provider.hpp. Beyond them, the agent
// - sees and signals no process outside of its sandbox;
// - opens no file of the daemon, of other sandboxes or of home directories, and
//   of its own sandbox only `work` and `tmp`; journal and stderr it has as
//   descriptors;
// - has no network, when the order says so. Otherwise it has the host's: every
//   port that listens there, and Unix sockets in the abstract namespace;
// - dies with its shim, and with all it started.
// Not supported: keep_processes, since nobody outlives a namespace's first
// process.
// Threads: every call from any thread.
#pragma once

#include "actors/sandbox/confinement.hpp"
#include "actors/sandbox/local_provider.hpp"

#include <memory>
#include <string>
#include <vector>

namespace baton::sandbox {

struct bwrap_options {
  local_options where;
  /// The program; empty: `bwrap` in PATH.
  std::string bwrap;
  /// Of the daemon, besides the root: what no agent may be shown, be it the
  /// working directory it was ordered.
  std::vector<std::string> secret;
};

class bwrap_provider : public local_provider {
public:
  /// Fails when the root cannot be used or there is no shim. Without a working
  /// bubblewrap it still serves the sandboxes that exist: see try_out().
  static result<std::unique_ptr<bwrap_provider>> open(bwrap_options options);

  std::string_view name() const noexcept override { return "bwrap"; }
  capabilities can() const noexcept override;

  /// Confines a command that does nothing. Takes milliseconds; fails in words
  /// for the operator.
  status try_out() const;

private:
  explicit bwrap_provider(bwrap_options options);

  result<shim_order> translate(const launch_order& order,
                               const sandbox_place& place) const override;
  confinement base() const;
  /// What the shim reads for the agent, outside of the confinement, must not be
  /// the daemon's own.
  status check_workspace(const workspace_spec& x) const;
  status bind_cwd(const std::string& wanted, const host_system& host,
                  confinement& out) const;

  std::string bwrap_;
  std::vector<std::string> secret_;
};

} // namespace baton::sandbox
