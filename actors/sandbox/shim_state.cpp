// SPDX-License-Identifier: MIT
#include "actors/sandbox/shim_state.hpp"

#include "actors/sandbox/exit_record.hpp"
#include "actors/sandbox/posix_status.hpp"
#include "actors/sandbox/unique_fd.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

namespace baton::sandbox {
namespace {

/// Nothing when there is no file, or no whole record in it.
result<std::optional<exit_report>> read_exit(const sandbox_place& place) {
  auto path = place.file(exit_file);
  unique_fd fd{
    ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  if (!fd.ok() && (errno == ENOENT || errno == ELOOP))
    return std::optional<exit_report>{};
  if (!fd.ok())
    return io_status("the exit record " + path + " cannot be opened");
  std::array<char, exit_record_bytes> block{};
  auto n = ::pread(fd.get(), block.data(), block.size(), 0);
  if (n < 0)
    return io_status("the exit record " + path + " cannot be read");
  auto record = decode_exit_record({block.data(), static_cast<std::size_t>(n)});
  if (!record)
    return std::optional<exit_report>{};
  exit_report out;
  out.nonce = record->nonce;
  out.code = record->code;
  out.signal = record->signal;
  out.journal_end = position{record->journal_end};
  if (!record->launch_error.empty())
    out.error =
      run_error{errc_from_string(record->cause).value_or(errc::launch_failed),
                record->launch_error};
  return std::optional{out};
}

/// Who holds a lock on that file. Only looks: opened for writing, a journal
/// would tell its watchers of the close.
result<std::optional<lock_holder>> holder_of(const std::string& path) {
  unique_fd fd{
    ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  if (!fd.ok() && (errno == ENOENT || errno == ELOOP))
    return std::optional<lock_holder>{};
  struct flock question {};
  question.l_type = F_WRLCK;
  question.l_whence = SEEK_SET;
  if (!fd.ok() || ::fcntl(fd.get(), F_GETLK, &question) < 0)
    return io_status("the lock " + path + " cannot be examined");
  if (question.l_type == F_UNLCK)
    return std::optional<lock_holder>{};
  return std::optional{lock_holder{std::max(question.l_pid, 0)}};
}

/// Agents write only behind their guard, shims lock the journal and leave
/// records only there too.
result<bool> has_traces(const sandbox_place& place) {
  auto path = place.file(journal_file_name);
  struct stat journal {};
  if (::lstat(path.c_str(), &journal) == 0 && journal.st_size > 0)
    return true;
  auto lock = holder_of(path);
  if (!lock)
    return lock.error();
  if (*lock)
    return true;
  auto exit = read_exit(place);
  if (!exit)
    return exit.error();
  return exit->has_value();
}

} // namespace

result<std::optional<lock_holder>> shim_lock(const sandbox_place& place) {
  auto alive = holder_of(place.file(alive_file));
  if (!alive || *alive)
    return alive;
  return holder_of(place.file(journal_file_name));
}

result<bool> was_launched(const sandbox_place& place) {
  struct stat info {};
  if (::lstat(place.guard().c_str(), &info) == 0)
    return true;
  if (errno != ENOENT || ::stat(place.guards().c_str(), &info) != 0)
    return io_status("the launch guard " + place.guard()
                     + " cannot be examined");
  return has_traces(place);
}

status take_guard(const sandbox_place& place) {
  unique_fd fd{::open(place.guard().c_str(),
                      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  if (!fd.ok() && errno != EEXIST)
    return io_status("the launch guard " + place.guard() + " cannot be taken");
  return {};
}

result<probe_report> probe_sandbox(const sandbox_place& place) {
  // Behind its guard a shim locks the journal: a held lock means an agent,
  // whatever else is gone.
  auto journal = holder_of(place.file(journal_file_name));
  if (!journal)
    return journal.error();
  if (*journal)
    return probe_report{agent_state::alive, std::nullopt};
  // In this order. A shim locks, takes the guard, leaves the record, unlocks.
  // So behind a taken guard a free lock means that the record, if ever, has
  // been written; asked the other way round, a shim that is just starting or
  // just ending would look lost.
  auto launched = was_launched(place);
  if (!launched)
    return launched.error();
  if (!*launched)
    return probe_report{agent_state::not_launched, std::nullopt};
  auto lock = holder_of(place.file(alive_file));
  if (!lock)
    return lock.error();
  if (*lock)
    return probe_report{agent_state::alive, std::nullopt};
  auto exit = read_exit(place);
  if (!exit)
    return exit.error();
  return *exit ? probe_report{agent_state::exited, *exit}
               : probe_report{agent_state::lost, std::nullopt};
}

} // namespace baton::sandbox
