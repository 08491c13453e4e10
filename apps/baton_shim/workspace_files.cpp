// SPDX-License-Identifier: MIT
#include "apps/baton_shim/workspace_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace baton::shim {
namespace {

using sandbox::unique_fd;

constexpr int folder_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr int file_flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC;

unique_fd open_or_make(int folder, const char* name) {
  ::mkdirat(folder, name, 0755);
  return unique_fd{::openat(folder, name, folder_flags)};
}

/// Best effort: a script that git lists as untracked is no harm.
void hide_from_git(int work) {
  unique_fd git{::openat(work, ".git", folder_flags)};
  if (!git.ok())
    return;
  auto info = open_or_make(git.get(), "info");
  unique_fd exclude{
    ::openat(info.get(), "exclude", file_flags | O_APPEND, 0644)};
  if (exclude.ok())
    write_all(exclude.get(), "/.baton/\n");
}

} // namespace

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    auto n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

int write_scripts(const std::string& work,
                  const std::vector<std::string>& names_and_texts) {
  if (names_and_texts.empty())
    return 0;
  unique_fd top{::open(work.c_str(), folder_flags)};
  if (!top.ok())
    return errno;
  auto own = open_or_make(top.get(), ".baton");
  auto folder = open_or_make(own.get(), "scripts");
  if (!folder.ok())
    return errno;
  for (std::size_t i = 0; i + 1 < names_and_texts.size(); i += 2) {
    auto* name = names_and_texts[i].c_str();
    ::unlinkat(folder.get(), name, 0);
    unique_fd file{::openat(folder.get(), name, file_flags | O_EXCL, 0700)};
    if (!file.ok()
        || !write_all(file.get(), "#!/bin/sh\n" + names_and_texts[i + 1] + "\n")
        || ::fchmod(file.get(), 0755) < 0)
      return errno;
  }
  hide_from_git(top.get());
  return 0;
}

int write_ready(const sandbox::instance_place& place, std::string_view hash) {
  unique_fd folder{::open(place.directory().c_str(), folder_flags)};
  ::unlinkat(folder.get(), sandbox::fresh_ready_file, 0);
  unique_fd file{::openat(folder.get(), sandbox::fresh_ready_file,
                          file_flags | O_EXCL, 0600)};
  if (!file.ok() || !write_all(file.get(), sandbox::ready_text(hash))
      || ::fsync(file.get()) < 0
      || ::renameat(folder.get(), sandbox::fresh_ready_file, folder.get(),
                    sandbox::ready_file)
           < 0
      || ::fsync(folder.get()) < 0)
    return errno;
  return 0;
}

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> out;
  auto* dir = ::opendir(folder.c_str());
  if (dir == nullptr)
    return out;
  while (auto* item = ::readdir(dir))
    out.emplace(item->d_name);
  ::closedir(dir);
  return out;
}

unique_fd memory_file(std::string_view content) {
  unique_fd out{::memfd_create("baton", MFD_CLOEXEC)};
  if (out.ok()
      && (!write_all(out.get(), content)
          || ::lseek(out.get(), 0, SEEK_SET) < 0))
    out.close();
  return out;
}

std::string tail_of(int fd, std::int64_t offset, std::size_t bytes_max) {
  struct stat info {};
  if (::fstat(fd, &info) < 0 || info.st_size <= offset)
    return {};
  auto size = static_cast<std::size_t>(info.st_size - offset);
  std::string out(std::min(size, bytes_max), '\0');
  auto n = ::pread(fd, out.data(), out.size(),
                   info.st_size - static_cast<std::int64_t>(out.size()));
  out.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return out;
}

} // namespace baton::shim
