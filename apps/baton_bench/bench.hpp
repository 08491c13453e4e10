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

std::vector<figure> append(const bench_options& options);
std::vector<figure> follow(const bench_options& options);
std::vector<figure> tail(const bench_options& options);

} // namespace baton::bench
