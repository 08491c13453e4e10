// SPDX-License-Identifier: MIT
#include "tests/crash/world.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>

namespace baton::crash_test {
namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;

constexpr auto retry_pause = 10ms;
/// A start waits for the disk: one took 78 s while the machine was busy with
/// what a build had left to write.
constexpr auto answer_patience = 300s;

} // namespace

// -- findings -----------------------------------------------------------------

void findings::add(std::string text) {
  std::unique_lock guard{mutex_};
  all_.push_back(std::move(text));
}

std::vector<std::string> findings::take() {
  std::unique_lock guard{mutex_};
  return std::exchange(all_, {});
}

// -- the daemon ---------------------------------------------------------------

void world::start(const std::string& crash_at) {
  std::vector<std::string> env;
  if (!crash_at.empty())
    env.push_back("BATON_CRASH_AT=" + crash_at);
  daemon_.begin({}, env);
}

bool world::wait_ready(millis patience) {
  auto ready = daemon_.wait_ready(patience);
  if (!ready)
    wrong_.add("batond did not become ready; its log: " + daemon_.log());
  return ready;
}

std::optional<int> world::wait_dead(millis patience) {
  wait_until([&] { return !daemon_.alive(); }, patience);
  return daemon_.life().exit();
}

void world::stop() {
  signal(SIGTERM);
  // That it takes no more than 10 s is judged where nothing else goes on: a
  // process that waits for a slow disk does not end.
  auto how = wait_dead(60s);
  if (how != 0)
    wrong_.add("SIGTERM: expected an exit with 0, found "
               + (how ? std::to_string(*how) : std::string{"none"}));
  kill9();
}

// -- requests -----------------------------------------------------------------

cli::http_client world::client() const {
  cli::client_options options;
  options.server.path = daemon_.socket();
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
  wrong_.add(request.method + " " + request.target
             + ": no answer in five minutes");
  return std::nullopt;
}

// -- around it ----------------------------------------------------------------

void world::open_gate() const {
  std::ofstream{gate()}.flush();
}

std::vector<pid_t> world::processes(std::string_view naming) const {
  auto out = test::processes_naming(daemon_.folder());
  std::erase_if(out, [&](pid_t pid) {
    auto line = content_of("/proc/" + std::to_string(pid) + "/cmdline");
    return pid == daemon_.pid() || line.find(naming) == line.npos;
  });
  return out;
}

std::vector<std::string> world::sandboxes() const {
  std::vector<std::string> out;
  std::error_code gone;
  for (fs::directory_iterator at{daemon_.data_dir() + "/sandboxes", gone}, end;
       !gone && at != end; at.increment(gone))
    if (at->path().filename() != "guards"
        && at->path().filename() != "instances")
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
