// SPDX-License-Identifier: MIT
#include "apps/baton_shim/sandbox_files.hpp"

#include "actors/sandbox/process_tree.hpp"
#include "actors/sandbox/secret_masking.hpp"
#include "apps/baton_shim/workspace_files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace baton::shim {
namespace {

using sandbox::unique_fd;

constexpr mode_t file_mode = 0600;
constexpr mode_t folder_mode = 0700;
/// Another shim holds the lock without having the guard only while it
/// prepares, which takes milliseconds.
constexpr int lock_wait_ms = 4000;
constexpr int lock_poll_ms = 5;
/// Much more than anybody quotes of it.
constexpr off_t masked_bytes_max = 1 << 20;

} // namespace

sandbox_files::sandbox_files(sandbox::sandbox_place place)
  : place_(std::move(place)) {}

take_result sandbox_files::fail(const std::string& what) {
  error_ = what + ": " + ::strerror(errno);
  return guard_is_taken() ? take_result::already : take_result::failed;
}

bool sandbox_files::guard_is_taken() const {
  return guards_.ok()
         && ::faccessat(guards_.get(), place_.name.c_str(), F_OK, 0) == 0;
}

// -- before the launch --------------------------------------------------------

take_result sandbox_files::prepare(const std::string& stdin_bytes, bool tmp) {
  constexpr int folder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  guards_ = unique_fd{::open(place_.guards().c_str(), folder)};
  if (!guards_.ok())
    return fail("the guards' folder " + place_.guards() + " cannot be opened");
  if (guard_is_taken())
    return take_result::already;
  directory_ = unique_fd{::open(place_.directory().c_str(), folder)};
  if (!directory_.ok())
    return fail("the sandbox " + place_.directory() + " cannot be opened");
  if (auto got = lock(); got != take_result::taken)
    return got;
  if (::mkdirat(directory_.get(), sandbox::work_folder, folder_mode) < 0
      && errno != EEXIST)
    return fail("the working directory cannot be created");
  if (tmp && ::mkdirat(directory_.get(), sandbox::tmp_folder, folder_mode) < 0
      && errno != EEXIST)
    return fail("the folder for temporary files cannot be created");
  if (!reserve_exit())
    return fail("no space can be reserved for the exit record");
  if (!open_output())
    return fail("journal and stderr cannot be opened");
  if (!open_stdin(stdin_bytes))
    return fail("stdin cannot be set up");
  if (!open_control())
    return fail("the control pipe cannot be opened");
  return take_result::taken;
}

take_result sandbox_files::lock() {
  alive_ = unique_fd{::openat(directory_.get(), sandbox::alive_file,
                              O_RDWR | O_CREAT | O_CLOEXEC, file_mode)};
  if (!alive_.ok())
    return fail("the lock file cannot be opened");
  struct flock want {};
  want.l_type = F_WRLCK;
  want.l_whence = SEEK_SET;
  auto give_up_at = sandbox::monotonic_ms() + lock_wait_ms;
  while (::fcntl(alive_.get(), F_SETLK, &want) < 0) {
    auto refused = errno == EAGAIN || errno == EACCES;
    if (!refused)
      return fail("the lock cannot be taken");
    if (guard_is_taken())
      return take_result::already;
    errno = EBUSY;
    if (sandbox::monotonic_ms() >= give_up_at)
      return fail("the sandbox is locked by a launch that does not proceed");
    ::poll(nullptr, 0, lock_poll_ms);
  }
  return take_result::taken;
}

bool sandbox_files::reserve_exit() {
  exit_ = unique_fd{::openat(directory_.get(), sandbox::exit_file,
                             O_RDWR | O_CREAT | O_CLOEXEC, file_mode)};
  if (!exit_.ok())
    return false;
  errno = ::posix_fallocate(exit_.get(), 0, sandbox::exit_record_bytes);
  return errno == 0;
}

