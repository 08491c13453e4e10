// SPDX-License-Identifier: MIT
// baton-bench: figures beside the raw limit that the same run measured.
#include "apps/baton_bench/bench.hpp"
#include "apps/baton_bench/generating_worker.hpp"
#include "apps/baton_bench/printing_agent.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <utility>

namespace {

using bench_function = std::function<std::vector<baton::bench::figure>(
  const baton::bench::bench_options&)>;

struct bench_entry {
  std::string name;
  std::string title;
  bench_function run;
};

constexpr const char* remote_append = "append --remote";

const std::vector<bench_entry>& all_benches() {
  using namespace baton::bench;
  static const std::vector<bench_entry> x{
    {"append", "append: run actor -> coordinator -> RocksDB, synced", append},
    {remote_append,
     "append --remote: worker process -> BASP -> coordinator -> RocksDB, "
     "synced",
     append_remote},
    {"follow", "follow: journal file -> framed lines, from page cache", follow},
    {"live", "live: 1,000 runs on two workers, a line a second each", live},
    {"sim", "sim: stories of a cluster under a seed, on one core", sim},
    {"tail", "tail: append call -> viewer callback", tail},
    {"takeover", "takeover: signal to a node -> next entry of its run",
     takeover},
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
  // Parts of a benchmark that are processes of their own.
  std::string part = argc > 1 ? argv[1] : "";
  if (part == baton::bench::agent_word)
    return baton::bench::be_printing_agent(argc - 1, argv + 1);
  if (part == baton::bench::worker_word)
    return baton::bench::be_generating_worker(argc - 1, argv + 1);
  CLI::App app{"Measures baton beside the raw limit of the same machine, in "
               "the same run. An append counts when it is synced.",
               "baton-bench"};
  std::string which = "all";
  std::string directory = std::filesystem::current_path().string();
  int seconds = 4;
  baton::bench::bench_options options;
  bool json = false;
  bool remote = false;
  app
    .add_option("bench", which,
                "append, follow, live, sim, tail, takeover or all")
    ->check(CLI::IsMember(
      {"append", "follow", "live", "sim", "tail", "takeover", "all"}));
  app.add_flag("--remote", remote, "append: from a worker in another process");
  app
    .add_option("--rounds", options.rounds,
                "takeover: nodes that are killed for each figure (default 20)")
    ->check(CLI::Range(1, 10'000));
  app.add_option("--dir", directory,
                 "where to write (default: here; a RAM disk proves nothing)");
  app
    .add_option("--seconds", seconds,
                "for each measurement, in turns of one (default 4)")
    ->check(CLI::Range(1, 600));
  app.add_flag("--json", json, "one JSON object a line");
  try {
    app.parse(argc, argv);
    if (remote && std::exchange(which, remote_append) != "append")
      throw CLI::ValidationError("--remote", "goes with append only");
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  // Lives until exit, whichever way that comes.
  static scratch dir{directory};
  options.directory = dir.path();
  options.duration = std::chrono::seconds{seconds};
  for (const auto& bench : all_benches()) {
    if (which != "all" && which != bench.name)
      continue;
    auto rows = bench.run(options);
    if (json)
      baton::bench::print_json(bench.name, rows);
    else
      baton::bench::print_table(bench.title, rows);
  }
  return 0;
}
