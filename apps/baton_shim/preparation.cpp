// SPDX-License-Identifier: MIT
#include "apps/baton_shim/preparation.hpp"

#include "actors/sandbox/confinement.hpp"
#include "actors/sandbox/process_tree.hpp"
#include "actors/sandbox/remove_tree.hpp"
#include "actors/sandbox/sandbox_layout.hpp"
#include "actors/sandbox/secret_masking.hpp"
#include "actors/sandbox/setup_script.hpp"
#include "actors/sandbox/source_commands.hpp"
#include "apps/baton_shim/workspace_files.hpp"
#include "messages/git_url.hpp"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace baton::shim {
namespace {

using arguments = std::vector<std::string>;
using sandbox::unique_fd;

constexpr const char* workspace_failed = "workspace_failed";
constexpr const char* setup_failed = "setup_failed";

/// Of what a failed command said, for the message.
constexpr std::size_t quoted_bytes_max = 1000;
constexpr std::size_t command_bytes_max = 80;
/// Of what one source command said, for stderr.
constexpr std::size_t output_bytes_max = 256 * 1024;
/// Whoever makes a shared workspace may take its whole time, and some more to
/// end what hangs.
constexpr std::int64_t wait_spare_ms = 30'000;
constexpr int lock_poll_ms = 20;
constexpr int kill_rounds_max = 20;
/// A shell's code for a command that is not there.
constexpr int code_not_found = 127;

std::int64_t later(std::uint64_t ms) {
  return sandbox::monotonic_ms() + static_cast<std::int64_t>(ms);
}

std::string reason(int error) {
  return ::strerror(error);
}

std::string ending_with(const std::string& said) {
  return said.empty() ? "" : "; its output ends with: " + said;
}

unique_fd duplicate(const unique_fd& fd) {
  return unique_fd{::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3)};
}

unique_fd nothing_to_read() {
  return unique_fd{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
}

} // namespace

preparation::preparation(const sandbox::shim_order& order, sandbox_files& files,
                         mode_t umask_of_agent)
  : order_(order),
    wanted_(*order.workspace),
    files_(files),
    umask_of_agent_(umask_of_agent) {
  auto all = wanted_.secrets;
  all.push_back("URL=" + std::string{secret_of_url(wanted_.git_url)});
  secrets_ = sandbox::values_of(all);
}

prepared preparation::run() {
  if (!files_.open_setup_output())
    return fail(workspace_failed,
                "the file for the set-up's output cannot be made: "
                  + reason(errno));
  if (wanted_.instance.empty()) {
    work_ = files_.work_directory();
    return make();
  }
  auto place = sandbox::parse_instance_id(wanted_.instance);
  if (!place)
    return fail(workspace_failed, "the shared workspace " + wanted_.instance
                                    + " is not the path of one");
  work_ = place->file(sandbox::work_folder);
  return enter(*place);
}

arguments preparation::environment() const {
  auto out = sandbox::with_variables(order_.environment, wanted_.secrets);
  if (!wanted_.instance.empty())
    out = sandbox::with_variables(
      std::move(out),
      {std::string{sandbox::instance_variable} + "=" + wanted_.instance});
  if (!wanted_.scripts.empty())
    out =
      sandbox::with_path(std::move(out), work_inside() + "/" + scripts_folder);
  return out;
}

std::string preparation::work_inside() const {
  return order_.confined.empty() ? work_
                                 : std::string{sandbox::confined_workspace};
}

// -- a shared workspace -------------------------------------------------------

