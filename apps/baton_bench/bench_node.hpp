// SPDX-License-Identifier: MIT
// A node with a real store for one benchmark.
#pragma once

#include "actors/node/node.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <memory>
#include <string>

namespace baton::bench {

class bench_node {
public:
  explicit bench_node(const std::string& directory);
  ~bench_node();

  caf::actor_system& system() { return *system_; }
  const node::node_handles& handles() const { return handles_; }
  const storage::store& store() const { return *store_; }

  /// Creates a run; external ones are claimed, their epoch is returned.
  epoch create(const run_id& id, bool external);

private:
  std::unique_ptr<caf::actor_system_config> config_;
  std::unique_ptr<caf::actor_system> system_;
  std::shared_ptr<storage::store> store_;
  node::node_handles handles_;
};

} // namespace baton::bench
