// SPDX-License-Identifier: MIT
#include "actors/sim/command_line.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace baton::sim {
namespace {

constexpr std::size_t nodes_max = 9;
constexpr std::size_t runs_max = 64;

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t out = 0;
  auto [end, bad] =
    std::from_chars(text.data(), text.data() + text.size(), out);
  if (bad != std::errc{} || end != text.data() + text.size() || text.empty())
    return std::nullopt;
  return out;
}

status wrong(std::string why) {
  return make_status(errc::malformed, std::move(why));
}

status read_seeds(const std::string& text, command_line& out) {
  auto dots = text.find("..");
  auto first = number_in(std::string_view{text}.substr(0, dots));
  auto last = dots == std::string::npos
                ? first
                : number_in(std::string_view{text}.substr(dots + 2));
  if (!first || !last)
    return wrong("--seeds '" + text + "': expected A..B, as in 1..1000");
  if (*first > *last)
    return wrong("--seeds " + text
                 + ": the range is empty; the first seed "
                   "must not be above the last");
  out.first = *first;
  out.last = *last;
  return {};
}

status read_faults(const std::string& text, shape_wishes& out) {
  out.faults.emplace();
  if (text == "none")
    return {};
  for (std::size_t at = 0; at <= text.size();) {
    auto end = std::min(text.find(',', at), text.size());
    auto name = text.substr(at, end - at);
    auto kind = fault_from_string(name);
    if (!kind)
      return wrong("--faults: no fault is called '" + name
                   + "'; there are none, " + fault_names());
    out.faults->push_back(*kind);
    at = end + 1;
  }
  return {};
}

/// What these faults strike must be there.
status check_shape(const shape_wishes& x) {
  if (x.nodes == 0 || x.nodes > nodes_max)
    return wrong("--nodes " + std::to_string(x.nodes) + ": expected 1 to "
                 + std::to_string(nodes_max));
  if (x.runs > runs_max)
    return wrong("--runs " + std::to_string(x.runs) + ": expected at most "
                 + std::to_string(runs_max));
  if (x.nodes > 1 || !x.faults)
    return {};
  for (auto kind : *x.faults)
    if (kind == fault_kind::kill_node || kind == fault_kind::cut
        || kind == fault_kind::one_way_cut || kind == fault_kind::late_append)
      return wrong("--faults " + std::string{to_string(kind)}
                   + " strikes workers, and --nodes 1 is a coordinator alone; "
                     "take 2 nodes or more");
  return {};
}

/// Found out now, not after an hour of seeds.
status check_report(const std::string& path) {
  if (path.empty())
    return {};
  auto* file = std::fopen(path.c_str(), "ab");
  if (file == nullptr)
    return wrong("--report " + path
                 + ": cannot be written; name a file in a "
                   "directory that is there");
  std::fclose(file);
  return {};
}

} // namespace

result<command_line> parse_command_line(int argc, char** argv,
                                        const std::string& name,
                                        bool own_runs) {
  command_line out;
  std::string seeds, faults, store = "memory";
  std::uint64_t seed = 0;
  if (own_runs)
    out.wishes.runs = 0;
  CLI::App app{"Runs clusters of the production actors under seeds: each seed "
               "is a schedule with faults, judged by the invariants.",
               name};
  // The library takes -1 for the largest of all numbers.
  const CLI::Validator whole = CLI::NonNegativeNumber;
  auto* range = app.add_option("--seeds", seeds, "A..B (default 1..1000)");
  auto* one = app.add_option("--seed", seed, "one seed: replays it")
                ->check(whole)
                ->excludes(range);
  app
    .add_option("--nodes", out.wishes.nodes,
                "the first one is the coordinator (default 3)")
    ->check(whole);
  app
    .add_option("--runs", out.wishes.runs,
                own_runs ? "besides its own (default 0)" : "(default 4)")
    ->check(whole);
  auto* list = app.add_option("--faults", faults,
                              "with commas; none, " + fault_names()
                                + " (default: drawn from the seed)");
  app
    .add_option("--steps", out.steps,
                "end each story after so many; whether runs end is not judged "
                "then")
    ->check(whole);
  app.add_option("--store", store, "memory or rocksdb")
    ->check(CLI::IsMember({"memory", "rocksdb"}));
  app.add_option("--report", out.report,
                 "FILE.html: the failing story, or the last one, as a picture");
  app.add_flag("--json", out.json, "one JSON object a seed");
  app.add_flag("--progress", out.progress,
               "each seed on stderr, before it runs");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) {
      out.answered = app.exit(e);
      return out;
    }
    return wrong(e.what());
  }
  if (*one)
    out.first = out.last = seed;
  if (*range)
    if (auto bad = read_seeds(seeds, out); !bad.ok())
      return bad;
  if (*list)
    if (auto bad = read_faults(faults, out.wishes); !bad.ok())
      return bad;
  if (store == "rocksdb")
    out.wishes.store = engine::rocksdb;
  if (auto bad = check_shape(out.wishes); !bad.ok())
    return bad;
  if (auto bad = check_report(out.report); !bad.ok())
    return bad;
  return out;
}

} // namespace baton::sim
