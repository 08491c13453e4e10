// SPDX-License-Identifier: MIT
// Which nodes may drive runs, and which of them a run goes to.
// Threads: value type, owned by the claim coordinator.
#pragma once

#include "messages/claim_messages.hpp"
#include "messages/record.hpp"

#include <map>
#include <optional>
#include <vector>

namespace baton::coordinator {

class node_table {
public:
  struct node {
    node_hello hello;
    bool live = false;
    /// How many runs it drives now.
    std::uint32_t runs = 0;
    wall_time since{};
  };

  /// Registers a node or a new life of one. False: that life is known and
  /// live already.
  bool add(const node_hello& hello, wall_time now);

  /// Marks the life as gone. False: another life of the node is registered.
  bool remove(const node_id& id, incarnation life, wall_time now);

  bool is_live(const node_id& id) const;

  void add_run(const node_id& id);
  void remove_run(const node_id& id);

  /// The node a run goes to: the one it asks for, else the least loaded that
  /// has the provider and reaches the sandbox; ties go to the smaller id.
  /// `not_on` is taken only when nobody else can.
  std::optional<node_id> choose(const run_record& run,
                                const node_id& not_on = {}) const;

  /// Whether the node may drive the run at all.
  bool is_eligible(const node_id& id, const run_record& run) const;

  /// The label under which the node's local sandboxes are reached.
  std::string host_label_of(const node_id& id) const;

  const std::map<node_id, node>& all() const { return nodes_; }

private:
  std::map<node_id, node> nodes_;
};

} // namespace baton::coordinator
