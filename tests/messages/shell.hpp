// SPDX-License-Identifier: MIT
// Runs command lines under the shells that baton has to get along with.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace baton::test {

/// Removed with everything in it.
class scratch_dir {
public:
  scratch_dir();
  ~scratch_dir();
  scratch_dir(const scratch_dir&) = delete;
  scratch_dir& operator=(const scratch_dir&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string at(std::string_view name) const { return path_ / name; }

private:
  std::filesystem::path path_;
};

struct shell {
  std::string name;
  std::vector<std::string> argv;
  /// PATH of what runs in it; empty: ours.
  std::string path;
};

/// /bin/sh, and BusyBox with nothing but its own utilities where installed;
/// their links live in `scratch`.
std::vector<shell> shells(const scratch_dir& scratch);

/// A running command; killed at the end.
class shell_process {
public:
  shell_process(const shell& in, const std::string& command);
  ~shell_process();
  shell_process(const shell_process&) = delete;
  shell_process& operator=(const shell_process&) = delete;

  /// Reads stdout until it holds `bytes` bytes, the end comes or 20 s passed.
  std::string read(std::size_t bytes);

private:
  pid_t pid_ = -1;
  int out_ = -1;
};

/// The stdout of a command that ends by itself.
std::string run(const shell& in, const std::string& command);

/// False if `condition` does not come true within 20 s.
bool wait_for(const std::function<bool()>& condition);

void write_file(const std::string& path, std::string_view content);

} // namespace baton::test
