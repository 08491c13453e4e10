// SPDX-License-Identifier: MIT
// The launch order as it travels from a provider to its shim, through a pipe.
//
// Guarantees: a cut or damaged order is recognised, so a launcher that dies
// while writing launches nothing.
// Threads: value type. Needs nothing but the standard library.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace baton::sandbox {

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
  /// Stands in front of every command line that is executed for the run
  /// (confinement.hpp); empty: nothing is confined.
  std::vector<std::string> confined;

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