prepared preparation::enter(const sandbox::instance_place& place) {
  using sandbox::instance_step;
  using sandbox::lock_mode;
  setup_watch waiting{files_, later(wanted_.timeout_ms) + wait_spare_ms};
  for (;;) {
    auto seen = sandbox::look_at(place, lock_.held(), wanted_.hash);
    auto next = sandbox::next_step(seen);
    if (next == instance_step::bootstrap)
      return make_instance(place);
    if (next == instance_step::resume) {
      lock_.take(lock_mode::shared);
      return prepared::ready;
    }
    auto wanted =
      next == instance_step::own ? lock_mode::exclusive : lock_mode::shared;
    // Removed together with its folder by somebody else: the next round makes
    // it again.
    if (auto error = lock_.open(place, true); error != 0 && error != ENOENT)
      return fail(workspace_failed, "the shared workspace " + place.directory()
                                      + " cannot be used: " + reason(error));
    if (lock_.take(wanted))
      continue;
    if (auto how = waiting.pause(lock_poll_ms); how != child_end::ended)
      return stopped(waiting, how, workspace_failed,
                     "waiting for the shared workspace " + place.directory()
                       + ", which others make or live in,");
  }
}

prepared preparation::make_instance(const sandbox::instance_place& place) {
  // With the exclusive lock in hand nobody lives here: what has the mark was
  // left by a shim that was killed.
  for (int round = 0; round < kill_rounds_max; ++round)
    if (sandbox::kill_processes_with_variable(place.mark()) == 0)
      break;
  sandbox::remove_discarded(place);
  auto error =
    sandbox::remove_content(place.directory(), sandbox::instance_lock_file);
  if (error == 0 && ::mkdir(work_.c_str(), 0700) < 0)
    error = errno;
  auto out = error == 0 ? make()
                        : fail(workspace_failed,
                               "the shared workspace " + place.directory()
                                 + " cannot be made anew: " + reason(error));
  if (out == prepared::ready) {
    error = write_ready(place, wanted_.hash);
    if (error == 0 && lock_.take(sandbox::lock_mode::shared))
      return out;
    out =
      fail(workspace_failed, "the shared workspace " + place.directory()
                               + " cannot be made durable: " + reason(error));
    setup_watch{files_, 0}.kill_all();
  }
  sandbox::discard(place);
  lock_.let_go();
  return out;
}

// -- making it ----------------------------------------------------------------

prepared preparation::make() {
  setup_watch watch{files_, later(wanted_.timeout_ms)};
  if (auto out = bring_in(watch); out != prepared::ready)
    return out;
  if (auto error = write_scripts(work_, wanted_.scripts); error != 0)
    return fail(workspace_failed, "the scripts cannot be written below " + work_
                                    + ": " + reason(error));
  if (auto out = set_up(watch); out != prepared::ready)
    return out;
  if (wanted_.instance.empty())
    return prepared::ready;
  // `ready` must not outlive, in a power failure, what it speaks of. A command
  // of its own: whoever cancels need not wait for a slow disk.
  auto sync = start({{"sync", "-f", work_},
                     sandbox::source_environment(order_.environment),
                     {nothing_to_read(), duplicate(files_.setup_output()),
                      duplicate(files_.setup_output())}});
  auto end = watch.until_child_ends(sync.pid);
  return end.how == child_end::ended ? prepared::ready
                                     : stopped(watch, end.how, workspace_failed,
                                               "writing the workspace to disk");
}

prepared preparation::bring_in(setup_watch& watch) {
  auto environment = sandbox::source_environment(order_.environment);
  for (const auto& argv : sandbox::source_commands(wanted_, work_)) {
    auto said = memory_file({});
    auto begun = start({argv,
                        environment,
                        {nothing_to_read(), duplicate(said), duplicate(said)}});
    auto end = watch.until_child_ends(begun.pid);
    // It may quote the URL, password included.
    auto text = sandbox::without_secrets(
      tail_of(said.get(), 0, output_bytes_max), secrets_);
    files_.append_setup_output(text);
    auto source = sandbox::source_name(wanted_);
    if (end.how != child_end::ended)
      return stopped(watch, end.how, workspace_failed, "bringing in " + source);
    if (end.code == 0)
      continue;
    watch.kill_all();
    if (begun.code == code_not_found)
      return fail(workspace_failed,
                  source + " cannot be brought in: " + argv[0]
                    + " is not installed on this node; install the package "
                    + argv[0]);
    if (!begun.error.empty())
      return fail(workspace_failed,
                  source + " cannot be brought in: " + begun.error);
    return fail(
      workspace_failed,
      source + " cannot be brought in: " + argv[0] + " ended with code "
        + std::to_string(end.code)
        + " (check the name and what this node may read)"
        + ending_with(sandbox::safe_tail(text, secrets_, quoted_bytes_max)));
  }
  return prepared::ready;
}

