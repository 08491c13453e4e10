// SPDX-License-Identifier: MIT
#include "actors/sandbox/confinement.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace baton::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr std::array system_folders{"/usr", "/etc", "/opt"};
/// Links into /usr on a merged system, folders on others.
constexpr std::array system_links{"/bin",   "/sbin",  "/lib",
                                  "/lib32", "/lib64", "/libx32"};
/// Never the host's: they show its processes, its devices and its sockets.
constexpr std::array kernel_folders{"/proc", "/sys", "/dev", "/run"};
constexpr const char* resolver_file = "/etc/resolv.conf";

void hide_private(const std::string& folder, host_system& out) {
  std::error_code error;
  for (fs::directory_iterator at{folder, error}, end; !error && at != end;
       at.increment(error)) {
    struct stat info {};
    auto path = at->path().string();
    if (::lstat(path.c_str(), &info) < 0)
      continue;
    if (S_ISREG(info.st_mode) && (info.st_mode & S_IROTH) == 0)
      out.hidden_files.push_back(path);
    else if (S_ISDIR(info.st_mode) && (info.st_mode & S_IXOTH) == 0)
      out.hidden_folders.push_back(path);
    else if (S_ISDIR(info.st_mode))
      hide_private(path, out);
  }
}

/// Where names are looked up is often told by a link to a file elsewhere.
void add_resolver(host_system& out) {
  std::error_code error;
  auto file = fs::canonical(resolver_file, error).string();
  if (!error && std::ranges::none_of(out.folders, [&](const auto& folder) {
        return holds(folder, file);
      }))
    out.files.push_back(file);
}

void append(std::vector<std::string>& out,
            std::initializer_list<std::string> more) {
  out.insert(out.end(), more);
}

bool is_shown(const std::string& path, const host_system& host) {
  return std::ranges::any_of(
    host.folders, [&](const auto& folder) { return holds(folder, path); });
}

void hide(std::vector<std::string>& out,
          const std::vector<std::string>& folders,
          const std::vector<std::string>& files, const host_system& host) {
  for (const auto& folder : folders)
    if (is_shown(folder, host))
      append(out, {"--tmpfs", folder, "--remount-ro", folder});
  for (const auto& file : files)
    if (is_shown(file, host))
      append(out, {"--ro-bind", "/dev/null", file});
}

} // namespace

host_system look_at_host() {
  host_system out;
  std::error_code error;
  for (const auto* folder : system_folders)
    if (fs::is_directory(folder, error))
      out.folders.emplace_back(folder);
  for (const auto* path : system_links) {
    auto target = fs::read_symlink(path, error);
    if (!error)
      out.links.push_back({path, target.string()});
    else if (fs::is_directory(path, error))
      out.folders.emplace_back(path);
  }
  add_resolver(out);
  hide_private("/etc", out);
  std::ranges::sort(out.hidden_files);
  std::ranges::sort(out.hidden_folders);
  return out;
}

bool holds(std::string_view folder, std::string_view path) {
  if (folder == "/" || folder == path)
    return true;
  return path.size() > folder.size() && path.starts_with(folder)
         && path[folder.size()] == '/';
}

std::string why_not_bound(const std::string& folder, const host_system& host,
                          const std::vector<std::string>& secret) {
  std::string said = "the working directory " + folder;
  for (const auto& own : secret)
    if (holds(folder, own) || holds(own, folder))
      return said + " would show the agent the daemon's own files in " + own
             + "; name a folder apart from it";
  for (const auto* kernel : kernel_folders)
    if (holds(folder, kernel) || holds(kernel, folder))
      return said + " would show the agent " + kernel
             + " of this host; name another folder";
  for (const auto& system : host.folders)
    if (holds(folder, system))
      return said + " would let the agent write to " + system
             + " of this host; name a folder below it";
  return {};
}

std::vector<std::string> confinement_prefix(const confinement& what,
                                            const host_system& host) {
  // Without --disable-userns, since agents confine their own tools likewise.
  std::vector<std::string> out{what.bwrap,
                               "--unshare-user",
                               "--unshare-pid",
                               "--unshare-ipc",
                               "--unshare-uts",
                               "--cap-drop",
                               "ALL",
                               "--new-session",
                               "--unshare-cgroup-try",
                               "--die-with-parent"};
  if (!what.network)
    append(out, {"--unshare-net"});
  for (const auto& folder : host.folders)
    append(out, {"--ro-bind", folder, folder});
  for (const auto& link : host.links)
    append(out, {"--symlink", link.target, link.path});
  for (const auto& file : host.files)
    append(out, {"--ro-bind", file, file});
  hide(out, host.hidden_folders, host.hidden_files, host);
  hide(out, what.hidden_folders, what.hidden_files, host);
  append(out, {"--proc", "/proc", "--dev", "/dev"});
  append(out, {"--bind", what.tmp, "/tmp", "--symlink", "../tmp", "/var/tmp"});
  append(out, {"--bind", what.workspace, std::string{confined_workspace}});
  if (!what.cwd.empty()) {
    append(out, {"--bind", what.cwd_source, what.cwd_source});
    // A link on the way to it is no link inside.
    if (what.cwd != what.cwd_source && !is_shown(what.cwd, host))
      append(out, {"--bind", what.cwd_source, what.cwd});
  }
  append(out, {"--ro-bind", what.shim, std::string{confined_shim}});
  append(out, {"--remount-ro", "/"});
  return out;
}

std::vector<std::string> confine_command(const std::vector<std::string>& prefix,
                                         const std::string& cwd,
                                         const std::vector<std::string>& argv) {
  if (prefix.empty())
    return argv;
  auto out = prefix;
  append(out, {"--chdir", cwd, "--"});
  out.insert(out.end(), argv.begin(), argv.end());
  return out;
}

std::vector<std::string> confine_agent(const std::vector<std::string>& prefix) {
  auto out = prefix;
  append(out, {"--as-pid-1", "--", std::string{confined_shim},
               std::string{confined_shim_option}});
  return out;
}

} // namespace baton::sandbox
