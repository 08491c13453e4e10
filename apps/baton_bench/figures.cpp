// SPDX-License-Identifier: MIT
#include "apps/baton_bench/figures.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace baton::bench {
namespace {

std::string text_of(std::optional<double> x, int digits, const char* none) {
  if (!x)
    return none;
  char out[64];
  std::snprintf(out, sizeof(out), "%.*f", digits, *x);
  return out;
}

std::optional<double> ratio_of(const figure& x) {
  return x.raw ? std::optional{x.ratio()} : std::nullopt;
}

std::string verdict(const figure& x) {
  if (!x.bound)
    return "-";
  return std::string{x.higher_is_better ? ">= " : "<= "}
         + text_of(x.bound, 2, "") + (x.holds() ? " holds" : " MISSED");
}

} // namespace

double percentile(std::vector<double> samples, double share) {
  if (samples.empty())
    return 0;
  auto rank = std::ceil(share * static_cast<double>(samples.size()));
  auto at = std::max(static_cast<std::ptrdiff_t>(rank), std::ptrdiff_t{1}) - 1;
  auto i = samples.begin() + at;
  std::nth_element(samples.begin(), i, samples.end());
  return *i;
}

void print_table(const std::string& title, const std::vector<figure>& rows) {
  std::printf("%s\n  %-50s %12s %12s  %7s  %s\n", title.c_str(), "", "baton",
              "raw limit", "ratio", "bound");
  for (const auto& x : rows)
    std::printf("  %-50s %12.1f %12s  %7s  %s\n",
                (x.name + ", " + x.unit).c_str(), x.ours,
                text_of(x.raw, 1, "-").c_str(),
                text_of(ratio_of(x), 2, "-").c_str(), verdict(x).c_str());
  std::fflush(stdout);
}

void print_json(const std::string& bench, const std::vector<figure>& rows) {
  for (const auto& x : rows)
    std::printf("{\"bench\": \"%s\", \"figure\": \"%s\", \"unit\": \"%s\", "
                "\"baton\": %.3f, \"raw\": %s, \"ratio\": %s, "
                "\"bound\": %s, \"holds\": %s}\n",
                bench.c_str(), x.name.c_str(), x.unit.c_str(), x.ours,
                text_of(x.raw, 3, "null").c_str(),
                text_of(ratio_of(x), 4, "null").c_str(),
                text_of(x.bound, 2, "null").c_str(),
                x.holds() ? "true" : "false");
  std::fflush(stdout);
}

} // namespace baton::bench
