// SPDX-License-Identifier: MIT
// baton-shim DIR: launches one agent in the sandbox DIR, stays with it to its
// end, and leaves the truth about it.
//
// Reads a launch order from stdin to its end (launch_format.hpp), leaves the
// launcher's session, answers one line on stdout, and lives on as the agent's
// parent. Everything the launcher must know later is in DIR
// (sandbox_layout.hpp): the lock, the exit record, the control pipe.
#include "actors/sandbox/confinement.hpp"
#include "actors/sandbox/launch_format.hpp"
#include "actors/sandbox/sandbox_layout.hpp"
#include "apps/baton_shim/agent_watch.hpp"
#include "apps/baton_shim/inner_shim.hpp"
#include "apps/baton_shim/preparation.hpp"
#include "apps/baton_shim/sandbox_files.hpp"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <optional>
#include <string>
#include <string_view>

namespace {

using namespace baton;

constexpr int exit_usage = 2;
/// What programs that start others give for a failure of their own.
constexpr int code_not_prepared = 125;

std::string read_to_end(int fd) {
  std::string out;
  char buffer[16384];
  for (;;) {
    auto n = ::read(fd, buffer, sizeof(buffer));
    if (n > 0)
      out.append(buffer, static_cast<std::size_t>(n));
    else if (n == 0 || errno != EINTR)
      return out;
  }
}

void say(std::string_view word, std::string_view why = {}) {
  std::string line{word};
  if (!why.empty())
    line += " " + std::string{why};
  line += '\n';
  // A launcher that is gone needs no answer.
  [[maybe_unused]] auto n = ::write(STDOUT_FILENO, line.data(), line.size());
}

/// Leaves the launcher's session for good; the launcher's child ends here.
void daemonise() {
  for (int i = 0; i < 2; ++i) {
    auto pid = ::fork();
    if (pid < 0) {
      say(sandbox::answer_failed,
          std::string{"no process could be made: "} + ::strerror(errno));
      ::_exit(1);
    }
    if (pid > 0)
      ::_exit(0);
    if (i == 0)
      ::setsid();
  }
}

/// The launcher waits for the end of our output: give it, and keep nothing of
/// the launcher's open.
void let_go_of_launcher() {
  auto null = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= 2; ++fd)
    ::dup2(null, fd);
  if (null > 2)
    ::close(null);
}

std::string absolute_cwd(const std::string& wanted, const std::string& work) {
  if (wanted.empty())
    return work;
  return wanted.front() == '/' ? wanted : work + "/" + wanted;
}

/// How a run ends that never came to its agent.
sandbox::exit_record without_agent(const shim::preparation& workspace,
                                   shim::prepared how) {
  sandbox::exit_record out;
  if (how == shim::prepared::killed) {
    out.signal = SIGTERM;
    out.code = 128 + SIGTERM;
    return out;
  }
  out.code = code_not_prepared;
  out.cause = workspace.cause();
  out.launch_error = workspace.error();
  return out;
}

/// Preparing takes minutes, so the launcher has its answer first.
void launch_in_workspace(sandbox::shim_order& order, shim::sandbox_files& files,
                         shim::agent_watch& watch, mode_t umask_of_agent) {
  say(sandbox::answer_launched);
  let_go_of_launcher();
  shim::preparation workspace{order, files, umask_of_agent};
  sandbox::exit_record record;
  if (auto how = workspace.run(); how != shim::prepared::ready) {
    record = without_agent(workspace, how);
  } else {
    order.environment = workspace.environment();
    auto start =
      shim::start_agent(order, absolute_cwd(order.cwd, workspace.work()),
                        umask_of_agent, files.for_agent());
    files.release_agent_files();
    record = watch.until_end(start, order.keep_processes);
  }
  files.release_agent_files();
  files.mask_output(workspace.secrets());
  files.finish(std::move(record), order.nonce, order.keep_processes);
}

int launch(const sandbox::sandbox_place& place, sandbox::shim_order order,
           mode_t umask_of_agent) {
  shim::sandbox_files files{place};
  auto got = files.prepare(order.stdin_bytes, !order.confined.empty());
  if (got == shim::take_result::taken)
    got = files.take_guard();
  if (got == shim::take_result::already) {
    say(sandbox::answer_already);
    return 0;
  }
  if (got == shim::take_result::failed) {
    say(sandbox::answer_failed, files.error());
    return 1;
  }
  order.stdin_bytes = {};
  shim::agent_watch watch{files, !order.confined.empty()};
  if (order.workspace) {
    launch_in_workspace(order, files, watch, umask_of_agent);
    return 0;
  }
  auto cwd = absolute_cwd(order.cwd, files.work_directory());
  auto start = shim::start_agent(order, cwd, umask_of_agent, files.for_agent());
  files.release_agent_files();
  say(sandbox::answer_launched);
  let_go_of_launcher();
  auto record = watch.until_end(start, order.keep_processes);
  files.finish(std::move(record), order.nonce, order.keep_processes);
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc > 1 && argv[1] == sandbox::confined_shim_option)
    return shim::run_inner_shim();
  // First of all: nobody but root looks into the memory that will hold the
  // nonce.
  ::prctl(PR_SET_DUMPABLE, 0);
  ::signal(SIGPIPE, SIG_IGN);
  ::close_range(3, UINT_MAX, 0);
  auto place = argc == 2 ? sandbox::parse_sandbox_id(argv[1]) : std::nullopt;
  if (!place) {
    say(sandbox::answer_failed, "usage: baton-shim DIR, an absolute path; the "
                                "launch order comes on stdin");
    return exit_usage;
  }
  auto order = sandbox::decode_shim_order(read_to_end(STDIN_FILENO));
  if (!order) {
    say(sandbox::answer_failed, "the launch order is cut or not one of this "
                                "version; nothing was launched");
    return exit_usage;
  }
  auto umask_of_agent = ::umask(077);
  if (::chdir("/") < 0)
    return 1;
  daemonise();
  auto code = launch(*place, std::move(*order), umask_of_agent);
  ::_exit(code);
}
