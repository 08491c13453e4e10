// SPDX-License-Identifier: MIT
// The launch order as it travels from a provider to its shim, through a pipe.
//
// Guarantees: a cut or damaged order is recognised, so a launcher that dies
// while writing launches nothing.
// Threads: value type. Needs nothing but the standard library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace baton::sandbox {

/// What the shim makes before it starts the agent.
struct workspace_order {
  /// At most one of the two; empty: an empty folder.
  std::string git_url;
  std::string copied_folder;
  std::string git_ref;
  /// 0: the whole history.
  std::uint64_t git_depth = 1;
  bool install = false;
  /// Commands of one step run at the same time.
  std::vector<std::vector<std::string>> setup;
  /// Name, shell text; alternating.
  std::vector<std::string> scripts;
  /// `NAME=value` each.
  std::vector<std::string> secrets;
  /// For all of it together.
  std::uint64_t timeout_ms = 0;
  /// Of the definition, without the secrets.
  std::string hash;
  /// The shared instance to live in (shared_instance.hpp); empty: the
  /// sandbox's own folder.
  std::string instance;

  bool operator==(const workspace_order&) const = default;
};

/// All a shim needs to know. The environment is complete: the shim adds
/// nothing of its own.
struct shim_order {
  std::vector<std::string> argv;
  /// `NAME=value` each.
  std::vector<std::string> environment;
  /// Empty: the sandbox's own directory; relative: below it.
  std::string cwd;
  std::string stdin_bytes;
  std::string nonce;
  bool keep_processes = false;
  std::optional<workspace_order> workspace;

  bool operator==(const shim_order&) const = default;
};

std::string encode(const shim_order& order);

/// Nothing unless `bytes` is one whole order.
std::optional<shim_order> decode_shim_order(std::string_view bytes);

/// What the shim answers, as one line: the word, then for `failed` a space and
/// the reason.
constexpr std::string_view answer_launched = "launched";
constexpr std::string_view answer_already = "already";
constexpr std::string_view answer_failed = "failed";

} // namespace baton::sandbox
