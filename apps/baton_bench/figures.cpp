// SPDX-License-Identifier: MIT
#include "apps/baton_bench/figures.hpp"

#include <algorithm>
#include <cstdio>

namespace baton::bench {

double percentile(std::vector<double> samples, double share) {
  if (samples.empty())
    return 0;
  auto at =
    static_cast<std::size_t>(share * static_cast<double>(samples.size() - 1));
  auto i = samples.begin() + static_cast<std::ptrdiff_t>(at);
  std::nth_element(samples.begin(), i, samples.end());
  return *i;
}

void print_table(const std::string& title, const std::vector<figure>& rows) {
  std::printf("%s\n  %-42s %14s %14s  %7s  %s\n", title.c_str(), "", "baton",
              "raw limit", "ratio", "bound");
  for (const auto& x : rows)
    std::printf("  %-42s %14.1f %14.1f  %7.2f  %s %.2f %s\n",
                (x.name + ", " + x.unit).c_str(), x.ours, x.raw, x.ratio(),
                x.higher_is_better ? ">=" : "<=", x.bound,
                x.holds() ? "holds" : "MISSED");
  std::fflush(stdout);
}

void print_json(const std::string& bench, const std::vector<figure>& rows) {
  for (const auto& x : rows)
    std::printf("{\"bench\": \"%s\", \"figure\": \"%s\", \"unit\": \"%s\", "
                "\"baton\": %.3f, \"raw\": %.3f, \"ratio\": %.4f, "
                "\"bound\": %.2f, \"holds\": %s}\n",
                bench.c_str(), x.name.c_str(), x.unit.c_str(), x.ours, x.raw,
                x.ratio(), x.bound, x.holds() ? "true" : "false");
  std::fflush(stdout);
}

} // namespace baton::bench
