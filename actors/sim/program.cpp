// SPDX-License-Identifier: MIT
#include "actors/sim/program.hpp"

#include "actors/sim/command_line.hpp"
#include "actors/sim/last_words.hpp"
#include "actors/sim/own_stdout.hpp"
#include "actors/sim/report.hpp"
#include "actors/sim/trial.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>

namespace baton::sim {
namespace {

struct invariant_name {
  std::string_view invariant;
  std::string_view words;
};

/// As README.md begins its "Invariants".
constexpr std::array invariant_names{
  invariant_name{"I1", "one writer"},
  invariant_name{"I2", "gap-free"},
  invariant_name{"I3", "exactly once"},
  invariant_name{"I4", "what was acknowledged survives"},
  invariant_name{"I5", "the end is final"},
  invariant_name{"I6", "epochs grow"},
  invariant_name{"I7", "one agent"},
  invariant_name{"I8", "viewers see all, in order"},
  invariant_name{"I9", "no wedge"},
  invariant_name{"I10", "no sandbox too many"},
  invariant_name{"I11", "a cancel ends the whole tree"},
  invariant_name{"I12", "leaving is not stopping"},
  invariant_name{"check", "the program's own"},
};

/// "I3 (exactly once)".
std::string in_words(const std::string& invariant) {
  auto i =
    std::ranges::find(invariant_names, invariant, &invariant_name::invariant);
  return i == invariant_names.end()
           ? invariant
           : invariant + " (" + std::string{i->words} + ")";
}

void begin_seed(std::uint64_t seed, bool told) {
  last_words::name(seed);
  if (told)
    std::fprintf(stderr, "seed %llu\n", static_cast<unsigned long long>(seed));
}

class session {
public:
  session(const program& what, command_line asked)
    : what_(what), asked_(std::move(asked)), stdout_(asked_.json) {
    more_.runs = what.external_runs;
    more_.drivers = what.drivers;
    more_.check = what.check;
  }

  int run() {
    std::size_t count = 0;
    std::size_t cut = 0;
    for (auto seed = asked_.first;; ++seed) {
      begin_seed(seed, asked_.progress);
      auto got = run_trial(draw_shape(seed, asked_.wishes), more_, steps());
      ++count;
      cut += got.is_cut ? 1 : 0;
      if (asked_.json)
        print_json(got);
      if (got.broken)
        return tell_failure(got);
      if (!asked_.json && asked_.first == asked_.last)
        std::printf("seed %llu: %s\ntrace %s, %zu steps, %.1f s\n",
                    static_cast<unsigned long long>(seed),
                    told_shape(got).c_str(), to_hex(got.hash).c_str(),
                    got.steps, seconds(got));
      if (seed == asked_.last) {
        if (!write_report(got))
          return 2;
        break;
      }
    }
    if (!asked_.json)
      std::printf("%zu seed%s, no invariant broke%s\n", count,
                  count == 1 ? "" : "s", told_cut(cut).c_str());
    return 0;
  }

private:
  std::size_t steps() const {
    return asked_.steps == 0 ? steps_enough : asked_.steps;
  }

  static std::string told_cut(std::size_t count) {
    return count == 0 ? ""
                      : "; " + std::to_string(count)
                          + " cut by --steps, whose endings were not judged";
  }

  static double seconds(const outcome& x) {
    return static_cast<double>(x.length.count()) / 1e9;
  }

  /// With what the program brings itself: `more_` is in each world.
  std::string told_shape(const outcome& x) const {
    auto out = to_string(x.what);
    if (!more_.runs.empty())
      out += " own_runs=" + std::to_string(more_.runs.size())
             + " own_drivers=" + std::to_string(more_.drivers.size())
             + " own_viewers=" + std::to_string(more_.runs.size());
    return out;
  }

  std::string replay(const outcome& x) const {
    return what_.name + " --seed " + std::to_string(x.what.seed) + asked_.given;
  }

