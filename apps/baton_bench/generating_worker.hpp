// SPDX-License-Identifier: MIT
// A worker of a batond, in a process of its own, whose agents are those of
// generated_journal.hpp.
#pragma once

#include "apps/baton_bench/child_process.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace baton::bench {

/// The first argument by which baton-bench knows that it is to be the worker.
constexpr const char* worker_word = "generate-lines";

struct worker_flags {
  std::string name;
  std::string cluster_address;
  std::string log;
  /// 0: endless journals.
  std::chrono::milliseconds interval{0};
};

/// Returns when it has joined.
std::unique_ptr<child_process> start_generating_worker(const worker_flags& x);

/// argv[0] is worker_word.
int be_generating_worker(int argc, char** argv);

} // namespace baton::bench
