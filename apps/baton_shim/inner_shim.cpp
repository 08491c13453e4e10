// SPDX-License-Identifier: MIT
#include "apps/baton_shim/inner_shim.hpp"

#include "apps/baton_shim/agent_process.hpp"
#include "apps/baton_shim/inner_report.hpp"

#include <fcntl.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace baton::shim {
namespace {

using sandbox::unique_fd;

constexpr int exit_usage = 2;

void tell(const inner_report& report) {
  auto line = encode(report);
  [[maybe_unused]] auto n = ::write(inner_report_fd, line.data(), line.size());
}

/// The kernel ends us with the shim outside, but only from the moment on when
/// bubblewrap has asked for it.
bool outer_shim_is_gone() {
  pollfd pipe{inner_report_fd, 0, 0};
  return ::poll(&pipe, 1, 0) > 0 && (pipe.revents & (POLLERR | POLLNVAL)) != 0;
}

unique_fd copy_of(int fd) {
  return unique_fd{::fcntl(fd, F_DUPFD_CLOEXEC, inner_order_fd + 1)};
}

std::string read_all(int fd) {
  std::string out;
  char buffer[16384];
  ssize_t n;
  while (
    (n = ::pread(fd, buffer, sizeof(buffer), static_cast<off_t>(out.size())))
    > 0)
    out.append(buffer, static_cast<std::size_t>(n));
  return out;
}

/// The environment comes through bubblewrap, and is the agent's.
std::optional<sandbox::shim_order> take_order() {
  auto out = sandbox::decode_shim_order(read_all(inner_order_fd));
  ::close(inner_order_fd);
  if (!out)
    return out;
  // bubblewrap has put its own working directory there.
  constexpr std::string_view pwd = "PWD=";
  for (char** at = environ; *at != nullptr; ++at)
    if (!std::string_view{*at}.starts_with(pwd))
      out->environment.emplace_back(*at);
  out->environment.push_back(std::string{pwd} + out->cwd);
  return out;
}

/// The agent's files are the agent's alone.
void let_go_of_output() {
  auto null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd <= 2; ++fd)
    ::dup2(null, fd);
}

/// Until nobody is left. Its own end would be the end of all.
void collect(pid_t main) {
  for (;;) {
    int status = 0;
    auto pid = ::waitpid(-1, &status, 0);
    if (pid == main)
      tell({inner_report::what::ended, status, {}});
    if (pid < 0 && errno != EINTR)
      return;
  }
}

} // namespace

int run_inner_shim() {
  ::prctl(PR_SET_DUMPABLE, 0);
  ::signal(SIGPIPE, SIG_IGN);
  auto order = ::getpid() == 1 ? take_order() : std::nullopt;
  if (!order) {
    std::fputs("baton-shim: --inside is for the first process of a "
               "confinement that a shim makes\n",
               stderr);
    return exit_usage;
  }
  ::fcntl(inner_report_fd, F_SETFD, FD_CLOEXEC);
  ::close_range(inner_order_fd, UINT_MAX, 0);
  if (outer_shim_is_gone())
    return exit_usage;
  // The daemon's keys are none of the agent's.
  ::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr);
  auto umask_of_agent = ::umask(077);
  agent_files files{copy_of(0), copy_of(1), copy_of(inner_stderr_fd)};
  ::close(inner_stderr_fd);
  auto start = start_agent(*order, order->cwd, umask_of_agent, files);
  files = {};
  let_go_of_output();
  if (start.error.empty())
    tell({});
  else
    tell({inner_report::what::failed, start.code, start.error});
  collect(start.pid);
  return 0;
}

} // namespace baton::shim
