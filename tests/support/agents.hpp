// SPDX-License-Identifier: MIT
// Words of shell for agents: signals through files, exact bytes, counters.
#pragma once

#include "tests/support/daemon.hpp"

#include <fstream>
#include <string>
#include <string_view>

namespace baton::test {

inline void write_file(const std::string& path, std::string_view content) {
  std::ofstream out{path, std::ios::binary};
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
}

/// Shell text that waits for the file `path`.
inline std::string wait_for_file(const std::string& path) {
  return "while [ ! -e '" + path + "' ]; do sleep 0.02; done; ";
}

/// Shell text that prints exactly `bytes`, which go into a file of the daemon.
inline std::string print_bytes(const daemon& d, const std::string& name,
                               std::string_view bytes) {
  write_file(d.file(name), bytes);
  return "cat '" + d.file(name) + "'; ";
}

/// Perl that prints {"n":0}, {"n":1}, ... one a write, `pause_ms` apart, until
/// the file `stop` exists or `count` are out.
inline std::string counter(int count, int pause_ms,
                           const std::string& stop = "/nonexistent") {
  return "exec perl -e '$|=1; for ($n=0; $n<" + std::to_string(count)
         + " && !-e \"" + stop
         + "\"; $n++) { print \"{\\\"n\\\":$n}\\n\"; select(undef,undef,undef,"
         + std::to_string(pause_ms) + "/1000) if " + std::to_string(pause_ms)
         + "; }'";
}

/// What counter() prints as its n-th entry's data.
inline std::string counted(std::int64_t n) {
  return "{\"n\":" + std::to_string(n) + "}";
}

} // namespace baton::test
