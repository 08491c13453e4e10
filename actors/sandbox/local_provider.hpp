// SPDX-License-Identifier: MIT
// The provider of plain directories on this host: agents are children of
// shims, with the rights of the daemon's user. See sandbox_layout.hpp for what
// lies where.
//
// Guarantees: those of provider.hpp. A sandbox's id is its absolute path, so
// every node of the host serves the sandboxes of every other.
// Threads: every call from any thread.
#pragma once

#include "actors/sandbox/journal_watcher.hpp"
#include "actors/sandbox/provider.hpp"
#include "actors/sandbox/sandbox_layout.hpp"

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace baton::sandbox {

struct local_options {
  /// Where this node's sandboxes are made; created when absent. Absolute.
  std::string root;
  /// The shim; empty: BATON_SHIM, else `baton-shim` beside this program.
  std::string shim;
};

class local_provider : public provider {
public:
  /// Fails when the root cannot be used or there is no shim.
  static result<std::unique_ptr<local_provider>> open(local_options options);

  std::string_view name() const noexcept override { return "local"; }
  capabilities can() const noexcept override;
  std::string make_id(const run_id& run, run_no no) const override;
  std::string make_instance_id(const instance_key& key) const override;
  result<launch_outcome> launch(const launch_order& order) override;
  result<probe_report> probe(const sandbox_binding& where) override;
  result<std::unique_ptr<journal_source>>
  open_journal(const sandbox_binding& where,
               std::function<void()> on_change) override;
  status kill(const sandbox_binding& where) override;
  result<std::string> stderr_tail(const sandbox_binding& where,
                                  std::size_t bytes_max) override;
  status remove(const sandbox_binding& where) override;
  status forget(const sandbox_binding& where) override;
  status destroy_instance(const std::string& shared_id) override;
  result<std::vector<found_sandbox>> list() override;

private:
  local_provider(local_options options, std::string suffix);

  result<launch_outcome> call(const sandbox_place& place,
                              const std::string& order);
  status force(const sandbox_place& place, pid_t shim);
  /// How long ago the death of this sandbox was first asked for.
  std::int64_t since_first_kill(const std::string& id);

  local_options options_;
  /// Random, so that a data directory made anew never meets the guards of an
  /// older one.
  std::string suffix_;
  /// Sorted names of the guards that stood without a sandbox when this began:
  /// those that no call of this life can be about to use.
  const std::vector<std::string> old_guards_;
  std::shared_ptr<journal_watcher> watcher_;
  std::mutex mutex_;
  std::map<std::string, std::int64_t> first_kill_ms_;
};

} // namespace baton::sandbox
