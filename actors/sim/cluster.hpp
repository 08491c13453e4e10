// SPDX-License-Identifier: MIT
// Nodes with the production actors, the first of them the coordinator, a
// network between them, and the disk and the agents that outlive them.
//
// Guarantees: the same seed and the same calls give the same steps.
// Threads: one.
#pragma once

#include "actors/node/node.hpp"
#include "actors/sim/agenda.hpp"
#include "actors/sim/agents.hpp"
#include "actors/sim/disk.hpp"
#include "actors/sim/machine.hpp"
#include "actors/sim/network.hpp"
#include "actors/sim/seeded.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace baton::sim {

/// False once the machine is dead: what its actors still do counts no more.
using life_flag = std::shared_ptr<const bool>;

struct cluster_options {
  std::uint64_t seed = 0;
  std::size_t nodes = 3;
  network::delays delays;
  coordinator::policy rules;
  std::shared_ptr<storage::store> store;
};

class cluster {
public:
  explicit cluster(cluster_options options);
  ~cluster();

  cluster(const cluster&) = delete;
  cluster& operator=(const cluster&) = delete;

  // -- life -------------------------------------------------------------------

  /// A new life of that node; 0 is the coordinator.
  void start(std::size_t i);
  /// kill -9: nothing of that life reaches a disk, an agent or the others, but
  /// what is under way.
  void kill(std::size_t i);
  bool is_up(std::size_t i) const { return nodes_[i].box != nullptr; }

  /// SIGSTOP and SIGCONT.
  void pause(std::size_t i) { nodes_[i].paused = true; }
  void resume(std::size_t i) { nodes_[i].paused = false; }

  void drift(std::size_t i, std::int64_t ppm, std::chrono::milliseconds jump);
  void delay_launches(std::size_t i, world_time by);
  /// Each write takes so much longer from now on.
  void slow_down_disk(world_time by) { disk_pause_ = by; }
  /// Of a thousand ready actors so many are kept waiting for a while.
  void make_sluggish(std::uint64_t per_mille) { sluggish_ = per_mille; }
  /// Drivers are late to hear that their agents have ended.
  void delay_ends(bool yes) { late_ends_ = yes; }

  // -- its parts --------------------------------------------------------------

  std::size_t size() const { return nodes_.size(); }
  const std::string& name(std::size_t i) const { return nodes_[i].name; }
  /// Where the node's clients ask. Requires: is_up(i).
  caf::actor at(std::size_t i) const { return nodes_[i].handles.coordinator; }
  machine& box(std::size_t i) { return *nodes_[i].box; }
  life_flag alive(std::size_t i) const { return nodes_[i].alive; }
  environment env(std::size_t i);

  // -- time -------------------------------------------------------------------

  /// One message of one actor, or the next thing that time brings; false when
  /// there is none of them.
  bool step();

  /// Told of each step: where, and which actor.
  std::function<void(std::size_t, caf::actor_id)> on_step;
  std::function<void(std::size_t)> on_started;
  /// Called before the machine is gone.
  std::function<void(std::size_t)> on_killed;
  /// The coordinator's store failed, which ends its process.
  std::function<void()> on_fatal;

  seeded random;
  baton::sim::agenda agenda;
  baton::sim::disk disk;
  baton::sim::network network;
  std::shared_ptr<agent_world> agents;

private:
  struct member {
    std::string name;
    std::unique_ptr<machine> box;
    baton::node::node_handles handles;
    std::shared_ptr<agent_provider> provider;
    std::shared_ptr<bool> alive;
    bool paused = false;
    std::chrono::milliseconds jump{};
    std::shared_ptr<seeded> random;
  };

  void start_coordinator(member& x);
  void start_worker(std::size_t i, member& x);
  static caf::behavior dialer(caf::event_based_actor*, cluster* all,
                              std::size_t i);
  bool run_somebody();
  bool pass_time();
  /// Would hear of its agent's end next.
  static bool hears_of_end(const machine& where, std::size_t which);
  void hold(std::size_t i, caf::actor_id who, world_time how_long);

  cluster_options options_;
  std::vector<member> nodes_;
  std::uint64_t lives_ = 0;
  std::uint64_t sluggish_ = 0;
  bool late_ends_ = false;
  world_time disk_pause_{};
};

} // namespace baton::sim
