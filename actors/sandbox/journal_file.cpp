// SPDX-License-Identifier: MIT
#include "actors/sandbox/journal_file.hpp"

#include "actors/sandbox/posix_status.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace baton::sandbox {

journal_file::journal_file(std::string path,
                           std::shared_ptr<journal_watcher> watcher,
                           std::function<void()> on_change)
  : path_(std::move(path)),
    watcher_(std::move(watcher)),
    on_change_(std::move(on_change)) {
  // A caller that waits for on_change before it reads must not miss the first
  // bytes; what fails here fails again in read().
  ignore_result(open(), "read() reports it");
}

result<std::size_t> journal_file::read(position from, std::span<char> out) {
  if (auto found = open(); !found)
    return found.error();
  else if (!*found) {
    if (from.value > 0)
      return damaged("does not exist, " + std::to_string(from.value)
                     + " of its bytes are in the log");
    return std::size_t{0};
  }
  told_ = false;
  ssize_t n;
  do
    n = ::pread(fd_.get(), out.data(), out.size(),
                static_cast<off_t>(from.value));
  while (n < 0 && errno == EINTR);
  if (n < 0)
    return io_status("the journal " + path_ + " cannot be read");
  if (n == 0 && !out.empty()) {
    auto end = inspect();
    if (!end)
      return end.error();
    if (*end < from)
      return damaged("was cut to " + std::to_string(end->value) + " bytes, "
                     + std::to_string(from.value) + " are in the log");
  }
  return static_cast<std::size_t>(n);
}

result<position> journal_file::size() {
  if (auto found = open(); !found)
    return found.error();
  else if (!*found)
    return position{0};
  told_ = false;
  return inspect();
}

result<bool> journal_file::open() {
  if (!fd_.ok()) {
    fd_ = unique_fd{
      ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    if (!fd_.ok() && errno == ENOENT)
      return false;
    if (!fd_.ok())
      return io_status("the journal " + path_ + " cannot be opened");
  }
  if (!watch_ && watcher_ && on_change_)
    watch_ = watcher_->observe(path_, [this](journal_event event) {
      if (!told_.exchange(true) || event == journal_event::changed)
        on_change_();
    });
  return true;
}

result<position> journal_file::inspect() {
  struct stat ours {};
  if (::fstat(fd_.get(), &ours) < 0)
    return io_status("the journal " + path_ + " cannot be examined");
  struct stat named {};
  if (::stat(path_.c_str(), &named) < 0) {
    if (errno == ENOENT)
      return damaged("was removed");
    return io_status("the journal " + path_ + " cannot be examined");
  }
  if (ours.st_ino != named.st_ino || ours.st_dev != named.st_dev)
    return damaged("was replaced by another file");
  return position{static_cast<std::uint64_t>(ours.st_size)};
}

status journal_file::damaged(const std::string& what) const {
  return make_status(errc::journal_damaged, "the journal " + path_ + " " + what
                                              + "; what it held is lost");
}

} // namespace baton::sandbox
