// SPDX-License-Identifier: MIT
#include "actors/coordinator/garbage_round.hpp"

#include "actors/coordinator/prune.hpp"

#include <algorithm>

namespace baton::coordinator {

bool garbage_round::may_remove(
  const std::vector<claim_table::judged>& more) const {
  auto fresh = std::ranges::count_if(
    more, [](const auto& x) { return !x.debt.empty(); });
  return remove_
         && removals_ + static_cast<std::size_t>(fresh) < prune_deletions_max;
}

void garbage_round::answered(const node_id& node,
                             std::vector<claim_table::judged> found) {
  silent_.erase(node);
  for (auto& x : found) {
    if (!x.debt.empty()) {
      owed_.emplace(x.debt, found_.size());
      removals_ += 1;
    }
    found_.push_back(std::move(x.what));
  }
}

void garbage_round::destroyed(const sandbox_destroyed& x) {
  auto i = owed_.find(x.key);
  if (i == owed_.end())
    return;
  auto& what = found_[i->second];
  if (x.code == errc::none) {
    what.fate = "removed";
  } else {
    what.fate = "failed";
    what.reason += "; " + x.message + "; it is tried again until it is gone";
  }
  owed_.erase(i);
}

garbage_report garbage_round::report() && {
  for (const auto& [key, at] : owed_) {
    found_[at].fate = "failed";
    found_[at].reason += "; it is tried until it is gone";
  }
  garbage_report out;
  out.found = std::move(found_);
  out.silent.assign(silent_.begin(), silent_.end());
  return out;
}

} // namespace baton::coordinator
