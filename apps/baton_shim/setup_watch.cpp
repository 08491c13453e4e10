// SPDX-License-Identifier: MIT
#include "apps/baton_shim/setup_watch.hpp"

#include "actors/sandbox/process_tree.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace baton::shim {
namespace {

/// Between two rounds of killing: killed processes need a moment to be gone.
constexpr int kill_pause_ms = 5;
/// What poll() can be given.
constexpr std::int64_t wait_ms_max = 1'000'000;

/// A shell's code for what it cannot execute.
constexpr int code_no_process = 126;

int code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// The next child that has ended; 0: none has, -1: there is none.
pid_t next_ended(int& status) {
  pid_t pid;
  do
    pid = ::waitpid(-1, &status, WNOHANG);
  while (pid < 0 && errno == EINTR);
  return pid;
}

} // namespace

setup_watch::setup_watch(sandbox_files& files, std::int64_t give_up_at_ms)
  : files_(files), give_up_at_ms_(give_up_at_ms) {
  sigset_t wanted;
  ::sigemptyset(&wanted);
  ::sigaddset(&wanted, SIGCHLD);
  ::sigaddset(&wanted, SIGTERM);
  signals_ =
    sandbox::unique_fd{::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK)};
}

child_report setup_watch::until_child_ends(pid_t child) {
  if (child <= 0)
    return {child_end::ended, code_no_process};
  for (;;) {
    // Ahead of the look at the children: it takes their signals, too.
    auto killed = is_killed();
    int status = 0;
    for (auto pid = next_ended(status); pid > 0; pid = next_ended(status))
      if (pid == child)
        return {is_killed() ? child_end::killed : child_end::ended,
                code_of(status)};
    auto left = give_up_at_ms_ - sandbox::monotonic_ms();
    if (killed || left <= 0)
      return {killed ? child_end::killed : child_end::late, 0};
    wait(left);
  }
}

child_end setup_watch::pause(int ms) {
  wait(ms);
  if (is_killed())
    return child_end::killed;
  return sandbox::monotonic_ms() >= give_up_at_ms_ ? child_end::late
                                                   : child_end::ended;
}

void setup_watch::kill_all() {
  int status = 0;
  for (;;) {
    auto pid = next_ended(status);
    if (pid < 0)
      return;
    if (pid > 0)
      continue;
    sandbox::kill_descendants(::getpid());
    ::poll(nullptr, 0, kill_pause_ms);
  }
}

bool setup_watch::is_killed() {
  killed_ = files_.read_kill_request() || killed_;
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof(info)) > 0)
    killed_ = killed_ || info.ssi_signo == SIGTERM;
  return killed_;
}

void setup_watch::wait(std::int64_t ms) {
  pollfd watched[2] = {{signals_.get(), POLLIN, 0},
                       {files_.control(), POLLIN, 0}};
  ::poll(watched, 2, static_cast<int>(std::min(ms, wait_ms_max)));
}

} // namespace baton::shim
