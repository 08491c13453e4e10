// SPDX-License-Identifier: MIT
// Aligned columns for people.
// Threads: value type, no I/O.
#pragma once

#include "apps/baton/output.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace baton::cli {

enum class tint : unsigned char { none, dim, bold, red, green, yellow, cyan };

/// `text` in that colour where the terminal has colours.
std::string tinted(std::string_view text, tint colour, const terminal& term);

struct cell {
  std::string text;
  tint colour = tint::none;
};

class table {
public:
  explicit table(std::vector<std::string> titles)
    : titles_(std::move(titles)) {}

  /// As many cells as titles; with a `note`, a line of its own behind them.
  void add(std::vector<cell> row, std::string note = {});

  /// On a terminal the last column, and a note, is cut where the line would
  /// wrap.
  std::string render(const terminal& term) const;

private:
  struct line {
    std::vector<cell> cells;
    std::string note;
  };
  std::vector<std::string> titles_;
  std::vector<line> rows_;
};

} // namespace baton::cli
