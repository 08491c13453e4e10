// SPDX-License-Identifier: MIT
// The process that crash_test kills: commits to a few runs for ever and writes
// one line to stdout for each acknowledged call: how often each run was
// appended to.
#include "storage/rocksdb_store.hpp"
#include "storage/run_script.hpp"

#include <unistd.h>

#include <cstdio>

using namespace baton;
using namespace baton::storage;

int main(int argc, char** argv) {
  if (argc != 2)
    return 2;
  rocksdb_options options;
  options.path = argv[1];
  // Small, so that kills also fall into the writing of tables.
  options.write_buffer_bytes = 64 << 10;
  auto s = rocksdb_store::open(options);
  if (!s) {
    std::fprintf(stderr, "%s\n", s.error().message.c_str());
    return 1;
  }
  run_script a{"a"}, b{"b"};
  std::vector<commit> batch{a.create(), a.claim("n"), b.create(), b.claim("n")};
  for (std::uint64_t step = 0;; ++step) {
    if (!(*s)->commit_all(batch))
      return 1;
    a.numbered(run_no{1});
    b.numbered(run_no{2});
    auto line = std::to_string(step) + "\n";
    if (::write(STDOUT_FILENO, line.data(), line.size()) < 0)
      return 1;
    batch = {a.append(4, 700), b.append(1, 50), a.append(1, 20)};
  }
}
