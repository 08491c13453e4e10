// SPDX-License-Identifier: MIT
#include "actors/sim/command_line.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace baton::sim {
namespace {

constexpr std::size_t nodes_max = 9;
constexpr std::size_t runs_max = 64;

constexpr const char* fault_help =
  R"(Faults:
  kill_node         a worker dies, and comes back later, or never
  kill_coordinator  the coordinator dies, perhaps in the middle of a commit
  pause_node        a node stands still, and goes on as if nothing had been
  cut, one_way_cut  nothing gets through to or from a worker
  late_append       what a worker says arrives when its claim is long gone
  slow_disk         commits take long
  late_launch       launches take effect late
  clock_drift       clocks run too fast or too slow, and the calendar jumps
  agent_kill        an agent dies
  shim_kill         an agent dies, and whoever would have told of it
  viewer_storm      viewers leave and come back elsewhere
  cancel_storm      runs are cancelled from everywhere, some during their launch
  steal_storm       runs are taken over and stolen from everywhere
  sweep_storm       unwatched runs expire soon, and the reaper sweeps often

Exit codes: 0 nothing broke, 1 an invariant broke, 2 wrong command line, or
the picture could not be written.
I1 to I12 are explained in README.md, "Invariants".)";

struct number {
  std::uint64_t value = 0;
  /// What is wrong with it, if anything.
  std::string problem;
};

number number_in(std::string_view text) {
  number out;
  const auto* all = text.data() + text.size();
  auto [end, bad] = std::from_chars(text.data(), all, out.value);
  if (bad == std::errc::result_out_of_range && end == all)
    out.problem = "a number of at most 18446744073709551615";
  else if (bad != std::errc{} || end != all)
    out.problem = "a whole number";
  if (!out.problem.empty())
    out.problem =
      "expected " + out.problem + ", found '" + std::string{text} + "'";
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
  for (const auto& x : {first, last})
    if (!x.problem.empty())
      return wrong("--seeds '" + text + "': " + x.problem
                   + "; seeds are A..B, as in 1..1000");
  if (first.value > last.value)
    return wrong("--seeds " + text
                 + ": the range is empty; the first seed "
                   "must not be above the last");
  out.first = first.value;
  out.last = last.value;
  return {};
}

status read_faults(const std::string& text, shape_wishes& out) {
  out.faults.emplace();
  if (text == "none")
    return {};
  for (std::size_t at = 0; at <= text.size();) {
    auto end = std::min(text.find(',', at), text.size());
    auto name = text.substr(at, end - at);
    if (name == "none")
      return wrong("--faults '" + text + "': 'none' stands alone");
    if (name.empty())
      return wrong("--faults '" + text
                   + "': a name is missing; there are none, " + fault_names());
    auto kind = fault_from_string(name);
    if (!kind)
      return wrong("--faults: no fault is called '" + name
                   + "'; there are none, " + fault_names());
    out.faults->push_back(*kind);
    at = end + 1;
  }
  return {};
}

bool strikes_workers(fault_kind x) {
  switch (x) {
  case fault_kind::kill_node:
  case fault_kind::cut:
  case fault_kind::one_way_cut:
  case fault_kind::late_append:
    return true;
  default:
    return false;
  }
}

/// Sweeps strike an empty store, too.
bool strikes_runs(fault_kind x) {
  switch (x) {
  case fault_kind::agent_kill:
  case fault_kind::shim_kill:
  case fault_kind::late_launch:
  case fault_kind::viewer_storm:
  case fault_kind::cancel_storm:
  case fault_kind::steal_storm:
    return true;
  default:
    return false;
  }
}

/// What these faults strike must be there.
status check_shape(const shape_wishes& x, bool own_runs) {
  if (x.nodes == 0 || x.nodes > nodes_max)
    return wrong("--nodes " + std::to_string(x.nodes) + ": expected 1 to "
                 + std::to_string(nodes_max));
  if (x.runs > runs_max)
    return wrong("--runs " + std::to_string(x.runs) + ": expected at most "
                 + std::to_string(runs_max));
  if (!x.faults)
    return {};
  for (auto kind : *x.faults) {
    auto named = "--faults " + std::string{to_string(kind)};
    if (x.nodes == 1 && strikes_workers(kind))
      return wrong(named
                   + " strikes workers, and --nodes 1 is a coordinator alone; "
                     "take 2 nodes or more");
    if (x.runs == 0 && !own_runs && strikes_runs(kind))
      return wrong(named
                   + " strikes runs, and --runs 0 has none; take 1 run or "
                     "more");
  }
  return {};
}

/// Found out now, not after an hour of seeds.
status check_report(const std::string& path) {
  if (path.empty())
    return wrong("--report: a file's name is missing, as in --report "
                 "story.html");
  auto* file = std::fopen(path.c_str(), "ab");
  if (file == nullptr)
    return wrong("--report " + path
                 + ": cannot be written; name a file in a "
                   "directory that is there");
  std::fclose(file);
  return {};
}

/// As it stood on the command line.
struct asked {
  std::string seeds;
  std::string faults;
  std::string store = "memory";
  std::uint64_t seed = 0;
  bool wants_version = false;
  CLI::Option* range = nullptr;
  CLI::Option* one = nullptr;
  CLI::Option* list = nullptr;
  CLI::Option* report = nullptr;
};

