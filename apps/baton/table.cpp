// SPDX-License-Identifier: MIT
#include "apps/baton/table.hpp"

#include "apps/baton/text_width.hpp"
#include "messages/check.hpp"

#include <algorithm>
#include <utility>

namespace baton::cli {

namespace {

constexpr std::size_t gap = 3;

std::string_view code_of(tint colour) {
  switch (colour) {
  case tint::dim:
    return "\x1b[2m";
  case tint::bold:
    return "\x1b[1m";
  case tint::red:
    return "\x1b[31m";
  case tint::green:
    return "\x1b[32m";
  case tint::yellow:
    return "\x1b[33m";
  case tint::cyan:
    return "\x1b[36m";
  case tint::none:
    break;
  }
  return "";
}

} // namespace

std::string tinted(std::string_view text, tint colour, const terminal& term) {
  if (!term.has_colour || colour == tint::none || text.empty())
    return std::string{text};
  return std::string{code_of(colour)} + std::string{text} + "\x1b[0m";
}

void table::add(std::vector<cell> cells, std::string note) {
  BATON_CHECK(cells.size() == titles_.size(), "a table is rectangular");
  for (auto& x : cells)
    x.text = without_controls(x.text);
  rows_.push_back({std::move(cells), without_controls(note)});
}

std::string table::render(const terminal& term) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < titles_.size(); ++i) {
    widths.push_back(display_width(titles_[i]));
    for (auto& row : rows_)
      widths[i] = std::max(widths[i], display_width(row.cells[i].text));
  }
  std::string out;
  auto add_line = [&](auto&& text_of, auto&& colour_of) {
    std::size_t used = 0;
    for (std::size_t i = 0; i < titles_.size(); ++i) {
      auto is_last = i + 1 == titles_.size();
      std::string text = text_of(i);
      if (is_last && term.is_tty && used + 4 < term.columns)
        text = fit(text, term.columns - used);
      out += tinted(text, colour_of(i), term);
      if (!is_last)
        out.append(widths[i] - display_width(text) + gap, ' ');
      used += widths[i] + gap;
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  };
  add_line([&](std::size_t i) { return titles_[i]; },
           [](std::size_t) { return tint::bold; });
  for (auto& row : rows_) {
    add_line([&](std::size_t i) { return row.cells[i].text; },
             [&](std::size_t i) { return row.cells[i].colour; });
    if (row.note.empty())
      continue;
    auto note = std::string(gap, ' ') + row.note;
    out += tinted(term.is_tty ? fit(note, term.columns) : note, tint::dim, term)
           + "\n";
  }
  return out;
}

} // namespace baton::cli
