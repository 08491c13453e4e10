// SPDX-License-Identifier: MIT
// baton-demo-view: shows an agent's output on its standard input as it comes,
// one short line for each of its lines.
#include "apps/demo_view/summary.hpp"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include <sys/ioctl.h>
#include <unistd.h>

namespace {

constexpr std::size_t columns_default = 100;
constexpr std::size_t kind_columns = 16;
/// Number, kind and the blanks between.
constexpr std::size_t head_columns = 7 + kind_columns + 2;

bool wants_colour() {
  return ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
}

std::size_t terminal_columns() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 40)
    return size.ws_col;
  return columns_default;
}

const char* colour_of(const baton::demo::summary& x) {
  if (x.failure)
    return "\033[31m";
  if (x.kind.starts_with("assistant") || x.kind == "thinking")
    return "\033[1m";
  if (x.kind == "tool_use")
    return "\033[36m";
  if (x.kind.starts_with("result"))
    return "\033[32m";
  return "\033[2m";
}

void show(std::size_t number, const std::string& line, bool colour) {
  auto x = baton::demo::summarise(line);
  auto kind = baton::demo::fit(x.kind, kind_columns);
  auto words = baton::demo::fit(x.words, terminal_columns() - head_columns);
  std::printf("%s%6zu  %-*s %s%s\n", colour ? colour_of(x) : "", number,
              static_cast<int>(kind_columns), kind.c_str(), words.c_str(),
              colour ? "\033[0m" : "");
  std::fflush(stdout);
}

} // namespace

int main() {
  auto colour = wants_colour();
  std::string line;
  for (std::size_t number = 1; std::getline(std::cin, line); ++number)
    show(number, line, colour);
}
