// SPDX-License-Identifier: MIT
#include "actors/sim/trial.hpp"

#include "actors/sim/report_layout.hpp"
#include "actors/sim/report_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <set>
#include <vector>

namespace baton::sim {
namespace {

constexpr std::size_t lines_max = 60;
constexpr std::size_t shrink_trials_max = 200;

bool same_violation(const outcome& a, const outcome& b) {
  return a.broken && b.broken && a.broken->invariant == b.broken->invariant;
}

/// Without a run that it is about, all runs are told of.
bool is_telling(const event& x, const std::string& run) {
  switch (x.kind) {
  case event_kind::fault:
  case event_kind::heal:
  case event_kind::violation:
    return true;
  case event_kind::output:
    return false;
  default:
    return run.empty() || x.run == run;
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
    out += " (" + std::string{text_of(x)}
           + (x.detail.empty() ? "" : ", " + x.detail) + ")";
  return out + "\n";
}

/// The usual way of an entry, in its order.
constexpr std::array usual{event_kind::append, event_kind::commit,
                           event_kind::ack, event_kind::viewer_got};

enum class weight : std::uint8_t {
  /// Decides nothing.
  light,
  /// Decides what becomes of a run.
  run,
  /// What went wrong.
  world,
};

weight weight_of(event_kind kind) {
  switch (kind) {
  case event_kind::fault:
  case event_kind::heal:
  case event_kind::violation:
    return weight::world;
  case event_kind::refused:
  case event_kind::request:
  case event_kind::viewer_end:
    return weight::light;
  default:
    return is_key(kind) ? weight::run : weight::light;
  }
}

/// The story of the faults and of the violated run, or of all runs.
class telling {
public:
  explicit telling(const outcome& failed)
    : story_(failed.story),
      tells_all_(!failed.broken || failed.broken->run.empty()) {
    auto run = tells_all_ ? std::string{} : failed.broken->run;
    for (const auto& x : story_.events())
      if (is_telling(x, run))
        take(x);
    close();
    leave_out(weight::light);
    // A run's own story is told with all that decided it, however long.
    if (tells_all_)
      for (auto x : {weight::run, weight::world})
        leave_out(x);
  }

  std::string tell() const {
    std::string out;
    std::size_t events = 0;
    for (const auto& x : lines_) {
      if (x.is_left_out) {
        events += x.events;
        continue;
      }
      tell_left_out(out, events);
      out += x.text;
    }
    tell_left_out(out, events);
    return out;
  }

private:
  struct line {
    std::string text;
    weight counts = weight::light;
    std::size_t events = 1;
    bool is_left_out = false;
  };

  struct span {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::set<std::size_t> lanes;
    std::size_t events = 0;
  };

  static void tell_left_out(std::string& out, std::size_t& events) {
    if (events != 0)
      out += "              (" + std::to_string(events)
             + (events == 1 ? " event)\n" : " events)\n");
    events = 0;
  }

  /// Of that weight the oldest give way, down to the usual length.
  void leave_out(weight what) {
    std::size_t left = 0;
    for (const auto& x : lines_)
      left += x.is_left_out ? 0 : 1;
    for (auto& x : lines_)
      if (left > lines_max && x.counts == what && !x.is_left_out) {
        x.is_left_out = true;
        --left;
      }
  }

  void take(const event& x) {
    auto stage = std::ranges::find(usual, x.kind);
    if (stage == usual.end() || !x.text.empty()) {
      close();
      lines_.push_back({line_of(x, story_), weight_of(x.kind)});
      return;
    }
    auto& s = stages_[static_cast<std::size_t>(stage - usual.begin())];
    auto first = x.seq_first == 0 ? x.seq_last : x.seq_first;
    s.first = s.first == 0 ? first : std::min(s.first, first);
    s.last = std::max(s.last, x.seq_last);
    s.lanes.insert(x.lane);
    s.events += 1;
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
      // Entries of several runs are no range.
      if (tells_all_) {
        out += std::to_string(s.events) + " " + std::string{verbs[i]};
        continue;
      }
      if (i == 0)
        out += senders(s) + " ";
      out += std::string{verbs[i]} + " " + std::to_string(s.first);
      if (s.first != s.last)
        out += ".." + std::to_string(s.last);
    }
    lines_.push_back({out + "\n", weight::light, events_});
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
  bool tells_all_;
  std::vector<line> lines_;
  std::array<span, usual.size()> stages_;
  std::size_t events_ = 0;
  std::int64_t since_us_ = 0;
};

// -- a world that ran out of steps --------------------------------------------

/// Of a world that came nowhere near its end these say nothing.
bool is_of_the_end(const std::string& invariant) {
  return invariant == "I9" || invariant == "I10" || invariant == "I11";
}

bool is_sent(event_kind x) {
  return x == event_kind::append || x == event_kind::claim
         || x == event_kind::request;
}

/// Who sent most in the last second of its life, when that is telling.
std::string busiest(const trace& story) {
  constexpr std::int64_t second_us = 1'000'000;
  constexpr std::size_t telling_from = 1'000;
  std::map<std::size_t, std::size_t> sent;
  const auto& all = story.events();
  for (auto i = all.rbegin();
       i != all.rend() && i->at_us >= all.back().at_us - second_us; ++i)
    if (is_sent(i->kind))
      ++sent[i->lane];
  // What a node passes on for its drivers is not its own.
  for (auto& [lane, times] : sent)
    for (auto on : story.lanes()[lane].on)
      if (auto node = sent.find(on); node != sent.end())
        node->second -= std::min(node->second, times);
  auto most =
    std::ranges::max_element(sent, {}, [](const auto& x) { return x.second; });
  if (most == sent.end() || most->second < telling_from)
    return {};
  return "; in its last second " + story.name_of(most->first) + " sent most, "
         + std::to_string(most->second) + " times";
}

std::string told_seconds(world_time x) {
  char out[32];
  std::snprintf(out, sizeof(out), "%.3f s",
                static_cast<double>(x.count()) / 1e9);
  return out;
}

/// What is true of it: that it did not get on, and not that it should have come
/// to its end.
void tell_standstill(outcome& x) {
  if (!x.broken || !is_of_the_end(x.broken->invariant))
    return;
  auto whole = std::chrono::duration_cast<std::chrono::seconds>(x.what.horizon);
  auto text = "after " + std::to_string(x.steps) + " steps the world was "
              + (x.length < x.what.horizon
                   ? "still at " + told_seconds(x.length) + " of its "
                       + std::to_string(whole.count()) + " s"
                   : "only " + told_seconds(x.length - x.what.horizon)
                       + " behind the end of its faults")
              + ": somebody sends without a pause" + busiest(x.story);
  x.broken = violation{"I9", "", text};
  for (auto i = x.story.events().size(); i-- > 0;)
    if (x.story.events()[i].kind == event_kind::violation)
      return x.story.retell(i, "", "I9: " + text);
}

} // namespace

outcome run_trial(shape what, const additions& more, std::size_t steps_max) {
  outcome out;
  out.what = what;
  world w{std::move(what), more};
  w.run(steps_max, false);
  auto is_out_of_steps = !w.judge().broken() && w.steps() >= steps_max;
  // Takes no more steps, and judges.
  if (is_out_of_steps && steps_max >= steps_enough)
    w.run(steps_max, true);
  out.broken = w.judge().broken();
  out.story = w.story();
  out.hash = w.story().hash();
  out.steps = w.steps();
  out.length = w.now();
  out.is_cut =
    !out.broken && steps_max < steps_enough && out.steps >= steps_max;
  if (is_out_of_steps)
    tell_standstill(out);
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