std::vector<arguments> preparation::steps() const {
  auto out = wanted_.setup;
  if (wanted_.install)
    if (auto command = sandbox::install_command(names_in(work_)))
      out.insert(out.begin(), {*command});
  return out;
}

prepared preparation::set_up(setup_watch& watch) {
  auto all = steps();
  if (all.empty())
    return prepared::ready;
  auto report = memory_file({});
  auto offset = files_.setup_output_size();
  auto begun = start({sandbox::confine_command(order_.confined, work_inside(),
                                               sandbox::setup_shell()),
                      environment(),
                      {memory_file(sandbox::setup_script(all)),
                       duplicate(report), duplicate(files_.setup_output())}});
  auto end = watch.until_child_ends(begun.pid);
  auto text = tail_of(report.get(), 0, output_bytes_max);
  if (end.how != child_end::ended) {
    auto step = sandbox::last_step_of(text);
    auto out =
      stopped(watch, end.how, setup_failed, name_of_step(all, step, 0));
    if (out == prepared::failed)
      error_ += ending_with(said_by(step, all.size(), offset));
    return out;
  }
  auto failure = sandbox::read_setup_report(text, end.code);
  if (!failure)
    return prepared::ready;
  watch.kill_all();
  if (!begun.error.empty())
    return fail(setup_failed, "the set-up cannot be run: " + begun.error);
  return fail(setup_failed,
              name_of_step(all, failure->step, failure->command)
                + " ended with code " + std::to_string(failure->code)
                + ending_with(said_by(failure->step, all.size(), offset)));
}

// -- its parts ----------------------------------------------------------------

std::string preparation::name_of_step(const std::vector<arguments>& all,
                                      std::size_t step,
                                      std::size_t command) const {
  step = std::min(step, all.size() - 1);
  command = std::min(command, all[step].size() - 1);
  auto text = sandbox::without_secrets(all[step][command], secrets_);
  if (text.size() > command_bytes_max)
    text = text.substr(0, command_bytes_max) + "...";
  return "step " + std::to_string(step + 1) + " of "
         + std::to_string(all.size()) + " of the set-up, '" + text + "',";
}

std::string preparation::said_by(std::size_t step, std::size_t steps,
                                 std::int64_t offset) const {
  auto longest = secrets_.empty() ? 0 : secrets_.front().size();
  auto said = files_.setup_output_since(offset, quoted_bytes_max + longest);
  return sandbox::safe_tail(
    std::string{sandbox::said_by_step(said, step, steps)}, secrets_,
    quoted_bytes_max);
}

agent_start preparation::start(const child& what) {
  sandbox::shim_order as_agent;
  as_agent.argv = what.argv;
  as_agent.environment = what.environment;
  return start_agent(as_agent, work_, umask_of_agent_, what.files);
}

prepared preparation::stopped(setup_watch& watch, child_end how,
                              const char* cause, const std::string& what) {
  watch.kill_all();
  if (how == child_end::killed)
    return prepared::killed;
  return fail(cause, what + " took longer than "
                       + std::to_string(wanted_.timeout_ms)
                       + " ms and was ended; mend it or raise "
                         "setup_timeout_ms");
}

prepared preparation::fail(const char* cause, const std::string& error) {
  cause_ = cause;
  error_ = error;
  return prepared::failed;
}

} // namespace baton::shim
