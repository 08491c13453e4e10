// SPDX-License-Identifier: MIT
#include "storage/data_dir.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

namespace baton::storage {
namespace {

constexpr unsigned format = 1;
constexpr std::string_view stamp_word = "baton ";
/// A stamp is a word and a number; anything longer is not ours.
constexpr std::size_t stamp_bytes_max = 64;

status failed(std::string_view doing, const std::string& path) {
  std::string text =
    "cannot " + std::string{doing} + " " + path + ": " + std::strerror(errno);
  if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)
    text += "; free space there, then start again";
  else if (errno == EACCES || errno == EPERM || errno == EROFS)
    text += "; let this user write there, or choose another data directory";
  return make_status(errc::io_failed, std::move(text));
}

status foreign(const std::string& path, std::string_view found) {
  return make_status(errc::foreign_data,
                     "data directory " + path + " " + std::string{found});
}

/// The file's first bytes; nothing when there is no such file.
result<std::optional<std::string>> head_of(const std::string& path) {
  auto fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    if (errno == ENOENT)
      return std::optional<std::string>{};
    return failed("open", path);
  }
  std::string out(stamp_bytes_max, '\0');
  auto n = ::read(fd, out.data(), out.size());
  auto why = failed("read", path);
  ::close(fd);
  if (n < 0)
    return why;
  out.resize(static_cast<std::size_t>(n));
  return std::optional{std::move(out)};
}

status make_private_dirs(const std::string& path) {
  std::error_code error;
  auto parent = std::filesystem::path{path}.parent_path();
  if (!parent.empty())
    std::filesystem::create_directories(parent, error);
  if (error)
    return make_status(errc::io_failed, "cannot create directory "
                                          + parent.string() + ": "
                                          + error.message());
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return failed("create directory", path);
  if (!std::filesystem::is_directory(path, error))
    return make_status(errc::io_failed, path + " is not a directory");
  return {};
}

/// Whether everything in the directory is what open() itself leaves there when
/// it is killed between its steps, or was made for the first start.
result<bool> is_unused(const std::string& path) {
  std::error_code error;
  std::filesystem::directory_iterator i{path, error};
  if (error)
    return {errc::io_failed,
            "cannot list directory " + path + ": " + error.message()};
  for (; i != std::filesystem::directory_iterator{}; i.increment(error)) {
    auto name = i->path().filename();
    if (name != "LOCK" && name != "VERSION.new" && name != "lost+found"
        && name != daemon_log_file)
      return false;
  }
  return true;
}

status check_stamp(const std::string& path, std::string_view stamp) {
  unsigned found = 0;
  auto number = stamp.substr(0, stamp_word.size()) == stamp_word
                  ? stamp.substr(stamp_word.size())
                  : std::string_view{};
  auto [rest, error] =
    std::from_chars(number.data(), number.data() + number.size(), found);
  auto left = number.substr(static_cast<std::size_t>(rest - number.data()));
  if (number.empty() || error != std::errc{} || left != "\n" || found == 0)
    return foreign(path, "has an unreadable VERSION file; expected 'baton "
                           + std::to_string(format)
                           + "'. Restore it, or choose another directory");
  if (found > format)
    return foreign(path, "was written by a newer baton (format "
                           + std::to_string(found) + ", this one reads up to "
                           + std::to_string(format)
                           + "). Install that version, or choose another "
                             "directory");
  return {};
}

/// Nothing is stamped yet: allowed only in an unused directory.
status check_ours(const std::string& path, bool& is_stamped) {
  auto stamp = head_of(path + "/VERSION");
  if (!stamp)
    return foreign(path, "has an unreadable VERSION file ("
                           + stamp.error().message + ")");
  is_stamped = stamp->has_value();
  if (is_stamped)
    return check_stamp(path, **stamp);
  auto unused = is_unused(path);
  if (!unused)
    return unused.error();
  if (!*unused)
    return foreign(path, "is not empty and not baton's (it has no VERSION "
                         "file). Choose an empty or new directory");
  return {};
}

status write_stamp(const std::string& path) {
  auto fresh = path + "/VERSION.new";
  auto fd =
    ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0)
    return failed("create", fresh);
  auto text = std::string{stamp_word} + std::to_string(format) + "\n";
  auto written = ::write(fd, text.data(), text.size());
  auto done = written == static_cast<ssize_t>(text.size()) && ::fsync(fd) == 0;
  auto why = failed("write", fresh);
  ::close(fd);
  if (!done)
    return why;
  if (::rename(fresh.c_str(), (path + "/VERSION").c_str()) != 0)
    return failed("rename", fresh);
  auto dir = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir < 0)
    return failed("open", path);
  auto synced = ::fsync(dir) == 0;
  why = failed("sync", path);
  ::close(dir);
  return synced ? status{} : why;
}

status in_use(const std::string& path) {
  std::string holder;
  if (auto pid = head_of(path + "/LOCK"); pid && *pid && !(*pid)->empty())
    holder = " (process " + (*pid)->substr(0, (*pid)->find('\n')) + ")";
  return make_status(errc::in_use, "data directory " + path
                                     + " is in use by another baton" + holder
                                     + "; stop it, or choose another "
                                       "directory");
}

constexpr int lock_tries = 50;
constexpr int lock_pause_ms = 20;

result<int> lock(const std::string& path) {
  auto file = path + "/LOCK";
  auto fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0)
    return failed("open", file);
  // Whoever was killed in the middle of starting another process leaves it the
  // lock, until that one executes its program.
  for (int tries = 1; ::flock(fd, LOCK_EX | LOCK_NB) != 0; ++tries) {
    if (errno == EWOULDBLOCK && tries < lock_tries) {
      ::poll(nullptr, 0, lock_pause_ms);
      continue;
    }
    auto why = errno == EWOULDBLOCK ? in_use(path) : failed("lock", file);
    ::close(fd);
    return why;
  }
  // Only a hint for the message of whoever comes second.
  auto pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd, 0) != 0
      || ::pwrite(fd, pid.data(), pid.size(), 0)
           != static_cast<ssize_t>(pid.size())) {
    auto why = failed("write", file);
    ::close(fd);
    return why;
  }
  return fd;
}

} // namespace

result<data_dir> data_dir::open(const std::string& given) {
  // Sandboxes are known by their paths for as long as they live.
  std::error_code error;
  auto path =
    std::filesystem::absolute(given, error).lexically_normal().string();
  // With a slash at its end a path would be its own parent, made unprivate.
  path.resize(path.find_last_not_of('/') + 1);
  if (given.empty() || error || path.empty())
    return {errc::malformed, "'" + given
                               + "' cannot be a data directory; name one of "
                                 "its own"};
  if (auto bad = make_private_dirs(path); !bad.ok())
    return bad;
  auto is_stamped = false;
  if (auto bad = check_ours(path, is_stamped); !bad.ok())
    return bad;
  auto fd = lock(path);
  if (!fd)
    return fd.error();
  data_dir out{path, *fd};
  // Somebody else may have been here between the look and the lock.
  if (auto bad = check_ours(path, is_stamped); !bad.ok())
    return bad;
  if (!is_stamped)
    if (auto bad = write_stamp(path); !bad.ok())
      return bad;
  return out;
}

data_dir::data_dir(data_dir&& other) noexcept
  : path_(std::move(other.path_)),
    lock_fd_(std::exchange(other.lock_fd_, -1)) {}

data_dir& data_dir::operator=(data_dir&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_fd_, other.lock_fd_);
  return *this;
}

data_dir::~data_dir() {
  if (lock_fd_ >= 0)
    ::close(lock_fd_);
}

} // namespace baton::storage
