// SPDX-License-Identifier: MIT
// crash_agent NOTES SEED LINES PACE_MS GATE_AT GATE ENDING: the agent of the
// crash tests.
//
// Notes each launch as a line of the file NOTES, prints the lines of
// agent_output.hpp in pieces, one every PACE_MS, and waits before line GATE_AT
// until there is a file GATE. ENDING: `plain`, `bare` (the last words lack
// their newline) or `forever` (prints until it is killed).
#include "tests/crash/agent_output.hpp"

#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace {

using namespace baton::crash_test;

void write_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    auto n = ::write(fd, data, size);
    if (n <= 0)
      std::_Exit(9);
    data += n;
    size -= static_cast<std::size_t>(n);
  }
}

void note(const std::string& path, const std::string& line) {
  auto fd =
    ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  write_all(fd, line.data(), line.size());
  ::close(fd);
}

void print(const std::string& line) {
  // In two pieces: a crash must find lines that are half there.
  auto cut = line.size() / 2;
  write_all(STDOUT_FILENO, line.data(), cut);
  write_all(STDOUT_FILENO, line.data() + cut, line.size() - cut);
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 8)
    return 2;
  std::string notes = argv[1];
  auto seed = std::strtoull(argv[2], nullptr, 10);
  auto lines = std::strtoull(argv[3], nullptr, 10);
  auto pace_ms = static_cast<int>(std::strtol(argv[4], nullptr, 10));
  auto gate_at = std::strtoull(argv[5], nullptr, 10);
  std::string gate = argv[6];
  std::string ending = argv[7];
  note(notes, "launched\n");
  for (std::uint64_t i = 0; i < lines || ending == "forever"; ++i) {
    while (i == gate_at && ::access(gate.c_str(), F_OK) != 0)
      ::poll(nullptr, 0, 5);
    print(agent_line(seed, i));
    if (pace_ms > 0)
      ::poll(nullptr, 0, pace_ms);
  }
  if (ending == "bare")
    print("the last words");
  note(notes + ".done", "done\n");
  return 0;
}
