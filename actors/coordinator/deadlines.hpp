// SPDX-License-Identifier: MIT
// When which run has to be looked at again.
// Threads: value type, owned by the claim coordinator.
#pragma once

#include "actors/clock.hpp"
#include "messages/ids.hpp"

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace baton::coordinator {

enum class deadline_kind : std::uint8_t {
  /// The claim's lease lapses.
  lease,
  /// The detached time-to-live passes.
  detached,
};

class deadlines {
public:
  /// Replaces the run's deadline of that kind.
  void set(const run_id& run, deadline_kind kind, mono_time at);
  void clear(const run_id& run, deadline_kind kind);
  std::optional<mono_time> find(const run_id& run, deadline_kind kind) const;

  /// Takes out the earliest deadline that is due.
  std::optional<std::pair<run_id, deadline_kind>> take_due(mono_time now);
  std::optional<mono_time> next() const;

private:
  using key = std::pair<run_id, deadline_kind>;

  std::map<key, mono_time> at_;
  std::set<std::pair<mono_time, key>> order_;
};

} // namespace baton::coordinator
