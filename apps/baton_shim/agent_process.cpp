// SPDX-License-Identifier: MIT
#include "apps/baton_shim/agent_process.hpp"

#include "apps/baton_shim/confined_agent.hpp"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace baton::shim {
namespace {

using sandbox::unique_fd;

/// Exit codes of a shell for a command it cannot execute.
constexpr int code_not_found = 127;
constexpr int code_not_executable = 126;

enum class stage : int { set_up, enter_cwd, execute };

/// What the child tells its parent when it gets no further.
struct failure {
  stage at = stage::set_up;
  int error = 0;
};

/// Runs in the child, up to and including exec; returns only on failure.
failure become_agent(const std::string& cwd, mode_t umask_of_agent,
                     const agent_files& files, pid_t shim,
                     std::vector<char*>& argv, std::vector<char*>& env) {
  // First: until then the shim's death leaves a process that holds its locks.
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || ::setsid() < 0)
    return {stage::set_up, errno};
  // The shim may have died before that took effect.
  if (::getppid() != shim)
    ::_exit(code_not_executable);
  reset_signals();
  if (::dup2(files.stdin_fd.get(), 0) < 0
      || ::dup2(files.stdout_fd.get(), 1) < 0
      || ::dup2(files.stderr_fd.get(), 2) < 0)
    return {stage::set_up, errno};
  ::umask(umask_of_agent);
  if (::chdir(cwd.c_str()) < 0)
    return {stage::enter_cwd, errno};
  // execvp searches the PATH of `environ`, and that must be the agent's.
  environ = env.data();
  ::execvp(argv[0], argv.data());
  return {stage::execute, errno};
}

agent_start explain(const failure& f, const sandbox::shim_order& order,
                    const std::string& cwd, pid_t pid) {
  agent_start out;
  out.pid = pid;
  out.code = f.at == stage::execute && f.error == ENOENT ? code_not_found
                                                         : code_not_executable;
  std::string why = ::strerror(f.error);
  switch (f.at) {
  case stage::set_up:
    out.error = "the agent's process could not be set up: " + why;
    break;
  case stage::enter_cwd:
    out.error = "the working directory " + cwd + " cannot be entered: " + why
                + "; create it or name another one";
    break;
  case stage::execute:
    out.error = "the command " + order.argv[0] + " cannot be executed: " + why
                + "; check its name, its permissions and PATH";
    break;
  }
  return out;
}

} // namespace

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const auto& text : texts)
    out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

void reset_signals() {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (int n = 1; n < NSIG; ++n)
    ::sigaction(n, &action, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

agent_start start_agent(const sandbox::shim_order& order,
                        const std::string& cwd, mode_t umask_of_agent,
                        const agent_files& files) {
  if (!order.confined.empty())
    return start_confined_agent(order, cwd, umask_of_agent, files);
  auto argv = pointers(order.argv);
  auto env = pointers(order.environment);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) < 0)
    return explain({stage::set_up, errno}, order, cwd, 0);
  unique_fd read_end{ends[0]};
  unique_fd write_end{ends[1]};
  auto shim = ::getpid();
  auto pid = ::fork();
  if (pid < 0)
    return explain({stage::set_up, errno}, order, cwd, 0);
  if (pid == 0) {
    auto f = become_agent(cwd, umask_of_agent, files, shim, argv, env);
    [[maybe_unused]] auto n = ::write(write_end.get(), &f, sizeof(f));
    ::_exit(code_not_executable);
  }
  write_end.close();
  failure f;
  ssize_t n;
  do
    n = ::read(read_end.get(), &f, sizeof(f));
  while (n < 0 && errno == EINTR);
  if (n == static_cast<ssize_t>(sizeof(f)))
    return explain(f, order, cwd, pid);
  // The pipe was closed by exec.
  agent_start out;
  out.pid = pid;
  return out;
}

} // namespace baton::shim
