// SPDX-License-Identifier: MIT
// baton-demo-agent: an agent without a model. It prints a script with natural
// pauses, for demos and tests that need an agent's output and its timing but
// no account.
#include "apps/demo_agent/script.hpp"

#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include <unistd.h>

namespace {

struct options {
  double speed = 1;
  std::size_t lines = baton::demo::story_lines_default;
  std::string replay;
  double seconds_max = 30;
  std::string pid_file;
};

int complain(const std::string& what, const std::string& why) {
  std::fprintf(stderr, "baton-demo-agent: %s: %s\n", what.c_str(), why.c_str());
  return 2;
}

bool read_file(const std::string& path, std::string& out) {
  std::ifstream in{path, std::ios::binary};
  if (!in)
    return false;
  out.assign(std::istreambuf_iterator<char>{in}, {});
  return !in.bad();
}

bool write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    auto n = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

/// One write a line, but every fifth line in two, as a slow writer would:
/// readers must not take the first half for a line.
bool perform(const baton::demo::script& what, double speed) {
  std::size_t number = 0;
  for (const auto& x : what) {
    auto pause = [&](double share) {
      if (speed > 0)
        std::this_thread::sleep_for(x.pause_before * (share / speed));
    };
    std::string_view bytes = x.bytes;
    auto first = ++number % 5 == 0 ? bytes.size() / 2 : bytes.size();
    pause(0.8);
    if (!write_all(bytes.substr(0, first)))
      return false;
    pause(0.2);
    if (!write_all(bytes.substr(first)))
      return false;
  }
  return true;
}

int run(const options& o) {
  baton::demo::script what;
  if (o.replay.empty()) {
    what = baton::demo::story(o.lines);
  } else {
    std::string recording;
    if (!read_file(o.replay, recording))
      return complain("cannot read " + o.replay, std::strerror(errno));
    auto length = static_cast<long>(o.seconds_max * 1'000);
    what = baton::demo::replay(recording, std::chrono::milliseconds{length});
  }
  if (!o.pid_file.empty()) {
    std::ofstream out{o.pid_file, std::ios::app};
    out << ::getpid() << '\n';
    if (!out.flush())
      return complain("cannot write " + o.pid_file, std::strerror(errno));
  }
  if (!perform(what, o.speed))
    return complain("cannot write to stdout", std::strerror(errno));
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  options o;
  CLI::App app{"Prints what a coding agent might print, the same bytes every "
               "time, with natural pauses.",
               "baton-demo-agent"};
  app.add_option("--speed", o.speed, "times as fast; 0: without pauses")
    ->check(CLI::NonNegativeNumber)
    ->capture_default_str();
  auto* lines =
    app.add_option("--lines", o.lines, "length of the story")
      ->check(CLI::Range(baton::demo::story_lines_min, std::size_t{10'000'000}))
      ->capture_default_str();
  app
    .add_option("--replay", o.replay,
                "print this recorded file instead, byte for byte")
    ->excludes(lines);
  app
    .add_option("--seconds", o.seconds_max,
                "longest time for a replay at speed 1")
    ->check(CLI::Range(0.0, 86'400.0))
    ->capture_default_str();
  app.add_option("--pid-file", o.pid_file,
                 "append the process id here before the first line");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return run(o);
}
