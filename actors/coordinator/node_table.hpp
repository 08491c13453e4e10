// SPDX-License-Identifier: MIT
// Which nodes may drive runs, and which of them a run goes to. A node that
// sends beats is live for one lease after each; one that does not (it shares
// the coordinator's process) lives until it is removed.
// Threads: value type, owned by the claim coordinator.
#pragma once

#include "actors/clock.hpp"
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
    mono_time heard{};
    /// Until then a launch that failed there counts against it.
    mono_time suspect_until{};
  };

  /// False: another life of that node is live.
  bool may_join(const node_hello& hello) const;

  /// Registers a node, a new life of one, or a life that comes back.
  void add(const node_hello& hello, instant now);

  /// Marks the life as gone. False: another life of the node is registered.
  bool remove(const node_id& id, incarnation life, wall_time now);

  /// A beat. False: that life is not live here.
  bool hear(const node_id& id, incarnation life, mono_time now);

  /// A life that was last heard `lease` before `now` or earlier.
  std::optional<std::pair<node_id, incarnation>>
  first_silent(mono_time now, std::chrono::milliseconds lease) const;
  /// When the first lease lapses.
  std::optional<mono_time> next_lapse(std::chrono::milliseconds lease) const;
  /// All are as if heard now: the silence was our own.
  void hear_all(mono_time now);

  bool is_live(const node_id& id) const;

  void add_run(const node_id& id);
  void remove_run(const node_id& id);

  /// A run could not be launched there: for a minute others come first.
  void note_failed_launch(const node_id& id, mono_time now);

  /// The node a run goes to: the one it asks for, else the least loaded that
  /// has the provider and reaches the sandbox; ties go to the smaller id.
  /// `not_on` is taken only when nobody else can. `bound`: what the run shares
  /// is reached under that label; a wish for a node elsewhere yields.
  std::optional<node_id>
  choose(const run_record& run, const node_id& not_on = {}, mono_time now = {},
         const std::optional<std::string>& bound = {}) const;

  /// Whether the node may drive the run at all.
  bool is_eligible(const node_id& id, const run_record& run,
                   const std::optional<std::string>& bound = {}) const;

  /// Whether the node is live, has the provider and the label; an empty label
  /// is everybody's.
  bool reaches(const node_id& id, const std::string& provider,
               const std::string& label) const;
  /// The first that does.
  std::optional<node_id> find(const std::string& provider,
                              const std::string& label) const;

  /// The label under which the node's local sandboxes are reached.
  std::string host_label_of(const node_id& id) const;

  const std::map<node_id, node>& all() const { return nodes_; }

  /// For people. One that says nothing for half a lease is suspect.
  node_list views(mono_time now, std::chrono::milliseconds lease) const;

private:
  std::map<node_id, node> nodes_;
};

} // namespace baton::coordinator
