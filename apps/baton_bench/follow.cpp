// SPDX-License-Identifier: MIT
// A journal file in the page cache to framed lines, beside a bare loop that
// reads the same file and looks for newlines.
#include "actors/journal/journal_cursor.hpp"
#include "apps/baton_bench/bench.hpp"
#include "apps/baton_bench/generated_journal.hpp"
#include "apps/baton_bench/give_up.hpp"

#include <chrono>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <unistd.h>

namespace baton::bench {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::uint64_t file_bytes = 256 << 20;
constexpr std::size_t read_bytes = 64 * 1024;

class file_source : public sandbox::journal_source {
public:
  explicit file_source(int fd) : fd_(fd) {}

  result<std::size_t> read(position from, std::span<char> out) override {
    auto n =
      ::pread(fd_, out.data(), out.size(), static_cast<off_t>(from.value));
    if (n < 0)
      return {errc::io_failed, std::strerror(errno)};
    return static_cast<std::size_t>(n);
  }

  result<position> size() override { return position{file_bytes}; }

private:
  int fd_;
};

int make_file(const std::string& path) {
  auto fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  std::string lines;
  while (lines.size() < (1 << 20) - line_bytes)
    lines += sample_line();
  for (std::uint64_t done = 0; fd >= 0 && done < file_bytes;) {
    auto n = ::write(fd, lines.data(), lines.size());
    if (n <= 0)
      break;
    done += static_cast<std::uint64_t>(n);
  }
  return fd;
}

double bytes_per_second(std::uint64_t bytes, clock::time_point begin) {
  return static_cast<double>(bytes)
         / std::chrono::duration<double>(clock::now() - begin).count();
}

double bare_loop(int fd) {
  auto buffer = std::make_unique<char[]>(read_bytes);
  std::uint64_t at = 0, lines = 0;
  auto begin = clock::now();
  while (true) {
    auto n = ::pread(fd, buffer.get(), read_bytes, static_cast<off_t>(at));
    if (n <= 0)
      break;
    const char* p = buffer.get();
    const char* end = p + n;
    while (auto* hit = static_cast<const char*>(
             std::memchr(p, '\n', static_cast<std::size_t>(end - p)))) {
      ++lines;
      p = hit + 1;
    }
    at += static_cast<std::uint64_t>(n);
  }
  auto speed = bytes_per_second(at, begin);
  return lines > 0 ? speed : 0;
}

double framed(int fd) {
  journal::journal_cursor cursor{
    std::make_unique<file_source>(fd), {}, {.lines_max = 1024}, {}};
  std::uint64_t lines = 0;
  auto begin = clock::now();
  while (true) {
    auto got = cursor.next(read_bytes, [] { return journal::output_end{}; });
    if (!got || got->lines.empty())
      break;
    lines += got->lines.size();
  }
  auto speed = bytes_per_second(cursor.at().value, begin);
  return lines > 0 ? speed : 0;
}

} // namespace

std::vector<figure> follow(const bench_options& options) {
  auto fd = make_file(options.directory + "/journal");
  if (fd < 0)
    give_up(std::string{"journal file: "} + std::strerror(errno));
  std::vector<double> raw, ours;
  for (int round = 0; round < 5; ++round) {
    raw.push_back(bare_loop(fd) / 1e6);
    ours.push_back(framed(fd) / 1e6);
  }
  ::close(fd);
  auto best = percentile(ours, 0.5);
  return {
    {"journal to framed lines", "MB/s", best, percentile(raw, 0.5), true, 0.5},
    {"the same, beside 1 GB/s", "MB/s", best, 1000.0, true, 1.0},
  };
}

} // namespace baton::bench
