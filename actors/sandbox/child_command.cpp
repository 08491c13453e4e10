// SPDX-License-Identifier: MIT
#include "actors/sandbox/child_command.hpp"

#include "actors/sandbox/agent_environment.hpp"
#include "actors/sandbox/posix_status.hpp"
#include "actors/sandbox/process_tree.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>

namespace baton::sandbox {
namespace {

/// How often a stop, a timeout and the end are looked for.
constexpr int poll_ms = 20;
constexpr int kill_rounds_max = 20;

/// Names one command among all of this host.
constexpr const char* command_variable = "BATON_COMMAND";

std::string fresh_mark() {
  static std::atomic<unsigned> count{0};
  return std::to_string(::getpid()) + "-" + std::to_string(monotonic_ms()) + "-"
         + std::to_string(++count);
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const auto& text : texts)
    out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

/// A socket pair rather than a pipe: writing to one that is closed can be told
/// not to raise SIGPIPE.
bool make_channel(unique_fd& ours, unique_fd& theirs) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
    return false;
  ours = unique_fd{ends[0]};
  theirs = unique_fd{ends[1]};
  return ::fcntl(ours.get(), F_SETFL, O_NONBLOCK) == 0;
}

int spawn(pid_t& pid, const command_request& request,
          const std::vector<std::string>& env, const int (&fds)[3]) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  for (int i = 0; i < 3; ++i)
    ::posix_spawn_file_actions_adddup2(&actions, fds[i], i);
  ::posix_spawn_file_actions_addchdir_np(&actions, request.cwd.c_str());
  sigset_t set;
  ::sigemptyset(&set);
  ::posix_spawnattr_setsigmask(&attributes, &set);
  ::sigfillset(&set);
  ::posix_spawnattr_setsigdefault(&attributes, &set);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK
                                            | POSIX_SPAWN_SETSIGDEF
                                            | POSIX_SPAWN_SETSID);
  auto argv = pointers(request.argv);
  auto envp = pointers(env);
  auto error = ::posix_spawnp(&pid, argv[0], &actions, &attributes, argv.data(),
                              envp.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  return error;
}

/// Sends what fits; closes the stream when all is sent or nobody reads.
void feed(unique_fd& in, std::string_view& rest) {
  if (!in.ok())
    return;
  auto n =
    rest.empty() ? 0 : ::send(in.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
  if (n > 0)
    rest.remove_prefix(static_cast<std::size_t>(n));
  if (rest.empty() || (n < 0 && errno != EAGAIN && errno != EINTR))
    in.close();
}

/// Takes what is there; closes the stream at its end.
void drain(unique_fd& stream, std::string& into, std::size_t bytes_max,
           bool& truncated) {
  char buffer[16384];
  while (stream.ok()) {
    auto n = ::recv(stream.get(), buffer, sizeof(buffer), 0);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && errno == EAGAIN)
      return;
    if (n <= 0) {
      stream.close();
      return;
    }
    auto kept = std::min(static_cast<std::size_t>(n), bytes_max - into.size());
    into.append(buffer, kept);
    truncated = truncated || kept < static_cast<std::size_t>(n);
  }
}

} // namespace

result<std::unique_ptr<child_command>>
child_command::start(const command_request& request,
                     const std::string& sandbox_directory) {
  if (request.argv.empty())
    return {errc::malformed, "the command is empty; give a program to run"};
  std::unique_ptr<child_command> out{new child_command};
  auto name = fresh_mark();
  out->mark_ = std::string{command_variable} + "=" + name;
  auto wanted = request.env;
  wanted[command_variable] = name;
  auto env = agent_environment(own_environment(), wanted, sandbox_directory);
  if (!env)
    return env.error();
  unique_fd theirs[3];
  if (!make_channel(out->in_, theirs[0]) || !make_channel(out->out_, theirs[1])
      || !make_channel(out->err_, theirs[2]))
    return io_status("no streams can be made for a command");
  auto error = spawn(out->pid_, request, *env,
                     {theirs[0].get(), theirs[1].get(), theirs[2].get()});
  if (error != 0) {
    out->pid_ = 0;
    return {errc::launch_failed,
            io_status("the command " + request.argv[0]
                        + " cannot be started in " + request.cwd,
                      error)
              .message};
  }
  return out;
}

child_command::~child_command() {
  if (pid_ == 0 || ended())
    return;
  kill();
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void child_command::kill() {
  for (int round = 0; round < kill_rounds_max; ++round)
    if (kill_processes_with_variable(mark_) == 0)
      return;
}

std::optional<int> child_command::ended() {
  int status = 0;
  if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_)
    status_ = status;
  return status_;
}

result<command_result>
run_command_to_end(const command_request& request,
                   const std::string& sandbox_directory) {
  auto begin = monotonic_ms();
  auto child = child_command::start(request, sandbox_directory);
  if (!child)
    return child.error();
  auto& running = **child;
  command_result out;
  std::string_view rest{request.stdin_bytes};
  for (;;) {
    feed(running.in(), rest);
    auto status = running.ended();
    drain(running.out(), out.out, request.output_bytes_max, out.truncated);
    drain(running.err(), out.err, request.output_bytes_max, out.truncated);
    if (status) {
      if (WIFSIGNALED(*status))
        out.signal = WTERMSIG(*status);
      out.code = out.signal ? 128 + *out.signal : WEXITSTATUS(*status);
      return out;
    }
    bool late =
      request.timeout_ms > 0 && monotonic_ms() - begin >= request.timeout_ms;
    if (late || request.stop.stop_requested()) {
      (late ? out.timed_out : out.stopped) = true;
      running.kill();
    }
    pollfd watched[3] = {{running.out().get(), POLLIN, 0},
                         {running.err().get(), POLLIN, 0},
                         {running.in().get(), POLLOUT, 0}};
    ::poll(watched, 3, poll_ms);
  }
}

} // namespace baton::sandbox
