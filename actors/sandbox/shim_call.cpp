// SPDX-License-Identifier: MIT
#include "actors/sandbox/shim_call.hpp"

#include "actors/sandbox/posix_status.hpp"
#include "actors/sandbox/process_tree.hpp"
#include "actors/sandbox/unique_fd.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace baton::sandbox {
namespace {

/// Starts the program with `channel` as its stdin and stdout, no environment,
/// default signals. Returns its pid, or an error number, negated.
pid_t spawn(const std::string& shim, const std::string& directory,
            int channel) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_adddup2(&actions, channel, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, channel, STDOUT_FILENO);
  sigset_t set;
  ::sigemptyset(&set);
  ::posix_spawnattr_setsigmask(&attributes, &set);
  ::sigfillset(&set);
  ::posix_spawnattr_setsigdefault(&attributes, &set);
  ::posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  char* argv[] = {const_cast<char*>("baton-shim"),
                  const_cast<char*>(directory.c_str()), nullptr};
  char* env[] = {nullptr};
  pid_t pid = 0;
  auto error =
    ::posix_spawn(&pid, shim.c_str(), &actions, &attributes, argv, env);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  return error == 0 ? pid : -error;
}

/// Waits until `fd` is ready for `events`; false when the time is over.
bool wait_for(int fd, short events, std::int64_t give_up_at) {
  for (;;) {
    auto left = give_up_at - monotonic_ms();
    if (left <= 0)
      return false;
    pollfd watched{fd, events, 0};
    auto n = ::poll(&watched, 1, static_cast<int>(left));
    if (n > 0)
      return true;
    if (n < 0 && errno != EINTR)
      return false;
  }
}

bool send_all(int fd, std::string_view bytes, std::int64_t give_up_at) {
  while (!bytes.empty()) {
    auto n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
      continue;
    }
    if (errno != EINTR
        && (errno != EAGAIN || !wait_for(fd, POLLOUT, give_up_at)))
      return false;
  }
  return ::shutdown(fd, SHUT_WR) == 0;
}

/// What the shim wrote up to its first newline; without one, when it ended or
/// the time is over.
std::string receive_line(int fd, std::int64_t give_up_at) {
  std::string out;
  char buffer[1024];
  while (wait_for(fd, POLLIN, give_up_at)) {
    auto n = ::recv(fd, buffer, sizeof(buffer), 0);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (n <= 0)
      break;
    out.append(buffer, static_cast<std::size_t>(n));
    if (out.find('\n') != std::string::npos)
      break;
  }
  return out;
}

} // namespace

result<std::string> call_shim(const std::string& shim,
                              const std::string& directory,
                              std::string_view order, int timeout_ms) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
    return io_status("no channel to a shim can be made");
  unique_fd ours{ends[0]};
  unique_fd theirs{ends[1]};
  auto pid = spawn(shim, directory, theirs.get());
  if (pid < 0)
    return {errc::launch_failed,
            io_status("the shim " + shim + " cannot be started", -pid).message};
  theirs.close();
  ::fcntl(ours.get(), F_SETFL, O_NONBLOCK);
  auto give_up_at = monotonic_ms() + timeout_ms;
  auto sent = send_all(ours.get(), order, give_up_at);
  auto answer = receive_line(ours.get(), give_up_at);
  auto end = answer.find('\n');
  // The process we started ends as soon as it has left our session, before
  // any answer; without an answer it may hang.
  if (end == std::string::npos)
    ::kill(pid, SIGKILL);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (end != std::string::npos)
    return answer.substr(0, end);
  return {errc::outcome_unknown,
          "the shim for " + directory + " gave no answer within "
            + std::to_string(timeout_ms) + " ms"
            + (sent ? "" : " and did not take its whole order")
            + "; launch again, the guard keeps it from running twice"};
}

} // namespace baton::sandbox
