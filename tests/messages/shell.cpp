// SPDX-License-Identifier: MIT
#include "tests/messages/shell.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace baton::test {

scratch_dir::scratch_dir() {
  auto pattern =
    (std::filesystem::temp_directory_path() / "baton-XXXXXX").string();
  BOOST_REQUIRE(mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

scratch_dir::~scratch_dir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<shell> shells(const scratch_dir& scratch) {
  std::vector<shell> out{{"/bin/sh", {"/bin/sh", "-c"}, ""}};
  std::string busybox;
  for (auto* candidate : {"/bin/busybox", "/usr/bin/busybox"})
    if (std::filesystem::exists(candidate))
      busybox = candidate;
  if (busybox.empty()) {
    BOOST_TEST_MESSAGE("busybox is not installed: only /bin/sh is tested");
    return out;
  }
  auto applets = scratch.at("applets");
  std::filesystem::create_directory(applets);
  run(out[0], busybox + " --install -s " + applets);
  out.push_back({"busybox sh", {busybox, "sh", "-c"}, applets});
  return out;
}

shell_process::shell_process(const shell& in, const std::string& command) {
  std::array<int, 2> pipe_ends{};
  BOOST_REQUIRE(pipe2(pipe_ends.data(), O_CLOEXEC) == 0);
  out_ = pipe_ends[0];
  auto argv = in.argv;
  argv.push_back(command);
  std::vector<char*> raw;
  for (auto& arg : argv)
    raw.push_back(arg.data());
  raw.push_back(nullptr);
  auto path = "PATH=" + in.path;
  std::vector<char*> environment{path.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  // As a provider that folds stderr into stdout would.
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDERR_FILENO);
  auto failed = posix_spawn(&pid_, raw[0], &actions, nullptr, raw.data(),
                            in.path.empty() ? environ : environment.data());
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  BOOST_REQUIRE(failed == 0);
}

shell_process::~shell_process() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(out_);
}

std::string shell_process::read(std::size_t bytes) {
  std::string out;
  while (out.size() < bytes) {
    pollfd wait{out_, POLLIN, 0};
    if (poll(&wait, 1, 20'000) <= 0)
      break;
    std::array<char, 65536> chunk;
    auto n =
      ::read(out_, chunk.data(), std::min(chunk.size(), bytes - out.size()));
    if (n <= 0)
      break;
    out.append(chunk.data(), static_cast<std::size_t>(n));
  }
  return out;
}

std::string run(const shell& in, const std::string& command) {
  return shell_process{in, command}.read(
    std::numeric_limits<std::size_t>::max());
}

bool wait_for(const std::function<bool()>& condition) {
  for (int tries = 0; tries < 4000; ++tries) {
    if (condition())
      return true;
    poll(nullptr, 0, 5);
  }
  return false;
}

void write_file(const std::string& path, std::string_view content) {
  std::ofstream out{path, std::ios::binary};
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  BOOST_REQUIRE(out.flush().good());
}

} // namespace baton::test
