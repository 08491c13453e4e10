// SPDX-License-Identifier: MIT
#include "apps/baton_bench/child_process.hpp"

#include "apps/baton_bench/give_up.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <set>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace baton::bench {
namespace {

using clock = std::chrono::steady_clock;

/// Those that std::exit() must not leave behind.
struct living {
  std::set<pid_t> pids;

  ~living() {
    for (auto pid : pids) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }
};

living& all_living() {
  static living x;
  return x;
}

/// Settings of whoever runs the benchmark are not its own.
std::vector<char*> clean_environment() {
  std::vector<char*> out;
  for (auto** x = environ; *x != nullptr; ++x)
    if (!std::string_view{*x}.starts_with("BATON_"))
      out.push_back(*x);
  out.push_back(nullptr);
  return out;
}

[[noreturn]] void become(char* const* argv, char* const* env, int out, int log,
                         pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent)
    ::_exit(125);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::execve(argv[0], argv, env);
  ::_exit(127);
}

int left(clock::time_point until) {
  auto x = std::chrono::ceil<child_process::millis>(until - clock::now());
  return static_cast<int>(std::max<std::int64_t>(x.count(), 0));
}

std::chrono::nanoseconds read_clock(clockid_t which) {
  timespec x{};
  if (::clock_gettime(which, &x) != 0)
    give_up(std::string{"cannot read a CPU clock: "} + std::strerror(errno));
  return std::chrono::seconds{x.tv_sec} + std::chrono::nanoseconds{x.tv_nsec};
}

} // namespace

child_process::child_process(const std::vector<std::string>& argv,
                             const std::string& log) {
  all_living();
  std::vector<char*> words;
  for (const auto& x : argv)
    words.push_back(const_cast<char*>(x.c_str()));
  words.push_back(nullptr);
  auto env = clean_environment();
  int ends[2];
  auto log_fd =
    ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log_fd < 0 || ::pipe2(ends, O_CLOEXEC) != 0)
    give_up(log + ": " + std::strerror(errno));
  auto parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0)
    become(words.data(), env.data(), ends[1], log_fd, parent);
  ::close(ends[1]);
  ::close(log_fd);
  out_ = ends[0];
  if (pid_ < 0)
    give_up(argv[0] + ": " + std::strerror(errno));
  all_living().pids.insert(pid_);
}

child_process::~child_process() {
  ::close(out_);
  if (ended_)
    return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  all_living().pids.erase(pid_);
}

void child_process::send_signal(int number) const {
  if (!ended_)
    ::kill(pid_, number);
}

std::optional<std::string> child_process::read_line(millis patience) {
  auto until = clock::now() + patience;
  while (true) {
    if (auto at = read_.find('\n'); at != std::string::npos) {
      auto line = read_.substr(0, at);
      read_.erase(0, at + 1);
      return line;
    }
    pollfd waits{out_, POLLIN, 0};
    if (::poll(&waits, 1, left(until)) <= 0)
      return {};
    char buffer[4096];
    auto n = ::read(out_, buffer, sizeof(buffer));
    if (n <= 0)
      return {};
    read_.append(buffer, static_cast<std::size_t>(n));
  }
}

bool child_process::wait(millis patience) {
  if (ended_)
    return true;
  auto fd = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  if (fd < 0)
    give_up(std::string{"pidfd_open: "} + std::strerror(errno));
  pollfd waits{fd, POLLIN, 0};
  auto gone = ::poll(&waits, 1, static_cast<int>(patience.count())) > 0;
  ::close(fd);
  if (!gone)
    return false;
  ::waitpid(pid_, nullptr, 0);
  all_living().pids.erase(pid_);
  ended_ = true;
  return true;
}

std::chrono::nanoseconds child_process::cpu_time() const {
  clockid_t its{};
  if (::clock_getcpuclockid(pid_, &its) != 0)
    give_up("a process that was to be measured has ended");
  return read_clock(its);
}

std::chrono::nanoseconds own_cpu_time() {
  return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

std::string program_path() {
  return std::filesystem::read_symlink("/proc/self/exe").string();
}

std::string program_directory() {
  return std::filesystem::path{program_path()}.parent_path().string();
}

} // namespace baton::bench
