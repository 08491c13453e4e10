// SPDX-License-Identifier: MIT
// The benchmarks by name.
#pragma once

#include "apps/baton_bench/figures.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace baton::bench {

struct bench_options {
  /// Where the stores and files go; a directory of its own, removed after.
  std::string directory;
  std::chrono::seconds duration{4};
  /// Of the takeover figures.
  int rounds = 20;
};

/// A disk's speed drifts within seconds, so raw and baton take turns: calls
/// both once for each second of the duration, with a second and a directory of
/// their own.
template <class Raw, class Ours>
void in_turn(const bench_options& options, Raw raw, Ours ours) {
  for (int round = 0; round < options.duration.count(); ++round) {
    auto place = options.directory + "/" + std::to_string(round);
    auto turn = options;
    turn.duration = std::chrono::seconds{1};
    turn.directory = place + "-raw";
    raw(turn);
    turn.directory = place + "-baton";
    ours(turn);
  }
}

std::vector<figure> append(const bench_options& options);
std::vector<figure> append_remote(const bench_options& options);
std::vector<figure> follow(const bench_options& options);
std::vector<figure> live(const bench_options& options);
std::vector<figure> sim(const bench_options& options);
std::vector<figure> tail(const bench_options& options);
std::vector<figure> takeover(const bench_options& options);

} // namespace baton::bench
