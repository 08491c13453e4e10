// SPDX-License-Identifier: MIT
// The rules of the tree that no compiler checks: sizes, layers, file heads,
// tests that must exist, calls that would cost us determinism.
// Guarantees: each finding names the place and what to do instead.
// Threads: pure functions of the files.
#pragma once

#include "tests/tidy/source_file.hpp"

#include <string>
#include <vector>

namespace baton::tidy {

struct finding {
  /// As in allowances.hpp.
  std::string rule;
  std::string path;
  /// 0: the file as a whole.
  int line = 0;
  std::string what;
};

/// `path:line: what [rule]`, as editors understand it.
std::string to_string(const finding& x);

/// Everything that breaks a rule in these files, exceptions included.
std::vector<finding> find_all(const std::vector<source_file>& files);

/// Without what the allowances cover, and with one finding for each allowance
/// that covers nothing.
std::vector<finding> apply_allowances(std::vector<finding> findings);

} // namespace baton::tidy
