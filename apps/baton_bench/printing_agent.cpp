// SPDX-License-Identifier: MIT
#include "apps/baton_bench/printing_agent.hpp"

#include "apps/baton_bench/child_process.hpp"

#include <csignal>
#include <cstdlib>
#include <thread>

#include <unistd.h>

namespace baton::bench {
namespace {

constexpr std::size_t write_bytes = 64 * 1024;

/// Short, so that a million of them are quickly in the log.
std::string line_of(std::uint64_t n) {
  return "{\"n\":" + std::to_string(n) + "}\n";
}

bool write_all(const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    auto n = ::write(STDOUT_FILENO, bytes.data() + done, bytes.size() - done);
    if (n <= 0)
      return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

} // namespace

std::vector<std::string> printing_agent(std::uint64_t lines_at_once,
                                        std::chrono::microseconds interval) {
  return {program_path(), agent_word, std::to_string(::getpid()),
          std::to_string(lines_at_once), std::to_string(interval.count())};
}

int be_printing_agent(int argc, char** argv) {
  if (argc != 4)
    return 2;
  auto bench = static_cast<pid_t>(std::atoi(argv[1]));
  auto at_once = std::strtoull(argv[2], nullptr, 10);
  std::chrono::microseconds interval{std::atoi(argv[3])};
  std::string text;
  std::uint64_t n = 0;
  while (n < at_once) {
    text += line_of(++n);
    if (text.size() < write_bytes && n < at_once)
      continue;
    if (!write_all(text))
      return 1;
    text.clear();
  }
  // Nobody cancels the run of a benchmark that was killed.
  auto next = std::chrono::steady_clock::now();
  while (::kill(bench, 0) == 0 && write_all(line_of(++n))) {
    next += interval;
    std::this_thread::sleep_until(next);
  }
  return 0;
}

} // namespace baton::bench
