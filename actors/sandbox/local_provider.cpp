// SPDX-License-Identifier: MIT
#include "actors/sandbox/local_provider.hpp"

#include "actors/sandbox/agent_environment.hpp"
#include "actors/sandbox/journal_file.hpp"
#include "actors/sandbox/launch_format.hpp"
#include "actors/sandbox/pipe_write.hpp"
#include "actors/sandbox/posix_status.hpp"
#include "actors/sandbox/process_tree.hpp"
#include "actors/sandbox/remove_tree.hpp"
#include "actors/sandbox/shared_instance.hpp"
#include "actors/sandbox/shim_call.hpp"
#include "actors/sandbox/shim_state.hpp"
#include "actors/sandbox/workspace_launch.hpp"
#include "messages/hex.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>

namespace baton::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view name_prefix = "run-";
constexpr int call_timeout_ms = 5000;
/// A shim needs 2 s to end a tree; one that took twice as long hangs.
constexpr std::int64_t hung_after_ms = 4000;
/// Leftovers die within milliseconds; what does not is met by the next call.
constexpr int force_rounds_max = 20;
constexpr std::size_t kill_notes_max = 10'000;
constexpr int remove_attempts_max = 5;

result<sandbox_place> place_of(const sandbox_binding& where) {
  if (auto place = parse_sandbox_id(where.id))
    return *place;
  return {errc::malformed, "the sandbox id '" + printable(where.id)
                             + "' is not the absolute path of a local sandbox"};
}

status no_instance(const std::string& id) {
  return make_status(errc::malformed,
                     "the shared workspace '" + printable(id)
                       + "' is not the absolute path of a local one");
}

result<std::string> find_shim(const std::string& wanted) {
  auto path = wanted;
  if (path.empty()) {
    auto env = own_environment();
    if (auto at = env.find("BATON_SHIM"); at != env.end())
      path = at->second;
  }
  if (path.empty()) {
    std::error_code error;
    auto self = fs::read_symlink("/proc/self/exe", error);
    path = self.parent_path() / "baton-shim";
  }
  if (::access(path.c_str(), X_OK) == 0)
    return path;
  return {errc::launch_failed,
          io_status("there is no shim at " + path
                    + " (install baton-shim there or set BATON_SHIM)")
            .message};
}

status make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error || ::access(path.c_str(), W_OK | X_OK) < 0)
    return io_status("the folder " + path + " cannot be used",
                     error ? error.value() : errno);
  return {};
}

std::string random_suffix() {
  std::array<char, 8> bytes{};
  auto n = ::getrandom(bytes.data(), bytes.size(), 0);
  BATON_CHECK(n == static_cast<ssize_t>(bytes.size()),
              "the kernel's random source works");
  return to_hex({bytes.data(), bytes.size()});
}

/// True when the shim's control pipe took the request.
bool ask_shim(const sandbox_place& place) {
  unique_fd fd{::open(place.file(control_file).c_str(),
                      O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)};
  struct stat info {};
  if (!fd.ok() || ::fstat(fd.get(), &info) < 0 || !S_ISFIFO(info.st_mode))
    return false;
  auto n = write_to_pipe(fd.get(), kill_command);
  // A full pipe holds requests enough.
  return n > 0 || errno == EAGAIN;
}

/// The number in a name that make_id() gave.
std::optional<run_no> number_in(std::string_view name) {
  if (!name.starts_with(name_prefix))
    return std::nullopt;
  name.remove_prefix(name_prefix.size());
  run_no out;
  auto [end, error] =
    std::from_chars(name.data(), name.data() + name.size(), out.value);
  if (error != std::errc{} || out.value == 0 || end == name.data() + name.size()
      || *end != '-')
    return std::nullopt;
  return out;
}

/// When the folder's own list of files changed; nothing when it is no folder.
std::optional<wall_time> changed_at(const std::string& folder) {
  struct stat info {};
  if (::lstat(folder.c_str(), &info) < 0 || !S_ISDIR(info.st_mode))
    return std::nullopt;
  return wall_time{std::chrono::seconds{info.st_mtim.tv_sec}};
}

/// When the guard was made; nothing when it is gone.
std::optional<wall_time> taken_at(const std::string& guard) {
  struct stat info {};
  if (::lstat(guard.c_str(), &info) < 0)
    return std::nullopt;
  return wall_time{std::chrono::seconds{info.st_mtim.tv_sec}};
}