void add_options(CLI::App& app, asked& x, command_line& out, bool own_runs) {
  // The library takes -1 for the largest of all numbers.
  const CLI::Validator whole{
    [](const std::string& text) { return number_in(text).problem; }, ""};
  x.range =
    app.add_option("--seeds", x.seeds, "or one seed alone; default: 1..1000");
  x.range->option_text("A..B");
  x.one = app.add_option("--seed", x.seed, "that story again, with its hash")
            ->check(whole)
            ->excludes(x.range);
  x.one->option_text("N");
  app
    .add_option("--nodes", out.wishes.nodes,
                "1 to 9, the first is the coordinator; default: 3")
    ->check(whole)
    ->option_text("N");
  app
    .add_option("--runs", out.wishes.runs,
                own_runs ? "besides its own, up to 64; default: 0"
                         : "up to 64; default: 4")
    ->check(whole)
    ->option_text("N");
  x.list =
    app.add_option("--faults", x.faults,
                   "of those below, or none; default: the seed draws them");
  x.list->option_text("NAME,...");
  app
    .add_option("--steps", out.steps,
                "cuts each story short; endings are not judged then; 0: does "
                "not cut")
    ->check(whole)
    ->option_text("N");
  app.add_option("--store", x.store, "default: memory")
    ->check(CLI::IsMember({"memory", "rocksdb"}))
    ->option_text("memory|rocksdb");
  x.report = app.add_option("--report", out.report,
                            "the failing story, or the last one, as a picture");
  x.report->option_text("FILE.html");
  app.add_flag("--json", out.json, "one JSON object a seed")
    ->disable_flag_override();
  app
    .add_flag("--progress", out.progress,
              "names each seed on stderr before it runs")
    ->disable_flag_override();
  app.add_flag("--version", x.wants_version, "print the version")
    ->disable_flag_override();
}

/// A program of somebody else's has a version of its own.
std::string version_of(const std::string& name) {
  return name == "baton-sim" ? "baton-sim " BATON_VERSION
                             : name + " (baton " BATON_VERSION ")";
}

/// A value of that option, to show what one looks like.
std::string example_of(const std::string& option) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> known{
    {{"--seeds", "1..1000"},
     {"--faults", "cut,slow_disk"},
     {"--store", "rocksdb"},
     {"--report", "story.html"},
     {"--steps", "10000"}}};
  for (auto [name, value] : known)
    if (name == option)
      return std::string{value};
  return "3";
}

/// A value too few, or one too many.
status explain_values(const std::string& option, const CLI::App& app) {
  const auto* x = app.get_option_no_throw(option);
  auto times = x == nullptr ? 0 : x->results().size();
  if (times < 2)
    return wrong(option + ": a value is missing, as in " + option + " "
                 + example_of(option));
  return wrong(option + ": given "
               + (times == 2 ? "twice" : std::to_string(times) + " times")
               + (option == "--faults" ? "; names stand together, as in "
                                           + option + " " + example_of(option)
                                       : "; once is enough"));
}

/// In one line, with a way on.
status explain(const CLI::ParseError& e, const CLI::App& app) {
  std::string what = e.what();
  auto option = what.substr(0, what.find(':'));
  if (auto flag = what.find(" was given a disallowed flag override");
      flag != std::string::npos)
    return wrong("--" + what.substr(0, flag) + " takes no value");
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&e) != nullptr
      && option.starts_with("--"))
    return explain_values(option, app);
  auto strange = app.remaining();
  if (strange.empty() || dynamic_cast<const CLI::ExtrasError*>(&e) == nullptr)
    return wrong(std::move(what));
  return wrong("'" + strange.front()
               + (strange.front().starts_with('-')
                    ? "' is no option; --help lists them"
                    : "' is not expected; seeds are given as --seed N, and "
                      "--help lists all options"));
}

/// All that the story depends on beside its seed.
std::string told_again(const CLI::App& app) {
  std::string out;
  for (const auto* name :
       {"--nodes", "--runs", "--faults", "--store", "--steps"})
    if (const auto* x = app.get_option(name); x->count() > 0)
      out += std::string{" "} + name + " " + x->as<std::string>();
  return out;
}

} // namespace

result<command_line> parse_command_line(int argc, char** argv,
                                        const std::string& name, bool own_runs,
                                        const std::string& help) {
  command_line out;
  asked x;
  if (own_runs)
    out.wishes.runs = 0;
  CLI::App app{"Runs clusters of the production actors in virtual time. Each "
               "seed is a schedule\nwith faults, judged by the invariants."
                 + (help.empty() ? "" : "\n\n" + help),
               name};
  app.footer(fault_help);
  add_options(app, x, out, own_runs);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) {
      out.answered = app.exit(e);
      return out;
    }
    return explain(e, app);
  }
  if (x.wants_version) {
    std::printf("%s\n", version_of(name).c_str());
    out.answered = 0;
    return out;
  }
  out.given = told_again(app);
  if (*x.one)
    out.first = out.last = x.seed;
  if (*x.range)
    if (auto bad = read_seeds(x.seeds, out); !bad.ok())
      return bad;
  if (*x.list)
    if (auto bad = read_faults(x.faults, out.wishes); !bad.ok())
      return bad;
  if (x.store == "rocksdb")
    out.wishes.store = engine::rocksdb;
  if (auto bad = check_shape(out.wishes, own_runs); !bad.ok())
    return bad;
  if (*x.report)
    if (auto bad = check_report(out.report); !bad.ok())
      return bad;
  return out;
}

} // namespace baton::sim
