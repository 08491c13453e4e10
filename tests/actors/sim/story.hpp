// SPDX-License-Identifier: MIT
// A hand-written story: a node sleeps, another takes its run over, the first
// one wakes and is refused.
#pragma once

#include "actors/sim/trace.hpp"

namespace baton::test {

class story {
public:
  sim::trace told;
  std::int64_t now_us = 0;

  std::size_t agent = told.lane_of(sim::lane_kind::agent, "r1-1");
  /// The coordinator's own node.
  std::size_t n0 = told.lane_of(sim::lane_kind::node, "n0");
  std::size_t n1 = told.lane_of(sim::lane_kind::node, "n1");
  std::size_t n2 = told.lane_of(sim::lane_kind::node, "n2");
  std::size_t coordinator = told.lane_of(sim::lane_kind::coordinator, "n0");

  /// One event of run r1, so many microseconds after the last.
  std::size_t add(std::int64_t after_us, std::size_t lane, sim::event_kind kind,
                  std::uint64_t epoch = 0, std::uint64_t seq = 0,
                  const std::string& text = {},
                  std::optional<std::size_t> by = {}) {
    now_us += after_us;
    return told.add({now_us, lane, kind, "r1", epoch, seq, seq, text, by});
  }

  /// An entry goes from the agent to the store.
  void entry(std::size_t node, std::uint64_t epoch, std::uint64_t seq) {
    using enum sim::event_kind;
    auto written = add(1'000, agent, output, 0, 0, "a line\n");
    auto asked = add(500, node, append, epoch, seq, {}, written);
    auto stored = add(500, coordinator, commit, epoch, seq, {}, asked);
    add(500, node, ack, epoch, seq, {}, stored);
  }

  void takeover() {
    using enum sim::event_kind;
    add(1'000, n1, claim, 1, 0, "placement");
    add(1'000, agent, launch, 1);
    for (std::uint64_t seq = 1; seq <= 5; ++seq)
      entry(n1, 1, seq);
    add(1'000, n1, fault, 0, 0, "pause_node");
    add(2'000'000, n2, claim, 2, 0, "lease_lapsed");
    entry(n2, 2, 6);
    add(1'000, n1, heal, 0, 0, "pause_node");
    auto late = add(500, n1, append, 1, 6);
    add(500, n1, refused, 1, 0, "fenced", late);
    add(1'000, coordinator, finish, 2, 0, "completed");
  }
};

} // namespace baton::test
