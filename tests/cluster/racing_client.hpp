// SPDX-License-Identifier: MIT
// A seeded external driver that races others for the same runs over HTTP,
// through whichever node answers, and writes down what it was told.
// Threads: each client belongs to one thread; they share the course only.
// Failure: an answer outside the contract is a complaint, and no answer an
// unknown outcome.
#pragma once

#include "tests/messages/seeded.hpp"
#include "tests/support/daemon.hpp"
#include "actors/sim/history/operation.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace baton::cluster_test {

/// What the clients of one race share.
struct course {
  struct node {
    std::string name;
    /// 0 while it is down.
    std::atomic<std::uint16_t> port{0};
  };

  /// A series of runs: when one has ended, the race goes on in the next.
  struct lane {
    std::vector<std::string> runs;
    std::atomic<std::size_t> current{0};
  };

  std::array<node, 3> nodes;
  std::array<lane, 4> lanes;
  std::atomic<std::size_t> operations{0};
  std::chrono::steady_clock::time_point start =
    std::chrono::steady_clock::now();
};

/// One request; `got` and the times are filled in.
void perform(const course& on, std::size_t node, const std::string& run,
             history::operation& x, std::vector<std::string>& complaints);

class racing_client {
public:
  racing_client(course& on, int number, std::uint64_t seed);

  void race(int operations);

  const std::map<std::string, std::vector<history::operation>>& told() const {
    return told_;
  }
  const std::vector<std::string>& complaints() const { return complaints_; }

private:
  /// What the client knows of a run, which may be out of date.
  struct belief {
    std::uint64_t epoch = 0;
    std::uint64_t next_seq = 1;
    /// The last append or end, to be sent again.
    history::operation last = {};
  };

  /// One operation, and its repeats while its outcome is unknown.
  history::operation play(const std::string& run);
  history::operation draw(const belief& b);
  history::operation draw_append(const belief& b);
  void learn(belief& b, const history::operation& x);
  /// A node that says it is ready, the own one if possible.
  std::size_t ready_node();

  course& course_;
  int number_;
  test::seeded random_;
  std::size_t home_;
  bool in_doubt_ = false;
  int lines_ = 0;
  std::map<std::string, belief> beliefs_;
  std::map<std::string, std::vector<history::operation>> told_;
  std::vector<std::string> complaints_;
};

} // namespace baton::cluster_test
