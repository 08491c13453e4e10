// SPDX-License-Identifier: MIT
#include "actors/sandbox/shared_instance.hpp"

#include "actors/sandbox/process_tree.hpp"
#include "actors/sandbox/remove_tree.hpp"
#include "actors/sandbox/sandbox_layout.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>

namespace baton::sandbox {
namespace {

/// `.NAME.gone-...`: no instance's name begins with a dot.
constexpr std::string_view gone = ".gone-";

std::vector<std::string> entries_of(const std::string& folder) {
  std::vector<std::string> out;
  auto* dir = ::opendir(folder.c_str());
  if (dir == nullptr)
    return out;
  while (auto* item = ::readdir(dir))
    out.emplace_back(item->d_name);
  ::closedir(dir);
  return out;
}

/// The instance whose discarded remains have that name.
std::optional<std::string> name_of_discarded(std::string_view entry) {
  auto at = entry.rfind(gone);
  if (!entry.starts_with('.') || at == entry.npos || at < 2)
    return std::nullopt;
  return std::string{entry.substr(1, at - 1)};
}

std::string content_of(const std::string& path) {
  unique_fd fd{
    ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  char buffer[512];
  auto n = fd.ok() ? ::read(fd.get(), buffer, sizeof(buffer)) : -1;
  return n > 0 ? std::string(buffer, static_cast<std::size_t>(n))
               : std::string{};
}

} // namespace

std::optional<instance_place> parse_instance_id(std::string_view id) {
  auto place = parse_sandbox_id(id);
  if (!place)
    return std::nullopt;
  auto parent = std::string_view{place->root};
  auto slash = parent.rfind('/');
  if (slash == 0 || parent.substr(slash + 1) != instances_folder)
    return std::nullopt;
  return instance_place{place->root, place->name};
}

std::string ready_text(std::string_view workspace_hash) {
  return "baton-workspace 1\nhash " + std::string{workspace_hash} + "\n";
}

instance_step next_step(const instance_view& seen) {
  auto is_there = seen.is_ready && seen.is_usable;
  if (seen.held == lock_mode::none)
    return is_there ? instance_step::share : instance_step::own;
  if (is_there)
    return instance_step::resume;
  return seen.held == lock_mode::exclusive ? instance_step::bootstrap
                                           : instance_step::own;
}

instance_view look_at(const instance_place& place, lock_mode held,
                      std::string_view workspace_hash) {
  struct stat work {};
  return {held,
          content_of(place.file(ready_file)) == ready_text(workspace_hash),
          ::lstat(place.file(work_folder).c_str(), &work) == 0
            && S_ISDIR(work.st_mode)};
}

// -- the lock -----------------------------------------------------------------

int instance_lock::open(const instance_place& place, bool create) {
  constexpr mode_t folder_mode = 0700;
  let_go();
  if (create) {
    ::mkdir(place.folder.c_str(), folder_mode);
    ::mkdir(place.directory().c_str(), folder_mode);
  }
  path_ = place.file(instance_lock_file);
  fd_ = unique_fd{
    ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
  return fd_.ok() ? 0 : errno;
}

bool instance_lock::is_current() const {
  struct stat ours {};
  struct stat named {};
  return ::fstat(fd_.get(), &ours) == 0 && ::lstat(path_.c_str(), &named) == 0
         && ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

bool instance_lock::take(lock_mode mode) {
  // Bound to the open file, not to the process, and changed in one step.
  struct flock want {};
  want.l_type =
    static_cast<short>(mode == lock_mode::exclusive ? F_WRLCK : F_RDLCK);
  want.l_whence = SEEK_SET;
  if (!fd_.ok() || ::fcntl(fd_.get(), F_OFD_SETLK, &want) < 0
      || !is_current()) {
    let_go();
    return false;
  }
  held_ = mode;
  return true;
}

void instance_lock::let_go() {
  fd_.close();
  held_ = lock_mode::none;
}

// -- the end ------------------------------------------------------------------

int discard(const instance_place& place) {
  static std::atomic<unsigned> count{0};
  auto aside = place.folder + "/." + place.name + std::string{gone}
               + std::to_string(::getpid()) + "-"
               + std::to_string(monotonic_ms()) + "-" + std::to_string(++count);
  // Whoever comes now makes a new one.
  if (std::rename(place.directory().c_str(), aside.c_str()) < 0)
    return errno == ENOENT ? 0 : errno;
  return remove_tree(aside);
}

int remove_discarded(const instance_place& place) {
  int error = 0;
  for (const auto& entry : entries_of(place.folder))
    if (name_of_discarded(entry) == place.name)
      if (auto e = remove_tree(place.folder + "/" + entry); e != 0)
        error = e;
  return error;
}

std::vector<std::string> instances_in(const std::string& folder) {
  std::vector<std::string> out;
  for (auto& entry : entries_of(folder)) {
    if (auto name = name_of_discarded(entry))
      out.push_back(std::move(*name));
    else if (!entry.starts_with('.'))
      out.push_back(std::move(entry));
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

} // namespace baton::sandbox
