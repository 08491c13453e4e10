// SPDX-License-Identifier: MIT
#include "tests/crash/world.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace baton::crash_test {
namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;

constexpr auto retry_pause = 10ms;
constexpr auto answer_patience = 60s;

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& x : texts)
    out.push_back(x.data());
  out.push_back(nullptr);
  return out;
}

} // namespace

// -- waiting ------------------------------------------------------------------

void findings::add(std::string text) {
  std::unique_lock guard{mutex_};
  all_.push_back(std::move(text));
}

std::vector<std::string> findings::take() {
  std::unique_lock guard{mutex_};
  return std::exchange(all_, {});
}

void pause(millis time) {
  ::poll(nullptr, 0, static_cast<int>(time.count()));
}

bool wait_until(const std::function<bool()>& condition, millis patience) {
  auto until = clock::now() + patience;
  while (!condition()) {
    if (clock::now() > until)
      return false;
    pause(5ms);
  }
  return true;
}

std::string content_of(const std::string& path) {
  // Not through a stream buffer: it throws when a process ends under it.
  std::string out;
  auto* file = std::fopen(path.c_str(), "rb");
  std::array<char, 4096> piece;
  while (file != nullptr) {
    auto n = std::fread(piece.data(), 1, piece.size(), file);
    out.append(piece.data(), n);
    if (n < piece.size())
      break;
  }
  if (file != nullptr)
    std::fclose(file);
  return out;
}

std::string program(const std::string& name) {
  auto* folder = std::getenv("BATON_BIN_DIR");
  return std::string{folder != nullptr ? folder : BATON_BIN_DIR} + "/" + name;
}

// -- the daemon ---------------------------------------------------------------

world::~world() {
  kill9();
  for (auto pid : processes())
    ::kill(pid, SIGKILL);
}

void world::start(const std::string& crash_at) {
  std::vector<std::string> args{program("batond"), "--data-dir",  file("data"),
                                "--http",          "127.0.0.1:0", "--socket",
                                file("s")};
  std::vector<std::string> env{"HOME=" + dir_.path(), "PATH=/usr/bin:/bin"};
  if (!crash_at.empty())
    env.push_back("BATON_CRASH_AT=" + crash_at);
  for (auto* name : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"})
    if (auto* value = std::getenv(name))
      env.push_back(std::string{name} + "=" + value);
  auto argv = pointers(args);
  auto envp = pointers(env);
  auto log = file("batond." + std::to_string(++lives_) + ".log");
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, log.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
  auto error =
    ::posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), envp.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    pid_ = -1;
    wrong_.add("batond could not be executed: " + args[0]);
  }
}

bool world::wait_ready(millis patience) {
  auto ready = wait_until(
    [this] {
      auto answer = try_ask({"GET", "/readyz", {}, {}});
      return answer && answer->head.code == 200;
    },
    patience);
  if (!ready)
    wrong_.add("batond did not become ready; its log: "
               + content_of(file("batond." + std::to_string(lives_) + ".log")));
  return ready;
}

std::optional<int> world::wait_dead(millis patience) {
  int how = 0;
  auto dead = wait_until(
    [&] { return pid_ < 0 || ::waitpid(pid_, &how, WNOHANG) == pid_; },
    patience);
  if (!dead)
    return std::nullopt;
  pid_ = -1;
  return WIFEXITED(how) ? WEXITSTATUS(how) : -WTERMSIG(how);
}

void world::signal(int number) const {
  if (pid_ > 0)
    ::kill(pid_, number);
}

void world::kill9() {
  signal(SIGKILL);
  wait_dead(10s);
}

void world::stop() {
  signal(SIGTERM);
  auto how = wait_dead(10s);
  if (how != 0)
    wrong_.add("SIGTERM: expected an exit with 0 within 10 s, found "
               + (how ? std::to_string(*how) : std::string{"none"}));
  kill9();
}

// -- requests -----------------------------------------------------------------

cli::http_client world::client() const {
  cli::client_options options;
  options.server.path = file("s");
  options.connect_timeout = 2s;
  options.answer_timeout = 20s;
  return cli::http_client{options};
}

std::optional<cli::http_response>
world::try_ask(const cli::http_request& request) const {
  auto answer = client().send(request);
  if (!answer)
    return std::nullopt;
  return *std::move(answer);
}

std::optional<cli::http_response>
world::ask(const cli::http_request& request) const {
  auto until = clock::now() + answer_patience;
  while (clock::now() < until) {
    auto answer = try_ask(request);
    if (answer && answer->head.code != 503)
      return answer;
    pause(retry_pause);
  }
  wrong_.add(request.method + " " + request.target + ": no answer in a minute");
  return std::nullopt;
}

// -- around it ----------------------------------------------------------------

void world::open_gate() const {
  std::ofstream{gate()}.flush();
}

std::vector<pid_t> world::processes(std::string_view naming) const {
  std::vector<pid_t> out;
  std::error_code gone;
  for (fs::directory_iterator at{"/proc", gone}, end; !gone && at != end;
       at.increment(gone)) {
    auto name = at->path().filename().string();
    pid_t pid = 0;
    auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (parsed.ec != std::errc{} || pid == ::getpid() || pid == pid_)
      continue;
    // Empty for zombies.
    auto line = content_of("/proc/" + name + "/cmdline");
    if (line.find(dir_.path()) != line.npos && line.find(naming) != line.npos)
      out.push_back(pid);
  }
  return out;
}

std::vector<std::string> world::sandboxes() const {
  std::vector<std::string> out;
  std::error_code gone;
  for (fs::directory_iterator at{file("data/sandboxes"), gone}, end;
       !gone && at != end; at.increment(gone))
    if (at->path().filename() != "guards")
      out.push_back(at->path().filename());
  return out;
}

void world::expect_clean() const {
  if (!wait_until([&] { return processes().empty(); }, 10s))
    wrong_.add(std::to_string(processes().size())
               + " processes of shims or agents are left behind the last end");
  if (!wait_until([&] { return sandboxes().empty(); }, 10s))
    wrong_.add("the sandbox " + sandboxes().front()
               + " is left behind the end of its run");
}

} // namespace baton::crash_test