bool sandbox_files::open_output() {
  // The agent gets a file description of its own: what it does to its flags
  // leaves the shim's alone.
  auto open = [this](const char* name, int access) {
    return unique_fd{::openat(directory_.get(), name,
                              access | O_APPEND | O_CREAT | O_CLOEXEC,
                              file_mode)};
  };
  journal_ = open(sandbox::journal_file_name, O_RDWR);
  agent_.stdout_fd = open(sandbox::journal_file_name, O_WRONLY);
  agent_.stderr_fd = open(sandbox::stderr_file, O_WRONLY);
  return journal_.ok() && agent_.stdout_fd.ok() && agent_.stderr_fd.ok();
}

bool sandbox_files::open_stdin(const std::string& bytes) {
  if (bytes.empty()) {
    agent_.stdin_fd = unique_fd{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
    return agent_.stdin_fd.ok();
  }
  agent_.stdin_fd = unique_fd{::memfd_create("stdin", MFD_CLOEXEC)};
  return agent_.stdin_fd.ok() && write_all(agent_.stdin_fd.get(), bytes)
         && ::lseek(agent_.stdin_fd.get(), 0, SEEK_SET) == 0;
}

bool sandbox_files::open_control() {
  if (::mkfifoat(directory_.get(), sandbox::control_file, file_mode) < 0
      && errno != EEXIST)
    return false;
  // Open for writing too, so that it never reads as ended.
  control_ = unique_fd{::openat(directory_.get(), sandbox::control_file,
                                O_RDWR | O_NONBLOCK | O_CLOEXEC)};
  return control_.ok();
}

bool sandbox_files::was_launched() const {
  struct stat journal {};
  if (::fstat(journal_.get(), &journal) == 0 && journal.st_size > 0)
    return true;
  std::array<char, sandbox::exit_record_bytes> block{};
  auto n = ::pread(exit_.get(), block.data(), block.size(), 0);
  return n > 0
         && sandbox::decode_exit_record(
              {block.data(), static_cast<std::size_t>(n)})
              .has_value();
}

/// Bound to the open file, not to the process: the agent's own descriptor of
/// the journal is closed here without letting go of it. Where the file system
/// has no such locks, the other lock must do.
void sandbox_files::lock_journal() {
  struct flock want {};
  want.l_type = F_WRLCK;
  want.l_whence = SEEK_SET;
  ::fcntl(journal_.get(), F_OFD_SETLK, &want);
}

take_result sandbox_files::take_guard() {
  if (was_launched())
    return take_result::already;
  unique_fd guard{::openat(guards_.get(), place_.name.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, file_mode)};
  if (!guard.ok()) {
    if (errno == EEXIST)
      return take_result::already;
    return fail("the launch guard " + place_.guard() + " cannot be taken");
  }
  // A guard that a power failure undoes would allow a second launch.
  if (::fsync(guards_.get()) < 0) {
    error_ = std::string{"the launch guard cannot be made durable: "}
             + ::strerror(errno);
    ::unlinkat(guards_.get(), place_.name.c_str(), 0);
    return take_result::failed;
  }
  lock_journal();
  return take_result::taken;
}

// -- what is said beside the journal ------------------------------------------

bool sandbox_files::open_setup_output() {
  setup_output_ =
    unique_fd{::openat(directory_.get(), sandbox::setup_output_file,
                       O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, file_mode)};
  return setup_output_.ok();
}

std::int64_t sandbox_files::setup_output_size() const {
  struct stat info {};
  return ::fstat(setup_output_.get(), &info) == 0 ? info.st_size : 0;
}

void sandbox_files::append_setup_output(std::string_view text) {
  // Whoever reads it reads less, then.
  [[maybe_unused]] auto all = write_all(setup_output_.get(), text);
}

unique_fd sandbox_files::open_again(const char* name, int access) const {
  return unique_fd{::openat(directory_.get(), name,
                            access | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
}

std::string sandbox_files::setup_output_since(std::int64_t offset,
                                              std::size_t bytes_max) const {
  return tail_of(open_again(sandbox::setup_output_file, O_RDONLY).get(), offset,
                 bytes_max);
}

void sandbox_files::mask_output(const std::vector<std::string>& secrets) {
  mask(sandbox::setup_output_file, secrets);
  mask(sandbox::stderr_file, secrets);
}

void sandbox_files::mask(const char* name,
                         const std::vector<std::string>& secrets) {
  auto fd = open_again(name, O_RDWR);
  struct stat info {};
  if (secrets.empty() || !fd.ok() || ::fstat(fd.get(), &info) < 0
      || !S_ISREG(info.st_mode))
    return;
  auto from = std::max<off_t>(0, info.st_size - masked_bytes_max);
  std::string text(static_cast<std::size_t>(info.st_size - from), '\0');
  auto n = ::pread(fd.get(), text.data(), text.size(), from);
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  if (sandbox::mask_secrets(text, secrets)
      && ::pwrite(fd.get(), text.data(), text.size(), from) < 0)
    return;
}

// -- while the agent lives ----------------------------------------------------

bool sandbox_files::read_kill_request() {
  char buffer[256];
  bool found = false;
  for (;;) {
    auto n = ::read(control_.get(), buffer, sizeof(buffer));
    if (n <= 0)
      return found;
    // One command exists, so its first letter tells it.
    std::string_view got{buffer, static_cast<std::size_t>(n)};
    found = found || got.find(sandbox::kill_command[0]) != got.npos;
  }
}

// -- at the end ---------------------------------------------------------------

void sandbox_files::finish(sandbox::exit_record record, std::string_view nonce,
                           bool keep) {
  struct stat info {};
  if (::fstat(journal_.get(), &info) == 0)
    record.journal_end = static_cast<std::uint64_t>(info.st_size);
  record.nonce = nonce;
  // The record promises that many bytes, so they must be durable before it.
  ::fdatasync(journal_.get());
  write_exit(record);
  // A marker cannot say why nothing was executed: only the record can, and it
  // must not be outrun.
  if (record.launch_error.empty())
    write_marker(record, nonce, keep);
  // In this order: closing the journal wakes its watchers, and they must find
  // the locks free.
  struct flock free {};
  free.l_type = F_UNLCK;
  free.l_whence = SEEK_SET;
  ::fcntl(journal_.get(), F_OFD_SETLK, &free);
  alive_.close();
  journal_.close();
}

void sandbox_files::write_exit(const sandbox::exit_record& record) {
  auto block = encode(record);
  auto put = [&block](int fd) {
    return ::pwrite(fd, block.data(), block.size(), 0)
             == static_cast<ssize_t>(block.size())
           && ::fsync(fd) == 0;
  };
  put(exit_.get());
  // An agent may have removed or replaced the file: then a new one, if there
  // is space, takes its place in one step.
  struct stat ours {};
  struct stat theirs {};
  ::fstat(exit_.get(), &ours);
  if (::fstatat(directory_.get(), sandbox::exit_file, &theirs,
                AT_SYMLINK_NOFOLLOW)
        == 0
      && ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev)
    return;
  constexpr const char* fresh_name = "exit.new";
  ::unlinkat(directory_.get(), fresh_name, 0);
  unique_fd fresh{::openat(directory_.get(), fresh_name,
                           O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, file_mode)};
  if (fresh.ok() && put(fresh.get()))
    ::renameat(directory_.get(), fresh_name, directory_.get(),
               sandbox::exit_file);
}

void sandbox_files::write_marker(const sandbox::exit_record& record,
                                 std::string_view nonce, bool keep) {
  std::optional<char> last;
  char byte = 0;
  if (record.journal_end > 0
      && ::pread(journal_.get(), &byte, 1,
                 static_cast<off_t>(record.journal_end - 1))
           == 1)
    last = byte;
  auto line = exit_marker_line(record, nonce, last);
  // Half a marker is no line of anybody: rather none, the record tells it all.
  // With processes kept alive the bytes behind it may not be ours to cut.
  if (!write_all(journal_.get(), line) && !keep
      && ::ftruncate(journal_.get(), static_cast<off_t>(record.journal_end))
           < 0)
    return;
}

} // namespace baton::shim
