// SPDX-License-Identifier: MIT
#include "apps/baton_shim/agent_watch.hpp"

#include "actors/sandbox/process_tree.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace baton::shim {
namespace {

/// Between two rounds of killing: killed processes need a moment to be gone.
constexpr std::int64_t force_pause_ms = 5;
/// What is then still there is no confinement, or none that obeys the kernel:
/// half a second.
constexpr int confined_rounds_max = 100;

} // namespace

agent_watch::agent_watch(sandbox_files& files, bool confined)
  : files_(files),
    confined_(confined),
    plan_(confined ? sandbox::ending_plan::confined_grace_ms
                   : sandbox::ending_plan::grace_ms) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  // SIGTERM is how a machine that shuts down asks; the others mean terminals,
  // which are none of ours.
  sigset_t wanted;
  ::sigemptyset(&wanted);
  ::sigaddset(&wanted, SIGCHLD);
  ::sigaddset(&wanted, SIGTERM);
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  signals_ =
    sandbox::unique_fd{::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK)};
}

sandbox::exit_record agent_watch::until_end(agent_start& start, bool keep) {
  for (;;) {
    bool any_left = collect(start);
    if (!any_left || (keep && main_status_ && !kill_requested_))
      break;
    end_tree();
    wait(start.reports.fd());
    hear(start.reports);
  }
  sandbox::exit_record out;
  if (!start.error.empty()) {
    out.code = start.code;
    out.launch_error = start.error;
  } else if (main_status_ && WIFSIGNALED(*main_status_)) {
    out.signal = WTERMSIG(*main_status_);
    out.code = 128 + *out.signal;
  } else if (main_status_) {
    out.code = WEXITSTATUS(*main_status_);
  }
  return out;
}

bool agent_watch::collect(agent_start& start) {
  for (;;) {
    int status = 0;
    auto pid = ::waitpid(-1, &status, WNOHANG);
    if (pid < 0 && errno == EINTR)
      continue;
    if (pid < 0)
      return false;
    if (pid == 0)
      return true;
    if (pid == start.pid) {
      // Bubblewrap's own status is worth less than what came from inside.
      hear(start.reports);
      if (!main_status_)
        main_status_ = status;
      plan_.on_main_exit(sandbox::monotonic_ms());
    }
  }
}

void agent_watch::hear(inner_reports& reports) {
  while (auto report = reports.next())
    if (report->kind == inner_report::what::ended) {
      main_status_ = report->value;
      plan_.on_main_exit(sandbox::monotonic_ms());
    }
}

void agent_watch::wait(int reports) {
  auto now = sandbox::monotonic_ms();
  int timeout = -1;
  if (auto at = plan_.next_at(); at != sandbox::ending_plan::never)
    timeout = static_cast<int>(std::max(at - now, force_pause_ms));
  pollfd watched[3] = {{signals_.get(), POLLIN, 0},
                       {files_.control(), POLLIN, 0},
                       {reports, POLLIN, 0}};
  ::poll(watched, 3, timeout);
  bool kill = files_.read_kill_request();
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof(info)) > 0)
    kill = kill || info.ssi_signo == SIGTERM;
  if (kill) {
    kill_requested_ = true;
    plan_.on_kill(sandbox::monotonic_ms());
  }
}

void agent_watch::end_tree() {
  auto self = ::getpid();
  switch (plan_.step(sandbox::monotonic_ms())) {
  case sandbox::ending_step::wait:
    return;
  case sandbox::ending_step::ask:
    sandbox::signal_descendants(self, SIGTERM);
    // A stopped process hears nothing until it goes on.
    sandbox::signal_descendants(self, SIGCONT);
    return;
  case sandbox::ending_step::force:
    force(self);
    return;
  }
}

void agent_watch::force(pid_t self) {
  if (!confined_ || ++confined_rounds_ > confined_rounds_max) {
    sandbox::kill_descendants(self);
    return;
  }
  // Our children are bubblewraps, and theirs the first processes of namespaces:
  // with each the kernel ends all that live there. Bubblewrap must not tell
  // that in its own words, as an exit code.
  for (auto outer : sandbox::children_of(self)) {
    ::kill(outer, SIGSTOP);
    for (auto first : sandbox::children_of(outer))
      ::kill(first, SIGKILL);
    ::kill(outer, SIGKILL);
  }
}

} // namespace baton::shim
