// SPDX-License-Identifier: MIT
// One look at what lies on all nodes: who has to answer still, what was found,
// and what became of it.
// Threads: value type, owned by the claim coordinator.
#pragma once

#include "actors/coordinator/claim_table.hpp"

#include <map>
#include <set>
#include <vector>

namespace baton::coordinator {

class garbage_round {
public:
  /// `remove`: have removed what is nobody's.
  explicit garbage_round(bool remove) : remove_(remove) {}

  void asked(const node_id& node) { silent_.insert(node); }
  bool waits_for(const node_id& node) const { return silent_.contains(node); }

  /// Beside what was found so far, `more` of this answer included.
  bool may_remove(const std::vector<claim_table::judged>& more) const;

  void answered(const node_id& node, std::vector<claim_table::judged> found);
  void destroyed(const sandbox_destroyed& x);

  bool is_done() const { return silent_.empty() && owed_.empty(); }

  /// As it stands.
  garbage_report report() &&;

private:
  bool remove_;
  std::set<node_id> silent_;
  std::vector<garbage> found_;
  /// Debts that are not paid yet, and their places in `found_`.
  std::map<instance_key, std::size_t> owed_;
  std::size_t removals_ = 0;
};

} // namespace baton::coordinator
