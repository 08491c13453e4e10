// SPDX-License-Identifier: MIT
#include "storage/disk_room.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace baton::storage {
namespace {

namespace fs = std::filesystem;

/// A new manifest is at most 1 MiB (max_manifest_file_size); the other new
/// files are some KiB.
constexpr std::uint64_t engine_files_bytes = 1 << 20;
constexpr const char* probe_name = "room.tmp";

/// 0 when that many bytes can be had in a file at `path`.
int reserve(const std::string& path, std::uint64_t bytes) {
  auto fd =
    ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0)
    return errno;
  auto failed = ::posix_fallocate(fd, 0, static_cast<off_t>(bytes));
  if (failed == 0 && ::fsync(fd) != 0)
    failed = errno;
  ::close(fd);
  ::unlink(path.c_str());
  return failed;
}

} // namespace

std::uint64_t room_to_open(const std::string& folder) {
  auto out = engine_files_bytes;
  std::error_code error;
  for (fs::directory_iterator at{folder, error}, end; !error && at != end;
       at.increment(error)) {
    std::error_code gone;
    if (at->path().extension() == ".log")
      if (auto bytes = at->file_size(gone); !gone)
        out += bytes;
  }
  return out;
}

status check_room_to_open(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    return make_status(errc::storage_failed,
                       "store " + folder + " cannot be made: " + error.message()
                         + "; free space, or let this user write there");
  auto bytes = room_to_open(folder);
  auto failed = reserve(folder + "/" + probe_name, bytes);
  if (failed == 0)
    return {};
  return make_status(errc::storage_failed,
                     "store " + folder + " needs room for "
                       + std::to_string(bytes)
                       + " bytes to open: " + std::strerror(failed)
                       + "; free space, or let this user write there, then "
                         "start again");
}

} // namespace baton::storage
