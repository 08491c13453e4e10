// SPDX-License-Identifier: MIT
#include "actors/coordinator/deadlines.hpp"

namespace baton::coordinator {

void deadlines::set(const run_id& run, deadline_kind kind, mono_time at) {
  clear(run, kind);
  key k{run, kind};
  order_.emplace(at, k);
  at_.emplace(std::move(k), at);
}

void deadlines::clear(const run_id& run, deadline_kind kind) {
  auto i = at_.find({run, kind});
  if (i == at_.end())
    return;
  order_.erase({i->second, i->first});
  at_.erase(i);
}

std::optional<mono_time> deadlines::find(const run_id& run,
                                         deadline_kind kind) const {
  auto i = at_.find({run, kind});
  return i == at_.end() ? std::nullopt : std::optional{i->second};
}

std::optional<std::pair<run_id, deadline_kind>>
deadlines::take_due(mono_time now) {
  if (order_.empty() || order_.begin()->first > now)
    return std::nullopt;
  auto due = order_.begin()->second;
  clear(due.first, due.second);
  return due;
}

std::optional<mono_time> deadlines::next() const {
  return order_.empty() ? std::nullopt : std::optional{order_.begin()->first};
}

} // namespace baton::coordinator
