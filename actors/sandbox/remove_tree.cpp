// SPDX-License-Identifier: MIT
#include "actors/sandbox/remove_tree.hpp"

#include "actors/sandbox/unique_fd.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <vector>

namespace baton::sandbox {
namespace {

/// Each level holds a descriptor. Folders that lie deeper are moved up first.
constexpr int depth_max = 64;
/// A tree that others still write to is met again by the caller's next try.
constexpr int rounds_max = 1000;

constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

/// Which mount the folder is on: two bind mounts of one device differ.
std::uint64_t mount_of(int folder, const char* path) {
  struct statx info {};
  if (::statx(folder, path, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW, STATX_MNT_ID,
              &info)
      < 0)
    return 0;
  if ((info.stx_mask & STATX_MNT_ID) != 0)
    return info.stx_mnt_id;
  return std::uint64_t{info.stx_dev_major} << 32 | info.stx_dev_minor;
}

class remover {
public:
  explicit remover(int top) : top_(top), mount_(mount_of(top, "")) {}

  /// Removes all but `kept` in the top folder.
  void empty_top(const std::string& kept) {
    error_ = 0;
    moved_ = false;
    empty(top_, kept, 0);
  }

  int error() const { return error_; }
  bool moved() const { return moved_; }

private:
  void empty(int folder, const std::string& kept, int depth) {
    for (const auto& name : names_in(folder))
      if (name != kept)
        remove(folder, name, depth);
  }

  std::vector<std::string> names_in(int folder) {
    std::vector<std::string> out;
    // A descriptor of its own: closedir() closes it.
    auto fd = ::openat(folder, ".", folder_flags);
    auto* dir = fd < 0 ? nullptr : ::fdopendir(fd);
    if (dir == nullptr) {
      note(errno);
      if (fd >= 0)
        ::close(fd);
      return out;
    }
    while (auto* item = ::readdir(dir)) {
      std::string name{item->d_name};
      if (name != "." && name != "..")
        out.push_back(std::move(name));
    }
    ::closedir(dir);
    return out;
  }

  void remove(int folder, const std::string& name, int depth) {
    if (::unlinkat(folder, name.c_str(), 0) == 0 || errno == ENOENT)
      return;
    if (errno != EISDIR && errno != EPERM) {
      note(errno);
      return;
    }
    if (depth >= depth_max) {
      move_up(folder, name);
      return;
    }
    if (mount_of(folder, name.c_str()) != mount_) {
      note(EBUSY); // What an agent mounted here is not ours to remove.
      return;
    }
    unique_fd inside{open_folder(folder, name)};
    if (inside.ok())
      empty(inside.get(), {}, depth + 1);
    if (::unlinkat(folder, name.c_str(), AT_REMOVEDIR) < 0 && errno != ENOENT)
      note(errno);
  }

  /// Gives itself the rights that the agent took away.
  int open_folder(int parent, const std::string& name) {
    auto fd = ::openat(parent, name.c_str(), folder_flags);
    if (fd < 0 && errno == EACCES) {
      unique_fd closed{::openat(parent, name.c_str(),
                                O_PATH | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC)};
      // A path of /proc leads to the folder that was opened, not to what its
      // name may mean by now.
      if (closed.ok())
        ::chmod(("/proc/self/fd/" + std::to_string(closed.get())).c_str(),
                S_IRWXU);
      fd = ::openat(parent, name.c_str(), folder_flags);
    }
    struct stat info {};
    if (fd >= 0 && ::fstat(fd, &info) == 0
        && (info.st_mode & S_IRWXU) != S_IRWXU)
      ::fchmod(fd, S_IRWXU);
    return fd;
  }

  void move_up(int folder, const std::string& name) {
    auto to = ".deep-" + std::to_string(count_++);
    // A folder can only be moved by who may write to it: its `..` changes.
    unique_fd inside{open_folder(folder, name)};
    if (::renameat(folder, name.c_str(), top_, to.c_str()) == 0)
      moved_ = true;
    else
      note(errno);
  }

  void note(int error) {
    if (error_ == 0)
      error_ = error;
  }

  int top_;
  std::uint64_t mount_;
  int error_ = 0;
  int count_ = 0;
  bool moved_ = false;
};

} // namespace

int remove_content(const std::string& folder, const std::string& kept) {
  unique_fd top{::open(folder.c_str(), folder_flags)};
  if (!top.ok() && errno == EACCES) {
    ::chmod(folder.c_str(), S_IRWXU);
    top = unique_fd{::open(folder.c_str(), folder_flags)};
  }
  if (!top.ok())
    return errno == ENOENT ? 0 : errno;
  ::fchmod(top.get(), S_IRWXU);
  remover step{top.get()};
  for (int round = 0; round < rounds_max; ++round) {
    step.empty_top(kept);
    if (!step.moved())
      break;
  }
  return step.error();
}

int remove_tree(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) < 0)
    return errno == ENOENT ? 0 : errno;
  if (!S_ISDIR(info.st_mode))
    return ::unlink(path.c_str()) < 0 && errno != ENOENT ? errno : 0;
  auto parent = path.substr(0, path.rfind('/') + 1) + ".";
  if (mount_of(AT_FDCWD, path.c_str()) != mount_of(AT_FDCWD, parent.c_str()))
    return EBUSY;
  auto error = remove_content(path, {});
  if (::rmdir(path.c_str()) < 0 && errno != ENOENT)
    return error != 0 ? error : errno;
  return 0;
}

} // namespace baton::sandbox
