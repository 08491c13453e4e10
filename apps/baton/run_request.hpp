// SPDX-License-Identifier: MIT
// The body of `POST /v1/runs` for a `baton run`.
// Guarantees: it always names a run id, so that repeating the identical
//   request is safe when its answer was lost.
// Threads: a pure function of its input.
#pragma once

#include "apps/baton/verbs.hpp"
#include "messages/result.hpp"
#include "messages/wall_time.hpp"

#include <array>
#include <functional>
#include <string>

namespace baton::cli {

struct run_request_input {
  env_variables env;
  /// The daemon sees the caller's files.
  bool is_local = true;
  std::string caller_cwd;
  /// For an id of our own.
  wall_time now{};
  std::array<unsigned char, 10> random{};
  /// Reads --stdin; `-` is the caller's own stdin.
  std::function<result<std::string>(const std::string&)> read_file;
};

struct run_request {
  std::string id;
  std::string body;
};

/// What is wrong with the flags whatever daemon is asked.
status check_flags(const run_options& o);

result<run_request> make_run_request(const run_options& o,
                                     const run_request_input& in);

} // namespace baton::cli
