// SPDX-License-Identifier: MIT
#include "tests/support/proc.hpp"

#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iterator>

namespace baton::test {
namespace {

namespace fs = std::filesystem;

std::string proc(pid_t pid, const char* name) {
  return "/proc/" + std::to_string(pid) + "/" + name;
}

bool belongs_to(pid_t pid, const std::string& folder) {
  std::error_code gone;
  if (fs::read_symlink(proc(pid, "cwd"), gone).string().starts_with(folder))
    return true;
  for (fs::directory_iterator fd{proc(pid, "fd"), gone}, end;
       !gone && fd != end; fd.increment(gone))
    if (fs::read_symlink(fd->path(), gone).string().starts_with(folder))
      return true;
  return content_of(proc(pid, "environ")).find(folder) != std::string::npos;
}

std::vector<pid_t> processes(const std::function<bool(pid_t)>& wanted) {
  std::vector<pid_t> out;
  std::error_code gone;
  for (fs::directory_iterator at{"/proc", gone}, end; !gone && at != end;
       at.increment(gone)) {
    auto name = at->path().filename().string();
    pid_t pid = 0;
    auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (parsed.ec == std::errc{} && pid != ::getpid() && wanted(pid))
      out.push_back(pid);
  }
  return out;
}

std::size_t memory(pid_t pid, std::string_view name) {
  auto status = content_of(proc(pid, "status"));
  auto at = status.find(name);
  return at == status.npos ? 0
                           : std::stoul(status.substr(at + name.size())) * 1024;
}

} // namespace

std::string content_of(const std::string& path) {
  // Not through a stream buffer: it throws when a process ends under it.
  std::string out;
  auto* file = std::fopen(path.c_str(), "rb");
  std::array<char, 4096> piece;
  while (file != nullptr) {
    auto n = std::fread(piece.data(), 1, piece.size(), file);
    out.append(piece.data(), n);
    if (n < piece.size())
      break;
  }
  if (file != nullptr)
    std::fclose(file);
  return out;
}

bool is_alive(pid_t pid) {
  auto stat = content_of(proc(pid, "stat"));
  auto name_end = stat.rfind(')');
  return name_end != std::string::npos && name_end + 2 < stat.size()
         && stat[name_end + 2] != 'Z' && stat[name_end + 2] != 'X';
}

std::vector<pid_t> processes_of(const std::string& folder) {
  return processes(
    [&](pid_t pid) { return is_alive(pid) && belongs_to(pid, folder); });
}

std::vector<pid_t> processes_naming(std::string_view text) {
  // Empty for zombies.
  return processes([&](pid_t pid) {
    return content_of(proc(pid, "cmdline")).find(text) != std::string::npos;
  });
}

std::size_t resident_bytes(pid_t pid) {
  return memory(pid, "VmRSS:");
}

std::size_t peak_resident_bytes(pid_t pid) {
  return memory(pid, "VmHWM:");
}

std::size_t open_files(pid_t pid) {
  std::error_code gone;
  fs::directory_iterator fds{proc(pid, "fd"), gone};
  return gone ? 0
              : static_cast<std::size_t>(
                std::distance(fds, fs::directory_iterator{}));
}

} // namespace baton::test