  void print_json(const outcome& x) const {
    boost::json::object out{{"seed", x.what.seed}, {"hash", to_hex(x.hash)},
                            {"steps", x.steps},    {"seconds", seconds(x)},
                            {"cut", x.is_cut},     {"options", told_shape(x)}};
    if (x.broken)
      out["broken"] = {{"invariant", x.broken->invariant},
                       {"run", x.broken->run},
                       {"text", x.broken->text}};
    else
      out["broken"] = nullptr;
    std::fprintf(stdout_.file(), "%s\n", boost::json::serialize(out).c_str());
    std::fflush(stdout_.file());
  }

  int tell_failure(const outcome& failed) {
    auto least = shrink(failed, more_, steps());
    auto* to = asked_.json ? stderr : stdout;
    std::fprintf(to, "seed %llu broke %s%s%s: %s\n",
                 static_cast<unsigned long long>(failed.what.seed),
                 in_words(failed.broken->invariant).c_str(),
                 failed.broken->run.empty() ? "" : " in run ",
                 failed.broken->run.c_str(), failed.broken->text.c_str());
    std::fprintf(to, "  %s\n  trace %s; replay with: %s\n",
                 told_shape(failed).c_str(), to_hex(failed.hash).c_str(),
                 replay(failed).c_str());
    tell_faults(to, failed, least);
    std::fprintf(to, "what happened then:\n%s", history_of(least).c_str());
    std::fflush(to);
    // Said on stderr when it fails; what broke is the news.
    write_report(least, &failed);
    return 1;
  }

  static bool is_reduced(const outcome& least, const outcome& whole) {
    return least.what.plan.size() < whole.what.plan.size();
  }

  static std::string share(const outcome& least, const outcome& whole) {
    auto n = least.what.plan.size();
    return (n == 0 ? "none" : std::to_string(n)) + " of its "
           + std::to_string(whole.what.plan.size()) + " faults";
  }

  static void tell_faults(std::FILE* to, const outcome& failed,
                          const outcome& least) {
    auto n = least.what.plan.size();
    std::string out;
    if (is_reduced(least, failed))
      out = share(least, failed) + (n > 1 ? " are" : " is")
            + (n == 0 ? " needed" : " enough")
            + "; the story without the others, trace " + to_hex(least.hash);
    else
      out = n == 0 ? "it has no faults" : "it takes all its faults";
    std::fprintf(to, "%s%s\n", out.c_str(), n == 0 ? "" : ":");
    for (const auto& x : least.what.plan)
      std::fprintf(to, "  %s\n", to_string(x).c_str());
  }

  /// `whole`: what `x` is the reduced form of, if it is one.
  bool write_report(const outcome& x, const outcome* whole = nullptr) const {
    if (asked_.report.empty())
      return true;
    report_head head;
    head.seed = x.what.seed;
    head.options = {{"shape", told_shape(x)}};
    head.command = replay(x);
    head.program = what_.name;
    head.is_cut = x.is_cut;
    if (whole != nullptr && is_reduced(x, *whole)) {
      head.reduced = share(x, *whole);
      head.whole_hash = whole->hash;
    }
    if (x.broken)
      head.violation = in_words(x.broken->invariant) + ": " + x.broken->text;
    std::ofstream out{asked_.report, std::ios::binary | std::ios::trunc};
    out << html_report(x.story, head);
    out.close();
    if (out)
      return true;
    std::fprintf(stderr, "%s: --report %s: could not be written\n",
                 what_.name.c_str(), asked_.report.c_str());
    return false;
  }

  const program& what_;
  command_line asked_;
  last_words last_words_;
  own_stdout stdout_;
  additions more_;
};

} // namespace

int run_program(int argc, char** argv, const program& what) {
  auto asked = parse_command_line(argc, argv, what.name,
                                  !what.external_runs.empty(), what.help);
  if (!asked) {
    std::fprintf(stderr, "%s: %s\n", what.name.c_str(),
                 asked.error().message.c_str());
    return 2;
  }
  if (asked->answered)
    return *asked->answered;
  return session{what, *std::move(asked)}.run();
}

} // namespace baton::sim