/// The guards, by name, whose sandboxes are gone.
std::vector<std::string> lone_guards(const std::string& root) {
  std::vector<std::string> out;
  std::error_code error;
  for (fs::directory_iterator at{root + "/" + guards_folder, error}, last;
       !error && at != last; at.increment(error)) {
    std::string name = at->path().filename();
    struct stat info {};
    if (::lstat((root + "/" + name).c_str(), &info) < 0 && errno == ENOENT)
      out.push_back(std::move(name));
  }
  std::ranges::sort(out);
  return out;
}

} // namespace

// -- construction -------------------------------------------------------------

result<std::unique_ptr<local_provider>>
local_provider::open(local_options options) {
  if (auto bad = prepare(options); !bad.ok())
    return bad;
  return std::unique_ptr<local_provider>{
    new local_provider{std::move(options)}};
}

status local_provider::prepare(local_options& options) {
  auto shim = find_shim(options.shim);
  if (!shim)
    return shim.error();
  options.shim = *shim;
  if (!parse_sandbox_id(options.root + "/name"))
    return make_status(errc::malformed,
                       "the sandbox root '" + printable(options.root)
                         + "' is not an absolute path in plain form");
  if (auto made = make_folder(options.root + "/" + guards_folder); !made.ok())
    return made;
  ::chmod(options.root.c_str(), 0700);
  return {};
}

local_provider::local_provider(local_options options)
  : options_(std::move(options)),
    suffix_(random_suffix()),
    old_guards_(lone_guards(options_.root)),
    watcher_(journal_watcher::make()) {}

capabilities local_provider::can() const noexcept {
  capabilities out;
  out.fs = true;
  out.exec = true;
  out.env = true;
  out.background_processes = true;
  out.killable_processes = true;
  out.durable_filesystem = true;
  out.host_visible_journal = true;
  return out;
}

std::string local_provider::make_id(const run_id&, run_no no) const {
  return options_.root + "/" + std::string{name_prefix}
         + std::to_string(no.value) + "-" + suffix_;
}

std::string local_provider::make_instance_id(const instance_key& key) const {
  return options_.root + "/" + instances_folder + "/" + key.str();
}

// -- launching ----------------------------------------------------------------

result<launch_outcome> local_provider::launch(const launch_order& order) {
  auto place = place_of(order.where);
  if (!place)
    return place.error();
  auto translated = translate(order, *place);
  if (!translated)
    return translated.error();
  auto taken = was_launched(*place);
  if (!taken)
    return taken.error();
  if (*taken)
    return launch_outcome::already;
  auto directory = place->directory();
  bool created = ::mkdir(directory.c_str(), 0700) == 0;
  if (!created && errno != EEXIST)
    return io_status("the sandbox " + directory + " cannot be created");
  // The guard may have been taken, and the sandbox removed, since we looked;
  // then ours is an empty folder that nobody needs. One in use is not empty.
  if (created) {
    taken = was_launched(*place);
    if (taken && *taken) {
      ::rmdir(directory.c_str());
      return launch_outcome::already;
    }
  }
  auto out = call(*place, encode(*translated));
  if (created && !out)
    ::rmdir(directory.c_str());
  return out;
}

result<shim_order> local_provider::translate(const launch_order& order,
                                             const sandbox_place& place) const {
  if (order.network == false && !can().network_policy)
    return {errc::unsupported, "the sandbox '" + std::string{name()}
                                 + "' has the host's network and cannot do "
                                   "without; ask for the sandbox 'bwrap'"};
  auto env = agent_environment(own_environment(), order.env, place.directory());
  if (!env)
    return env.error();
  shim_order out;
  out.argv = order.command.argv;
  if (order.command.shell)
    out.argv.insert(out.argv.begin(), {"/bin/sh", "-c"});
  if (order.command.argv.empty() || order.command.argv[0].empty()
      || (order.command.shell && order.command.argv.size() != 1))
    return {errc::malformed, "the command is empty, or a shell text is not "
                             "one text; give a command"};
  for (const auto& text : out.argv)
    if (text.find('\0') != std::string::npos)
      return {errc::malformed, "the command '" + printable(text)
                                 + "' holds a zero byte; no program can be "
                                   "given one"};
  out.environment = std::move(*env);
  out.cwd = order.cwd;
  out.stdin_bytes = order.stdin_bytes;
  out.nonce = order.nonce;
  out.keep_processes = order.keep_processes;
  if (!order.where.shared_id.empty()
      && !parse_instance_id(order.where.shared_id))
    return no_instance(order.where.shared_id);
  auto workspace = workspace_for_shim(order, own_environment());
  if (!workspace)
    return workspace.error();
  out.workspace = *std::move(workspace);
  return out;
}

