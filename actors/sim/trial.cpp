// SPDX-License-Identifier: MIT
#include "actors/sim/trial.hpp"

#include "actors/sim/report_layout.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <vector>

namespace baton::sim {
namespace {

constexpr std::size_t lines_max = 60;
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

std::string time_of(std::int64_t us) {
  char out[32];
  std::snprintf(out, sizeof(out), "%10.3f s  ", static_cast<double>(us) / 1e6);
  return out;
}

std::string line_of(const event& x, const trace& story) {
  auto out = time_of(x.at_us) + story.name_of(x.lane) + ": "
             + std::string{to_string(x.kind)};
  if (!x.run.empty())
    out += " " + x.run;
  if (x.epoch != 0)
    out += " at epoch " + std::to_string(x.epoch);
  if (x.seq_first != 0)
    out += " from entry " + std::to_string(x.seq_first);
  if (x.seq_last != 0)
    out += " to entry " + std::to_string(x.seq_last);
  if (!x.text.empty())
    out += " (" + x.text + (x.detail.empty() ? "" : ", " + x.detail) + ")";
  return out + "\n";
}

/// The usual way of an entry, in its order.
constexpr std::array usual{event_kind::append, event_kind::commit,
                           event_kind::ack, event_kind::viewer_got};

/// Decides what becomes of a run: never left out.
bool is_decisive(event_kind kind) {
  return is_key(kind) && kind != event_kind::refused
         && kind != event_kind::request && kind != event_kind::viewer_end;
}

/// The story of the violated run and of the faults.
class telling {
public:
  explicit telling(const outcome& failed) : story_(failed.story) {
    auto run = failed.broken ? failed.broken->run : std::string{};
    for (const auto& x : story_.events())
      if (is_telling(x, run))
        take(x);
    close();
  }

  /// What decides nothing gives way, the oldest first.
  std::string tell() const {
    auto spare = lines_.size() > lines_max ? lines_.size() - lines_max : 0;
    std::string out;
    std::size_t left_out = 0;
    for (const auto& x : lines_) {
      if (spare > 0 && !x.decisive) {
        --spare;
        left_out += x.events;
        continue;
      }
      tell_left_out(out, left_out);
      out += x.text;
    }
    tell_left_out(out, left_out);
    return out;
  }

private:
  struct line {
    std::string text;
    bool decisive = false;
    std::size_t events = 1;
  };

  struct span {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::set<std::size_t> lanes;
  };

  static void tell_left_out(std::string& out, std::size_t& events) {
    if (events != 0)
      out += "              (" + std::to_string(events) + " events)\n";
    events = 0;
  }

  void take(const event& x) {
    auto stage = std::ranges::find(usual, x.kind);
    if (stage == usual.end() || !x.text.empty()) {
      close();
      lines_.push_back({line_of(x, story_), is_decisive(x.kind)});
      return;
    }
    auto& s = stages_[static_cast<std::size_t>(stage - usual.begin())];
    auto first = x.seq_first == 0 ? x.seq_last : x.seq_first;
    s.first = s.first == 0 ? first : std::min(s.first, first);
    s.last = std::max(s.last, x.seq_last);
    s.lanes.insert(x.lane);
    if (++events_ == 1)
      since_us_ = x.at_us;
  }

  /// One line for all that was usual.
  void close() {
    if (events_ == 0)
      return;
    constexpr std::array<std::string_view, usual.size()> verbs{
      "sends", "durable", "acknowledged", "seen"};
    auto out = time_of(since_us_);
    std::string_view comma;
    for (std::size_t i = 0; i < usual.size(); ++i) {
      const auto& s = stages_[i];
      if (s.last == 0)
        continue;
      out += comma;
      comma = ", ";
      if (i == 0)
        out += senders(s) + " ";
      out += std::string{verbs[i]} + " " + std::to_string(s.first);
      if (s.first != s.last)
        out += ".." + std::to_string(s.last);
    }
    lines_.push_back({out + "\n", false, events_});
    stages_ = {};
    events_ = 0;
  }

  /// Not the nodes through which drivers send.
  std::string senders(const span& s) const {
    auto is_driver = [&](auto lane) {
      return story_.lanes()[lane].kind == lane_kind::driver;
    };
    auto drivers = std::ranges::any_of(s.lanes, is_driver);
    std::string out;
    for (auto lane : s.lanes)
      if (!drivers || is_driver(lane))
        out += (out.empty() ? "" : ", ") + story_.name_of(lane);
    return out;
  }

  const trace& story_;
  std::vector<line> lines_;
  std::array<span, usual.size()> stages_;
  std::size_t events_ = 0;
  std::int64_t since_us_ = 0;
};

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
  out.is_cut =
    !out.broken && steps_max < steps_enough && out.steps >= steps_max;
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
  return telling{failed}.tell();
}

std::string to_hex(std::uint64_t hash) {
  char out[17];
  std::snprintf(out, sizeof(out), "%016llx",
                static_cast<unsigned long long>(hash));
  return out;
}

} // namespace baton::sim
