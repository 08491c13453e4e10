// SPDX-License-Identifier: MIT
#include "actors/sandbox/process_tree.hpp"

#include "actors/sandbox/unique_fd.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <set>
#include <string>

namespace baton::sandbox {
namespace {

/// A tree that still grows after so many sweeps is met again by the caller's
/// next call; the bound keeps one call short.
constexpr int sweeps_max = 200;

std::optional<std::string> read_file(const std::string& path) {
  unique_fd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!fd.ok())
    return std::nullopt;
  std::string out;
  char buffer[4096];
  for (;;) {
    auto n = ::read(fd.get(), buffer, sizeof(buffer));
    if (n <= 0)
      return n == 0 ? std::optional{std::move(out)} : std::nullopt;
    out.append(buffer, static_cast<std::size_t>(n));
  }
}

std::optional<pid_t> to_pid(std::string_view text) {
  pid_t pid = 0;
  auto [end, error] = std::from_chars(text.begin(), text.end(), pid);
  if (error != std::errc{} || end != text.end() || pid <= 0)
    return std::nullopt;
  return pid;
}

/// Calls `f` for each entry of a folder of /proc whose name is a number.
template <class F>
void for_each_number(const std::string& folder, F&& f) {
  auto* dir = ::opendir(folder.c_str());
  if (dir == nullptr)
    return;
  while (auto* item = ::readdir(dir))
    if (auto pid = to_pid(item->d_name))
      f(*pid);
  ::closedir(dir);
}

std::string proc(pid_t pid) {
  return "/proc/" + std::to_string(pid);
}

struct stat_line {
  char state = '?';
  pid_t parent = 0;
};

std::optional<stat_line> stat_of(pid_t pid) {
  auto text = read_file(proc(pid) + "/stat");
  if (!text)
    return std::nullopt;
  // The name in parentheses may hold anything, also parentheses.
  auto at = text->rfind(')');
  if (at == std::string::npos || at + 4 >= text->size())
    return std::nullopt;
  stat_line out;
  out.state = (*text)[at + 2];
  auto rest = std::string_view{*text}.substr(at + 4);
  out.parent = to_pid(rest.substr(0, rest.find(' '))).value_or(0);
  return out;
}

bool is_living(pid_t pid) {
  auto line = stat_of(pid);
  return line && line->state != 'Z' && line->state != 'X';
}

bool kernel_lists_children() {
  static const bool yes = ::access("/proc/thread-self/children", R_OK) == 0;
  return yes;
}

void for_each_child(pid_t pid, const std::function<void(pid_t)>& f) {
  if (!kernel_lists_children()) {
    for_each_number("/proc", [&](pid_t other) {
      if (auto line = stat_of(other); line && line->parent == pid)
        f(other);
    });
    return;
  }
  auto tasks = proc(pid) + "/task";
  for_each_number(tasks, [&](pid_t task) {
    auto text = read_file(tasks + "/" + std::to_string(task) + "/children");
    std::string_view rest = text ? std::string_view{*text} : "";
    while (!rest.empty()) {
      auto end = std::min(rest.find(' '), rest.size());
      if (auto child = to_pid(rest.substr(0, end)))
        f(*child);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  });
}

/// Calls `f` the moment a descendant is found, before its own are looked for:
/// one that is stopped then cannot fork out of sight.
void walk(pid_t root, std::set<pid_t>& seen,
          const std::function<void(pid_t)>& f) {
  std::vector<pid_t> open{root};
  while (!open.empty()) {
    auto parent = open.back();
    open.pop_back();
    for_each_child(parent, [&](pid_t child) {
      if (!seen.insert(child).second)
        return;
      f(child);
      open.push_back(child);
    });
  }
}

/// Stops what `find` reports until it reports nothing new, then kills all.
std::size_t stop_and_kill(
  const std::function<void(const std::function<void(pid_t)>&)>& find) {
  std::set<pid_t> stopped;
  for (int sweep = 0; sweep < sweeps_max; ++sweep) {
    bool grew = false;
    find([&](pid_t pid) {
      if (!stopped.insert(pid).second)
        return;
      ::kill(pid, SIGSTOP);
      grew = grew || is_living(pid);
    });
    if (!grew)
      break;
  }
  std::size_t living = 0;
  for (auto pid : stopped) {
    living += is_living(pid) ? 1 : 0;
    ::kill(pid, SIGKILL);
  }
  return living;
}

} // namespace

std::int64_t monotonic_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

bool is_stopped(pid_t pid) {
  auto line = stat_of(pid);
  return line && (line->state == 'T' || line->state == 't');
}

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> out;
  for_each_child(pid, [&](pid_t child) { out.push_back(child); });
  return out;
}

std::vector<pid_t> descendants_of(pid_t root) {
  std::set<pid_t> seen;
  std::vector<pid_t> out;
  walk(root, seen, [&](pid_t pid) { out.push_back(pid); });
  return out;
}

void signal_descendants(pid_t root, int signal) {
  for (auto pid : descendants_of(root))
    ::kill(pid, signal);
}

std::size_t kill_descendants(pid_t root) {
  return stop_and_kill([root](const std::function<void(pid_t)>& f) {
    std::set<pid_t> seen;
    walk(root, seen, f);
  });
}

std::vector<pid_t> processes_with_variable(std::string_view assignment) {
  // The environment is a row of strings, each ended by a zero byte.
  std::string wanted{assignment};
  wanted += '\0';
  std::vector<pid_t> out;
  for_each_number("/proc", [&](pid_t pid) {
    auto text = read_file(proc(pid) + "/environ");
    if (!text || pid == ::getpid())
      return;
    if (text->starts_with(wanted)
        || text->find('\0' + wanted) != std::string::npos)
      out.push_back(pid);
  });
  return out;
}

std::size_t kill_processes_with_variable(std::string_view assignment) {
  return stop_and_kill([&](const std::function<void(pid_t)>& f) {
    std::set<pid_t> seen;
    for (auto pid : processes_with_variable(assignment)) {
      f(pid);
      walk(pid, seen, f);
    }
  });
}

} // namespace baton::sandbox
