// SPDX-License-Identifier: MIT
#include "actors/sim/trial.hpp"

#include <algorithm>
#include <cstdio>

namespace baton::sim {
namespace {

/// Of the violated run and of the faults, the last ones.
constexpr std::size_t shown_events = 60;
constexpr std::size_t shrink_trials_max = 200;

bool same_violation(const outcome& a, const outcome& b) {
  return a.broken && b.broken && a.broken->invariant == b.broken->invariant;
}

bool is_telling(const event& x, const std::string& run) {
  switch (x.kind) {
  case event_kind::fault:
  case event_kind::heal:
  case event_kind::violation:
    return true;
  case event_kind::output:
    return false;
  default:
    return !x.run.empty() && x.run == run;
  }
}

std::string line_of(const event& x, const trace& story) {
  char time[32];
  std::snprintf(time, sizeof(time), "%10.3f s  ",
                static_cast<double>(x.at_us) / 1e6);
  const auto& who = story.lanes()[x.lane];
  auto out = time + std::string{to_string(who.kind)} + " " + who.name + ": "
             + std::string{to_string(x.kind)};
  if (!x.run.empty())
    out += " " + x.run;
  if (x.seq_first != 0)
    out += " from entry " + std::to_string(x.seq_first);
  if (x.seq_last != 0)
    out += " to entry " + std::to_string(x.seq_last);
  if (x.epoch != 0)
    out += " at epoch " + std::to_string(x.epoch);
  if (!x.text.empty())
    out += " (" + x.text + ")";
  return out + "\n";
}

} // namespace

outcome run_trial(shape what, const additions& more, std::size_t steps_max) {
  outcome out;
  out.what = what;
  world w{std::move(what), more};
  w.run(steps_max, steps_max >= steps_enough);
  out.broken = w.judge().broken();
  out.story = w.story();
  out.hash = w.story().hash();
  out.steps = w.steps();
  out.length = w.now();
  return out;
}

outcome shrink(const outcome& failed, const additions& more,
               std::size_t steps_max) {
  auto best = failed;
  std::size_t trials = 0;
  auto parts = std::size_t{2};
  while (!best.what.plan.empty() && trials < shrink_trials_max) {
    auto n = best.what.plan.size();
    parts = std::min(parts, n);
    auto chunk = (n + parts - 1) / parts;
    auto smaller = false;
    for (std::size_t from = 0; from < n && !smaller; from += chunk) {
      auto less = best.what;
      auto first = less.plan.begin() + static_cast<std::ptrdiff_t>(from);
      less.plan.erase(
        first, less.plan.begin()
                 + static_cast<std::ptrdiff_t>(std::min(from + chunk, n)));
      ++trials;
      auto got = run_trial(std::move(less), more, steps_max);
      if (same_violation(got, failed)) {
        best = std::move(got);
        smaller = true;
      }
    }
    if (!smaller && chunk == 1)
      break;
    parts = smaller ? std::max<std::size_t>(parts - 1, 2) : parts * 2;
  }
  return best;
}

std::string history_of(const outcome& failed) {
  const auto& all = failed.story.events();
  std::string run = failed.broken ? failed.broken->run : std::string{};
  std::vector<const event*> shown;
  for (const auto& x : all)
    if (is_telling(x, run))
      shown.push_back(&x);
  std::string out;
  auto left_out = shown.size() > shown_events ? shown.size() - shown_events : 0;
  if (left_out != 0)
    out += "  (" + std::to_string(left_out) + " earlier events)\n";
  for (auto i = left_out; i < shown.size(); ++i)
    out += line_of(*shown[i], failed.story);
  return out;
}

std::string to_hex(std::uint64_t hash) {
  char out[17];
  std::snprintf(out, sizeof(out), "%016llx",
                static_cast<unsigned long long>(hash));
  return out;
}

} // namespace baton::sim
