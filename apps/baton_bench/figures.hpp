// SPDX-License-Identifier: MIT
// What a benchmark prints: a figure beside the raw limit that the same run
// measured, and the bound their ratio is held to.
#pragma once

#include <string>
#include <vector>

namespace baton::bench {

struct figure {
  std::string name;
  std::string unit;
  double ours = 0;
  /// What the bare hardware did in the same run.
  double raw = 0;
  /// True when more is better: ratio >= bound; else ratio <= bound.
  bool higher_is_better = true;
  double bound = 0;

  double ratio() const { return raw == 0 ? 0 : ours / raw; }
  bool holds() const {
    return higher_is_better ? ratio() >= bound : ratio() <= bound;
  }
};

/// The value below which `share` of the samples lie.
double percentile(std::vector<double> samples, double share);

void print_table(const std::string& title, const std::vector<figure>& rows);
/// One object a line.
void print_json(const std::string& bench, const std::vector<figure>& rows);

} // namespace baton::bench
