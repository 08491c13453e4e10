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
};

/// A disk's speed drifts within seconds, so raw and baton take turns: calls
/// both once for each second of the duration, with a second and a directory of
/// their own.
template <class Raw, class Ours>
void in_turn(const bench_options& options, Raw raw, Ours ours) {
  for (int round = 0; round < options.duration.count(); ++round) {
    auto place = options.directory + "/" + std::to_string(round);
    raw(bench_options{place + "-raw", std::chrono::seconds{1}});
    ours(bench_options{place + "-baton", std::chrono::seconds{1}});
  }
}

std::vector<figure> append(const bench_options& options);
std::vector<figure> follow(const bench_options& options);
std::vector<figure> tail(const bench_options& options);

} // namespace baton::bench
