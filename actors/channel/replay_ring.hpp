// SPDX-License-Identifier: MIT
// A run's most recent entries, for viewers near the end of its log.
// Guarantees: bounded in entries and bytes; holds a gap-free tail of the log.
// Threads: value type, owned by one channel.
#pragma once

#include "messages/view_messages.hpp"

#include <cstddef>
#include <deque>

namespace baton::channel {

class replay_ring {
public:
  static constexpr std::size_t entries_max = 4096;
  static constexpr std::size_t bytes_max = 1 << 20;

  /// `last` is the entry behind which the ring begins.
  explicit replay_ring(seq last) : last_(last) {}

  /// Requires: `x` follows last().
  void push(shared_entry x);

  seq last() const { return last_; }

  /// Whether everything behind `after` is here.
  bool covers(seq after) const {
    return after.value >= last_.value - entries_.size();
  }

  /// Up to the limits, at least one when there is one. Requires: covers().
  shared_entries behind(seq after, std::size_t entries_limit,
                        std::size_t bytes_limit) const;

  /// Nobody watches: free the memory, remember the place.
  void clear();

  std::size_t bytes() const { return bytes_; }

private:
  std::deque<shared_entry> entries_;
  std::size_t bytes_ = 0;
  seq last_;
};

} // namespace baton::channel