result<launch_outcome> local_provider::call(const sandbox_place& place,
                                            const std::string& order) {
  auto answer =
    call_shim(options_.shim, place.directory(), order, call_timeout_ms);
  if (!answer)
    return answer.error();
  if (*answer == answer_launched)
    return launch_outcome::launched;
  if (*answer == answer_already)
    return launch_outcome::already;
  auto why =
    answer->starts_with(answer_failed)
      ? answer->substr(std::min(answer_failed.size() + 1, answer->size()))
      : "the shim " + options_.shim + " answered '" + printable(*answer)
          + "', which is none of its answers";
  return {errc::launch_failed, why};
}

// -- observing ----------------------------------------------------------------

result<probe_report> local_provider::probe(const sandbox_binding& where) {
  auto place = place_of(where);
  if (!place)
    return place.error();
  auto out = probe_sandbox(*place);
  // An agent can stop its shim, which then would never tell the end.
  if (out && out->state == agent_state::alive)
    if (auto lock = shim_lock(*place);
        lock && *lock && is_stopped((*lock)->pid))
      ::kill((*lock)->pid, SIGCONT);
  return out;
}

result<std::unique_ptr<journal_source>>
local_provider::open_journal(const sandbox_binding& where,
                             std::function<void()> on_change) {
  auto place = place_of(where);
  if (!place)
    return place.error();
  return std::unique_ptr<journal_source>{std::make_unique<journal_file>(
    place->file(journal_file_name), watcher_, std::move(on_change))};
}

