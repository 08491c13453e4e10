// SPDX-License-Identifier: MIT
// What a benchmark prints: a figure beside the raw limit that the same run
// measured, and the bound that their ratio is held to; where nothing raw can
// stand beside it, the figure itself is.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace baton::bench {

struct figure {
  std::string name;
  std::string unit;
  double ours = 0;
  /// What the bare hardware did in the same run; none: the bound is for `ours`.
  std::optional<double> raw;
  /// True when more is better.
  bool higher_is_better = true;
  /// None: only told.
  std::optional<double> bound;

  double ratio() const { return raw && *raw != 0 ? ours / *raw : 0; }
  bool holds() const {
    auto value = raw ? ratio() : ours;
    return !bound || (higher_is_better ? value >= *bound : value <= *bound);
  }
};

/// The smallest sample that `share` of them do not exceed.
double percentile(std::vector<double> samples, double share);

void print_table(const std::string& title, const std::vector<figure>& rows);
/// One object a line.
void print_json(const std::string& bench, const std::vector<figure>& rows);

} // namespace baton::bench
