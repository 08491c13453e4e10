// SPDX-License-Identifier: MIT
#include "apps/baton_shim/confined_agent.hpp"

#include "actors/sandbox/confinement.hpp"
#include "actors/sandbox/process_tree.hpp"
#include "apps/baton_shim/inner_shim.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace baton::shim {
namespace {

using sandbox::unique_fd;

constexpr int code_not_executable = 126;
/// Mounts are made in milliseconds; one that takes so long hangs on a file
/// system that does not answer.
constexpr int set_up_timeout_ms = 30'000;
constexpr std::size_t complaint_bytes_max = 1000;

struct channels {
  unique_fd report_read;
  unique_fd report_write;
  unique_fd complaints;
  unique_fd order;
};

bool write_whole(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    auto n = ::write(fd, bytes.data(), bytes.size());
    if (n <= 0)
      return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool open(channels& out, const sandbox::shim_order& order,
          const std::string& cwd) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) < 0)
    return false;
  out.report_read = unique_fd{ends[0]};
  out.report_write = unique_fd{ends[1]};
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  out.complaints = unique_fd{::memfd_create("complaints", MFD_CLOEXEC)};
  out.order = unique_fd{::memfd_create("order", MFD_CLOEXEC)};
  // Of all that the order says, what the inside needs to know.
  sandbox::shim_order inner;
  inner.argv = order.argv;
  inner.cwd = cwd;
  return out.complaints.ok() && out.order.ok()
         && write_whole(out.order.get(), encode(inner));
}

/// Gives the new process descriptors 0 to 5 and no other. The copies keep one
/// that stands in another's place from being lost.
bool arrange(const agent_files& files, const channels& ours) {
  int wanted[] = {files.stdin_fd.get(),    files.stdout_fd.get(),
                  ours.complaints.get(),   files.stderr_fd.get(),
                  ours.report_write.get(), ours.order.get()};
  constexpr int first_free = inner_order_fd + 1;
  for (int& fd : wanted)
    if (fd = ::fcntl(fd, F_DUPFD_CLOEXEC, first_free); fd < 0)
      return false;
  for (int to = 0; to < first_free; ++to)
    if (::dup2(wanted[to], to) < 0)
      return false;
  return true;
}

/// Runs in the child, up to and including exec; returns only on failure.
void become_bwrap(std::vector<char*>& argv, std::vector<char*>& env,
                  const agent_files& files, const channels& ours,
                  mode_t umask_of_agent, pid_t shim) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || ::getppid() != shim)
    return;
  reset_signals();
  // Whoever asks the tree to end must not end its confinement, which would
  // leave the agent no time.
  for (auto number : {SIGTERM, SIGINT, SIGHUP})
    ::signal(number, SIG_IGN);
  if (::setsid() < 0 || !arrange(files, ours))
    return;
  ::umask(umask_of_agent);
  ::execve(argv[0], argv.data(), env.data());
}

/// The last line, which says what went wrong.
std::string complaint_in(int fd) {
  std::string text(4096, '\0');
  auto n = ::pread(fd, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  while (text.ends_with('\n'))
    text.pop_back();
  if (auto at = text.rfind('\n'); at != std::string::npos)
    text.erase(0, at + 1);
  return text.substr(0, complaint_bytes_max);
}

agent_start set_up_failed(const std::string& bwrap, const std::string& why) {
  agent_start out;
  out.code = code_not_executable;
  out.error = "the sandbox could not be set up by " + bwrap + ": "
              + (why.empty() ? "it said nothing" : why)
              + "; install the Debian package bubblewrap and allow "
                "unprivileged user namespaces, or ask for the sandbox 'local'";
  return out;
}

/// Waits for the first report; nothing when none can come, or not in time.
std::optional<inner_report> first_of(inner_reports& reports) {
  auto give_up_at = sandbox::monotonic_ms() + set_up_timeout_ms;
  for (;;) {
    if (auto got = reports.next())
      return got;
    auto left = give_up_at - sandbox::monotonic_ms();
    if (reports.fd() < 0 || left <= 0)
      return std::nullopt;
    pollfd watched{reports.fd(), POLLIN, 0};
    ::poll(&watched, 1, static_cast<int>(left));
  }
}

} // namespace

agent_start start_confined_agent(const sandbox::shim_order& order,
                                 const std::string& cwd, mode_t umask_of_agent,
                                 const agent_files& files) {
  auto texts = sandbox::confine_agent(order.confined);
  auto argv = pointers(texts);
  auto env = pointers(order.environment);
  channels ours;
  if (!open(ours, order, cwd))
    return set_up_failed(texts[0], ::strerror(errno));
  auto shim = ::getpid();
  auto pid = ::fork();
  if (pid < 0)
    return set_up_failed(texts[0], ::strerror(errno));
  if (pid == 0) {
    become_bwrap(argv, env, files, ours, umask_of_agent, shim);
    ::dprintf(ours.complaints.get(), "it cannot be executed: %s\n",
              ::strerror(errno));
    ::_exit(code_not_executable);
  }
  ours.report_write.close();
  inner_reports reports{std::move(ours.report_read)};
  auto first = first_of(reports);
  agent_start out;
  if (!first) {
    // One that hangs is no use to anybody.
    ::kill(pid, SIGKILL);
    out = set_up_failed(texts[0], complaint_in(ours.complaints.get()));
  } else if (first->kind == inner_report::what::failed) {
    out.code = first->value;
    out.error = first->text;
  }
  out.pid = pid;
  out.reports = std::move(reports);
  return out;
}

} // namespace baton::shim
