// SPDX-License-Identifier: MIT
// What the kernel tells about processes, ours and others'.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace baton::test {

/// Empty when there is no such file.
std::string content_of(const std::string& path);

/// Zombies are not alive.
bool is_alive(pid_t pid);
/// Processes that hold files in `folder`, work in it or name it in their
/// environment: the shims and agents of a data directory. Looks at every
/// descriptor of the machine.
std::vector<pid_t> processes_of(const std::string& folder);
/// Processes in whose command line `text` stands; cheap.
std::vector<pid_t> processes_naming(std::string_view text);

/// Memory in bytes, now and at the most; 0 when it is gone.
std::size_t resident_bytes(pid_t pid);
std::size_t peak_resident_bytes(pid_t pid);

/// How much a test may demand that memory stays below: nothing is too much
/// where a sanitizer keeps what was freed.
constexpr std::size_t memory_bound(std::size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
  return bytes + (std::size_t{1} << 40);
#else
  return bytes;
#endif
}

std::size_t open_files(pid_t pid);

} // namespace baton::test
