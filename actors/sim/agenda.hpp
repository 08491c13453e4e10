// SPDX-License-Identifier: MIT
// What will happen in a world outside of its machines: deliveries, agents that
// write, faults.
// Guarantees: in order of time, and of entry where times are equal.
// Threads: not thread-safe.
#pragma once

#include "actors/sim/machine.hpp"

#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace baton::sim {

class agenda {
public:
  world_time now() const { return now_; }

  /// `life`: of the machine that must be there; 0: none.
  void at(world_time when, std::uint64_t life, std::function<void()> what) {
    items_.emplace(std::pair{std::max(when, now_), ++last_},
                   item{life, std::move(what)});
  }

  void in(world_time pause, std::function<void()> what) {
    at(now_ + pause, 0, std::move(what));
  }

  std::optional<world_time> next() const {
    if (items_.empty())
      return std::nullopt;
    return items_.begin()->first.first;
  }

  void run_next() {
    auto first = items_.extract(items_.begin());
    first.mapped().what();
  }

  void pass_to(world_time when) { now_ = std::max(now_, when); }

  /// The machine is gone, and what was meant for it.
  void forget(std::uint64_t life) {
    std::erase_if(items_, [&](auto& x) { return x.second.life == life; });
  }

  void clear() { items_.clear(); }

private:
  struct item {
    std::uint64_t life = 0;
    std::function<void()> what;
  };

  world_time now_{};
  std::uint64_t last_ = 0;
  std::map<std::pair<world_time, std::uint64_t>, item> items_;
};

} // namespace baton::sim