result<std::string> local_provider::stderr_tail(const sandbox_binding& where,
                                                std::size_t bytes_max) {
  auto place = place_of(where);
  if (!place)
    return place.error();
  auto path = place->file(stderr_file);
  unique_fd fd{
    ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  if (!fd.ok() && errno == ENOENT)
    return std::string{};
  struct stat info {};
  if (!fd.ok() || ::fstat(fd.get(), &info) < 0)
    return io_status("the agent's stderr " + path + " cannot be opened");
  auto size = static_cast<std::size_t>(info.st_size);
  std::string out(std::min(size, bytes_max), '\0');
  auto n = ::pread(fd.get(), out.data(), out.size(),
                   static_cast<off_t>(size - out.size()));
  if (n < 0)
    return io_status("the agent's stderr " + path + " cannot be read");
  out.resize(static_cast<std::size_t>(n));
  return out;
}

// -- ending -------------------------------------------------------------------

status local_provider::kill(const sandbox_binding& where) {
  auto place = place_of(where);
  if (!place)
    return place.error();
  // First the guard: a launch that is under way, and may be woken below, finds
  // it taken.
  auto taken = take_guard(*place);
  auto lock = shim_lock(*place);
  if (!lock)
    return lock.error();
  auto shim = *lock ? (*lock)->pid : 0;
  if (!taken.ok()) {
    // A shim without an agent must not wait for better times. Where nobody can
    // tell, there is no place for guards, and no launch either.
    auto launched = was_launched(*place);
    if (launched && !*launched) {
      ignore_result(force(*place, shim), "the guard is what counts");
      return taken;
    }
  }
  if (!*lock)
    return force(*place, 0);
  if (since_first_kill(where.id) >= hung_after_ms)
    return force(*place, shim);
  // A shim that somebody stopped could not obey; SIGTERM asks the same as the
  // control pipe, which an agent may have removed.
  if (shim > 0)
    ::kill(shim, SIGCONT);
  if (!ask_shim(*place) && shim > 0)
    ::kill(shim, SIGTERM);
  return {};
}

status local_provider::force(const sandbox_place& place, pid_t shim) {
  auto mark = std::string{sandbox_variable} + "=" + place.directory();
  for (int round = 0; round < force_rounds_max; ++round) {
    auto met = shim > 0 ? kill_descendants(shim) : std::size_t{0};
    met += kill_processes_with_variable(mark);
    if (met == 0)
      break;
  }
  // Last, since its children would go to init and out of sight.
  if (shim > 0)
    ::kill(shim, SIGKILL);
  std::unique_lock guard{mutex_};
  first_kill_ms_.erase(place.directory());
  return {};
}

std::int64_t local_provider::since_first_kill(const std::string& id) {
  auto now = monotonic_ms();
  std::unique_lock guard{mutex_};
  // Notes of sandboxes that ended by themselves are dropped in bulk; that only
  // makes a hanging one wait once more.
  if (first_kill_ms_.size() >= kill_notes_max)
    first_kill_ms_.clear();
  return now - first_kill_ms_.emplace(id, now).first->second;
}

status local_provider::remove(const sandbox_binding& where) {
  auto place = place_of(where);
  if (!place)
    return place.error();
  // Where not even the place for guards is left, there is nothing to remove
  // and nothing can start.
  std::error_code error;
  if (!fs::exists(place->guards(), error) && !error
      && !fs::exists(place->directory(), error) && !error)
    return {};
  // First the guard, then the question who lives: from here on nobody starts.
  if (auto taken = take_guard(*place); !taken.ok())
    return taken;
  auto lock = shim_lock(*place);
  if (!lock)
    return lock.error();
  if (*lock)
    return make_status(errc::in_use, "the sandbox " + place->directory()
                                       + " has a living agent; kill it first");
  auto directory = place->directory();
  int failure = 0;
  // Again for what others wrote meanwhile.
  for (int attempt = 0; attempt < remove_attempts_max; ++attempt)
    if (failure = remove_tree(directory); failure == 0)
      break;
  if (failure != 0)
    return io_status("the sandbox " + directory + " cannot be removed",
                     failure);
  std::unique_lock guard{mutex_};
  first_kill_ms_.erase(directory);
  return {};
}

status local_provider::forget(const sandbox_binding& where) {
  auto place = place_of(where);
  if (!place)
    return place.error();
  struct stat info {};
  if (::lstat(place->directory().c_str(), &info) == 0 || errno != ENOENT)
    return make_status(errc::in_use, "the launch guard " + place->guard()
                                       + " is needed while its sandbox is "
                                         "there; remove that first");
  if (::unlink(place->guard().c_str()) < 0 && errno != ENOENT)
    return io_status("the launch guard " + place->guard()
                     + " cannot be removed");
  return {};
}

status local_provider::destroy_instance(const std::string& shared_id) {
  auto place = parse_instance_id(shared_id);
  if (!place)
    return no_instance(shared_id);
  instance_lock lock;
  auto failure = lock.open(*place, false);
  if (failure != 0 && failure != ENOENT)
    return io_status("the shared workspace " + shared_id + " cannot be locked",
                     failure);
  if (failure == 0) {
    if (!lock.take(lock_mode::exclusive))
      return make_status(errc::unavailable,
                         "somebody lives in the shared workspace " + shared_id
                           + "; it goes when that run has ended");
    for (int round = 0; round < force_rounds_max; ++round)
      if (kill_processes_with_variable(place->mark()) == 0)
        break;
    failure = discard(*place);
  } else {
    failure = 0;
  }
  if (auto rest = remove_discarded(*place); failure == 0)
    failure = rest;
  if (failure != 0)
    return io_status("the shared workspace " + shared_id + " cannot be removed",
                     failure);
  return {};
}

result<std::vector<found_sandbox>> local_provider::list() {
  std::vector<found_sandbox> out;
  for (const auto& name : old_guards_)
    if (auto no = number_in(name))
      if (auto since =
            taken_at(options_.root + "/" + guards_folder + "/" + name))
        out.push_back(
          {{{}, options_.root + "/" + name, {}, {}}, *no, true, false, since});
  std::error_code error;
  for (fs::directory_iterator at{options_.root, error}, last;
       !error && at != last; at.increment(error)) {
    auto no = number_in(at->path().filename().native());
    if (!no)
      continue;
    if (auto changed = changed_at(at->path()))
      out.push_back({{{}, at->path(), {}, {}}, *no, false, false, changed});
  }
  if (error)
    return io_status("the sandboxes under " + options_.root
                       + " cannot be listed",
                     error.value());
  std::ranges::sort(out, {}, &found_sandbox::run);
  auto folder = options_.root + "/" + instances_folder;
  for (const auto& name : instances_in(folder)) {
    auto path = folder + "/" + name;
    out.push_back({{{}, {}, {}, path}, {}, false, true, changed_at(path)});
  }
  return out;
}

} // namespace baton::sandbox
