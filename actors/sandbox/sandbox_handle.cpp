// SPDX-License-Identifier: MIT
#include "actors/sandbox/sandbox_handle.hpp"

#include "actors/sandbox/posix_status.hpp"
#include "actors/sandbox/sandbox_layout.hpp"
#include "messages/record.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

namespace baton::sandbox {
namespace {

namespace fs = std::filesystem;

status path_status(const std::string& what, const std::string& path,
                   int error) {
  auto out = io_status(what + " " + printable(path), error);
  if (error == ENOENT || error == ENOTDIR)
    out.code = errc::not_found;
  return out;
}

file_kind kind_of(mode_t mode) {
  if (S_ISREG(mode))
    return file_kind::file;
  if (S_ISDIR(mode))
    return file_kind::folder;
  return S_ISLNK(mode) ? file_kind::link : file_kind::other;
}

status unsupported(const char* what) {
  return make_status(errc::unsupported,
                     std::string{"a local sandbox cannot "} + what
                       + "; choose a provider that lists the capability");
}

status discard(result<std::string> x) {
  return x ? status{} : std::move(x).error();
}

} // namespace

sandbox_handle::sandbox_handle(std::string directory)
  : directory_(std::move(directory)) {}

result<std::string> sandbox_handle::resolve(const std::string& path) const {
  if (path.find('\0') != std::string::npos)
    return {errc::malformed,
            "the path " + printable(path) + " holds a zero byte"};
  if (path.starts_with('/'))
    return path;
  auto plain = fs::path{path}.lexically_normal().string();
  if (plain == ".." || plain.starts_with("../"))
    return {errc::malformed, "the path " + printable(path)
                               + " leaves the sandbox; stay below it, or "
                                 "name an absolute path"};
  auto work = directory_ + "/" + work_folder;
  return plain.empty() || plain == "." ? work : work + "/" + plain;
}

// -- files --------------------------------------------------------------------

result<std::string> sandbox_handle::read(const std::string& path) const {
  auto full = resolve(path);
  if (!full)
    return full;
  unique_fd fd{::open(full->c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!fd.ok())
    return path_status("cannot open", *full, errno);
  std::string out;
  char buffer[65536];
  for (;;) {
    auto n = ::read(fd.get(), buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return path_status("cannot read", *full, errno);
    if (n == 0)
      return out;
    out.append(buffer, static_cast<std::size_t>(n));
  }
}

status sandbox_handle::write(const std::string& path,
                             std::string_view bytes) const {
  auto full = resolve(path);
  if (!full)
    return full.error();
  auto fresh = *full + ".XXXXXX";
  unique_fd fd{::mkostemp(fresh.data(), O_CLOEXEC)};
  if (!fd.ok())
    return path_status("cannot write", *full, errno);
  // A file that is replaced keeps its mode, such as being executable.
  struct stat old {};
  ::fchmod(fd.get(), ::stat(full->c_str(), &old) == 0 ? old.st_mode : 0644);
  int error = 0;
  while (!bytes.empty() && error == 0) {
    auto n = ::write(fd.get(), bytes.data(), bytes.size());
    if (n >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(n));
    else if (errno != EINTR)
      error = errno;
  }
  if (error == 0 && ::rename(fresh.c_str(), full->c_str()) < 0)
    error = errno;
  if (error == 0)
    return {};
  ::unlink(fresh.c_str());
  return path_status("cannot write", *full, error);
}

result<std::vector<file_info>>
sandbox_handle::list(const std::string& path) const {
  auto full = resolve(path);
  if (!full)
    return full.error();
  std::vector<file_info> out;
  std::error_code error;
  for (fs::directory_iterator at{*full, error}, end; !error && at != end;
       at.increment(error))
    // One that is removed meanwhile is not listed.
    if (auto info = lstat(at->path().string()))
      out.push_back(std::move(*info));
  if (error)
    return path_status("cannot list", *full, error.value());
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

status sandbox_handle::make_folder(const std::string& path) const {
  auto full = resolve(path);
  if (!full)
    return full.error();
  std::error_code error;
  fs::create_directories(*full, error);
  return error ? path_status("cannot create", *full, error.value()) : status{};
}

status sandbox_handle::remove(const std::string& path) const {
  auto full = resolve(path);
  if (!full)
    return full.error();
  std::error_code error;
  fs::remove_all(*full, error);
  return error ? path_status("cannot remove", *full, error.value()) : status{};
}

status sandbox_handle::rename(const std::string& from,
                              const std::string& to) const {
  auto full_from = resolve(from);
  auto full_to = resolve(to);
  if (!full_from || !full_to)
    return full_from ? full_to.error() : full_from.error();
  if (std::rename(full_from->c_str(), full_to->c_str()) != 0)
    return path_status("cannot rename", *full_from, errno);
  return {};
}

result<bool> sandbox_handle::exists(const std::string& path) const {
  auto info = lstat(path);
  if (info)
    return true;
  if (info.error().code == errc::not_found)
    return false;
  return info.error();
}

result<file_info> sandbox_handle::lstat(const std::string& path) const {
  auto full = resolve(path);
  if (!full)
    return full.error();
  struct stat info {};
  if (::lstat(full->c_str(), &info) < 0)
    return path_status("cannot examine", *full, errno);
  return file_info{fs::path{*full}.filename().string(), kind_of(info.st_mode),
                   static_cast<std::uint64_t>(info.st_size)};
}

// -- commands -----------------------------------------------------------------

result<command_result> sandbox_handle::exec(command_request request) const {
  auto cwd = resolve(request.cwd);
  if (!cwd)
    return cwd.error();
  request.cwd = *cwd;
  return run_command_to_end(request, directory_);
}

result<std::unique_ptr<child_command>>
sandbox_handle::spawn(command_request request) const {
  auto cwd = resolve(request.cwd);
  if (!cwd)
    return cwd.error();
  request.cwd = *cwd;
  return child_command::start(request, directory_);
}

// -- git ----------------------------------------------------------------------

result<std::string>
sandbox_handle::git(const std::string& path,
                    std::vector<std::string> arguments) const {
  command_request request;
  request.argv = {"git"};
  request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
  request.cwd = path;
  // Nobody is there to answer a question.
  request.env = {{"GIT_TERMINAL_PROMPT", "0"}};
  auto got = exec(std::move(request));
  if (!got)
    return got.error();
  if (got->code != 0)
    return {errc::exit_nonzero, "git " + arguments[0] + " failed with code "
                                  + std::to_string(got->code) + ": "
                                  + printable(got->err)};
  return std::move(got->out);
}

status sandbox_handle::git_clone(const std::string& url,
                                 const std::string& path,
                                 unsigned depth) const {
  auto full = resolve(path);
  if (!full)
    return full.error();
  std::vector<std::string> arguments{"clone", "--quiet"};
  if (depth > 0)
    arguments.push_back("--depth=" + std::to_string(depth));
  // Behind the dashes nothing is taken for an option.
  arguments.insert(arguments.end(), {"--", url, *full});
  return discard(git("", std::move(arguments)));
}

result<std::string> sandbox_handle::git_status(const std::string& path) const {
  return git(path, {"status", "--porcelain"});
}

status sandbox_handle::git_add(const std::string& path,
                               const std::vector<std::string>& files) const {
  std::vector<std::string> arguments{"add", "--"};
  arguments.insert(arguments.end(), files.begin(), files.end());
  return discard(git(path, std::move(arguments)));
}

status sandbox_handle::git_commit(const std::string& path,
                                  const std::string& message) const {
  return discard(git(path, {"commit", "--quiet", "--message=" + message}));
}

status sandbox_handle::git_push(const std::string& path) const {
  return discard(git(path, {"push", "--quiet"}));
}

status sandbox_handle::git_pull(const std::string& path) const {
  return discard(git(path, {"pull", "--quiet", "--ff-only"}));
}

result<std::string> sandbox_handle::git_branch(const std::string& path) const {
  auto out = git(path, {"symbolic-ref", "--short", "HEAD"});
  if (out && out->ends_with('\n'))
    out->pop_back();
  return out;
}

// -- what directories of this host cannot do ----------------------------------

status sandbox_handle::open_port(std::uint16_t) const {
  return unsupported("publish ports");
}

status sandbox_handle::snapshot() const {
  return unsupported("make snapshots");
}

status sandbox_handle::fork() const {
  return unsupported("fork");
}

} // namespace baton::sandbox
