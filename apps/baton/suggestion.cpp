// SPDX-License-Identifier: MIT
#include "apps/baton/suggestion.hpp"

#include <algorithm>

namespace baton::cli {

namespace {

std::string_view bare(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  return word;
}

/// How many letters must be added, dropped, changed or swapped with their
/// neighbour.
std::size_t slips_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      auto change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

/// One in a short word, two in a long one: more is another word.
std::size_t slips_max(std::string_view word) {
  return word.size() < 6 ? 1 : 2;
}

} // namespace

std::string nearest(std::string_view word,
                    const std::vector<std::string>& known) {
  auto wanted = bare(word);
  std::string out;
  auto fewest = slips_max(wanted) + 1;
  for (const auto& one : known) {
    auto slips = slips_between(wanted, bare(one));
    // Single letters are one slip from each other: no hint in that.
    if (slips < fewest && bare(one).size() > 1) {
      fewest = slips;
      out = one;
    }
  }
  if (!out.empty() || wanted.size() < 2)
    return out;
  for (const auto& one : known)
    if (bare(one).starts_with(wanted))
      return one;
  return {};
}

std::string with_suggestion(const std::string& help, std::string_view word,
                            const std::vector<std::string>& known) {
  auto meant = nearest(word, known);
  return meant.empty() ? "(" + help + ")"
                       : "(did you mean " + meant + "? " + help + ")";
}

} // namespace baton::cli
