// SPDX-License-Identifier: MIT
// baton-bench: figures beside the raw limit that the same run measured.
#include "apps/baton_bench/bench.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>

namespace {

using bench_function = std::function<std::vector<baton::bench::figure>(
  const baton::bench::bench_options&)>;

struct bench_entry {
  std::string name;
  std::string title;
  bench_function run;
};

const std::vector<bench_entry>& all_benches() {
  using namespace baton::bench;
  static const std::vector<bench_entry> x{
    {"append", "append: run actor -> coordinator -> RocksDB, synced", append},
    {"follow", "follow: journal file -> framed lines, from page cache", follow},
    {"tail", "tail: append call -> viewer callback", tail},
  };
  return x;
}

/// A directory of its own, gone at the end.
class scratch {
public:
  explicit scratch(std::string parent) {
    path_ = std::move(parent) + "/baton-bench-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) {
      std::perror(("baton-bench: " + path_).c_str());
      std::exit(125);
    }
  }
  ~scratch() { std::filesystem::remove_all(path_); }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;

  const std::string& path() const { return path_; }

private:
  std::string path_;
};

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"Measures baton beside the raw limit of the same machine, in "
               "the same run. An append counts when it is synced.",
               "baton-bench"};
  std::string which = "all";
  std::string directory = std::filesystem::current_path().string();
  int seconds = 4;
  bool json = false;
  app.add_option("bench", which, "append, follow, tail or all")
    ->check(CLI::IsMember({"append", "follow", "tail", "all"}));
  app.add_option("--dir", directory,
                 "where to write (default: here; a RAM disk proves nothing)");
  app
    .add_option("--seconds", seconds,
                "for each measurement, in turns of one (default 4)")
    ->check(CLI::Range(1, 600));
  app.add_flag("--json", json, "one JSON object a line");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  scratch dir{directory};
  for (const auto& bench : all_benches()) {
    if (which != "all" && which != bench.name)
      continue;
    auto rows = bench.run({dir.path(), std::chrono::seconds{seconds}});
    if (json)
      baton::bench::print_json(bench.name, rows);
    else
      baton::bench::print_table(bench.title, rows);
  }
  return 0;
}
