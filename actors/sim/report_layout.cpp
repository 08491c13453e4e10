// SPDX-License-Identifier: MIT
#include "actors/sim/report_layout.hpp"

#include "actors/sim/faults.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

namespace baton::sim {
namespace {

/// A line of text.
constexpr int mark_distance = 16;
/// What broke is told above its line, across other lanes.
constexpr int breach_distance = 2 * mark_distance;
/// A millisecond is a pixel, within these.
constexpr std::int64_t us_per_pixel = 1'000;
constexpr std::int64_t step_min = 2;
constexpr std::int64_t step_max = 36;
/// What is longer is folded into this height.
constexpr std::int64_t quiet_us = 1'000'000;
constexpr int fold_height = 44;
constexpr int tick_distance = 40;
constexpr int margin = 18;
constexpr int bar_distance = 5;
constexpr int bars_abreast = 5;

/// What arrives later than this was not under way: it was read from the store.
constexpr std::int64_t under_way_us = 2'000'000;

constexpr std::int64_t merge_us_first = 40'000;

int flow_order(lane_kind kind) {
  switch (kind) {
  case lane_kind::agent:
    return 0;
  case lane_kind::driver:
    return 1;
  case lane_kind::node:
    return 2;
  case lane_kind::coordinator:
    return 3;
  case lane_kind::viewer:
    return 4;
  }
  return 5;
}

/// Whatever heals one way between a worker and the coordinator heals it all.
std::string group_of(const std::string& fault) {
  return fault == to_string(fault_kind::one_way_cut)
             || fault == to_string(fault_kind::late_append)
           ? std::string{to_string(fault_kind::cut)}
           : fault;
}

/// Storms of a kind go on beside each other; of what else overlaps the first
/// healing ends all.
bool is_storm(const std::string& fault) {
  return fault.ends_with("_storm");
}

/// Not so: what happens to the network and to the disk.
bool ends_with_life(const std::string& group) {
  return !is_storm(group) && group != to_string(fault_kind::cut)
         && group != to_string(fault_kind::slow_disk) && group != gone_for_good;
}

/// At work all the same, however badly.
bool is_away(const std::string& group) {
  return !is_storm(group) && group != to_string(fault_kind::slow_disk)
         && group != to_string(fault_kind::late_launch)
         && group != to_string(fault_kind::clock_drift);
}

/// Of the coordinator, by whatever name.
bool is_death(const std::string& fault) {
  return ends_with_life(fault) && is_away(fault)
         && fault != to_string(fault_kind::pause_node);
}

int width_for(std::size_t columns) {
  return columns <= 7 ? 176 : columns <= 12 ? 148 : 130;
}

class layouter {
public:
  layouter(const trace& story, const layout_limits& limits)
    : story_(story), limits_(limits) {
    // nop
  }

  report_layout run() {
    name_runs();
    auto duration = story_.events().empty() ? 0 : story_.events().back().at_us;
    for (auto window = merge_us_first; true; window *= 2) {
      merge(window);
      if (out_.marks.size() <= limits_.marks_wanted || window > duration)
        break;
    }
    leave_out();
    make_columns();
    place();
    link();
    draw_bars();
    draw_bands();
    return std::move(out_);
  }

private:
  void name_runs() {
    std::set<std::string> names;
    for (const auto& e : story_.events())
      if (!e.run.empty())
        names.insert(e.run);
    out_.runs.assign(names.begin(), names.end());
  }

  std::optional<std::size_t> run_index(const std::string& name) const {
    if (name.empty())
      return std::nullopt;
    auto i = std::ranges::lower_bound(out_.runs, name);
    return static_cast<std::size_t>(i - out_.runs.begin());
  }

  void merge(std::int64_t window) {
    using like =
      std::tuple<std::size_t, event_kind, std::string, std::uint64_t>;
    std::map<like, std::size_t> open;
    out_.marks.clear();
    mark_of_.assign(story_.events().size(), 0);
    for (std::size_t i = 0; i < story_.events().size(); ++i) {
      const auto& e = story_.events()[i];
      if (is_key(e.kind))
        std::erase_if(open, [&](const auto& x) {
          return e.run.empty() || std::get<2>(x.first) == e.run;
        });
      like kind{e.lane, e.kind, e.run, e.epoch};
      auto known = open.find(kind);
      if (!is_key(e.kind) && known != open.end()
          && e.at_us - out_.marks[known->second].from_us <= window) {
        add_to(out_.marks[known->second], e, i);
        mark_of_[i] = known->second;
        continue;
      }
      mark_of_[i] = out_.marks.size();
      if (!is_key(e.kind))
        open.insert_or_assign(kind, out_.marks.size());
      out_.marks.push_back({i, i, 1, e.kind, e.lane, run_index(e.run), e.epoch,
                            e.seq_first, e.seq_last, e.at_us, e.at_us, 0, 0});
    }
  }

  static void add_to(report_mark& m, const event& e, std::size_t index) {
    m.last_event = index;
    m.events += 1;
    if (e.seq_first != 0 && (m.seq_first == 0 || e.seq_first < m.seq_first))
      m.seq_first = e.seq_first;
    m.seq_last = std::max(m.seq_last, e.seq_last);
    m.until_us = e.at_us;
  }

  /// The end of a story is what one looks at.
  void leave_out() {
    auto& marks = out_.marks;
    if (marks.size() <= limits_.marks_max)
      return;
    first_kept_ = marks.size() - limits_.marks_max;
    for (std::size_t i = 0; i < first_kept_; ++i)
      out_.left_out += marks[i].events;
    marks.erase(marks.begin(),
                marks.begin() + static_cast<std::ptrdiff_t>(first_kept_));
  }

  std::optional<std::size_t> mark_of(std::size_t event_index) const {
    if (event_index >= mark_of_.size() || mark_of_[event_index] < first_kept_)
      return std::nullopt;
    return mark_of_[event_index] - first_kept_;
  }

  /// Lanes on which nothing happens are not shown.
  void make_columns() {
    std::set<std::size_t> used;
    for (const auto& m : out_.marks)
      used.insert(m.lane);
    for (auto lane : used)
      out_.columns.push_back({lane, 0});
    const auto& lanes = story_.lanes();
    std::ranges::stable_sort(out_.columns, {}, [&](const report_column& x) {
      return std::pair{flow_order(lanes.at(x.lane).kind),
                       lanes.at(x.lane).name};
    });
    out_.column_width = width_for(out_.columns.size());
    x_of_.assign(lanes.size(), 0);
    int x = report_axis_width;
    for (auto& column : out_.columns) {
      column.x = x + report_line_offset;
      x_of_.at(column.lane) = column.x;
      x += out_.column_width;
    }
    out_.width = x + margin;
  }

  void place() {
    std::vector<int> free_from(story_.lanes().size(), 0);
    int y = margin;
    int lowest = -margin;
    int last_tick = -tick_distance;
    std::optional<std::int64_t> before;
    for (auto& m : out_.marks) {
      auto passed =
        std::max<std::int64_t>(m.from_us - before.value_or(m.from_us), 0);
      if (passed > quiet_us) {
        out_.ticks.push_back({y + fold_height / 2, passed, true});
        y += fold_height;
        last_tick = y - tick_distance;
      } else if (passed > 0) {
        y += static_cast<int>(
          std::clamp(passed / us_per_pixel, step_min, step_max));
      }
      before = std::max(m.from_us, before.value_or(m.from_us));
      y = std::max(y, free_from.at(m.lane));
      m.x = x_of_.at(m.lane);
      if (m.kind == event_kind::violation) {
        y = std::max(y, lowest + breach_distance);
        std::ranges::fill(free_from, y + mark_distance);
      }
      lowest = m.y = y;
      free_from.at(m.lane) = y + mark_distance;
      if (y - last_tick >= tick_distance) {
        out_.ticks.push_back({y, m.from_us, false});
        last_tick = y;
      }
    }
    out_.height = y + 2 * margin;
  }

  void link() {
    std::set<std::pair<std::size_t, std::size_t>> drawn;
    for (std::size_t i = 0; i < story_.events().size(); ++i) {
      const auto& e = story_.events()[i];
      if (!e.caused_by)
        continue;
      auto from = mark_of(*e.caused_by);
      auto to = mark_of(i);
      if (!from || !to || out_.marks[*from].lane == out_.marks[*to].lane
          || e.at_us - story_.events()[*e.caused_by].at_us > under_way_us
          || !drawn.emplace(*from, *to).second)
        continue;
      out_.links.push_back({*from, *to, e.kind == event_kind::lost});
    }
  }

  void draw_bars() {
    for (std::size_t i = 0; i < out_.marks.size(); ++i) {
      const auto& claim = out_.marks[i];
      if (claim.kind == event_kind::claim && claim.run)
        draw_bar(i, claim);
    }
  }

  void draw_bar(std::size_t index, const report_mark& claim) {
    auto over = out_.height - margin;
    report_bar bar{*claim.run, claim.epoch, false, 0, claim.y, over};
    bar.x =
      claim.x - 8 - bar_distance * static_cast<int>(*claim.run % bars_abreast);
    // Nothing comes between it and the coordinator: it is told at once.
    auto home = coordinators_node();
    bool lost = false;
    bool knows = false;
    for (auto k = index + 1; k < out_.marks.size(); ++k) {
      const auto& m = out_.marks[k];
      knows |= kills(m, claim.lane) || tells_to_stop(m, claim);
      auto ends =
        lost ? knows || is_same(m, claim, event_kind::refused)
                 || is_same(m, claim, event_kind::claim)
             : m.run == claim.run
                 && (m.kind == event_kind::claim || m.kind == event_kind::finish
                     || is_same(m, claim, event_kind::refused));
      if (!ends)
        continue;
      bar.y_to = m.y;
      out_.bars.push_back(bar);
      if (lost || knows || m.kind != event_kind::claim || m.lane == claim.lane
          || was_free(m) || claim.lane == home)
        return;
      lost = true;
      bar = {bar.run, bar.epoch, true, bar.x, m.y, over};
    }
    out_.bars.push_back(bar);
  }

  static bool is_same(const report_mark& m, const report_mark& claim,
                      event_kind kind) {
    return m.kind == kind && m.lane == claim.lane && m.run == claim.run;
  }

  const std::string& text_of(const report_mark& m) const {
    return story_.events()[m.first_event].text;
  }

  bool tells_to_stop(const report_mark& m, const report_mark& claim) const {
    return is_same(m, claim, event_kind::note) && m.epoch == claim.epoch
           && text_of(m) == "told to stop";
  }

  /// It was given back before.
  bool was_free(const report_mark& claim) const {
    return text_of(claim) == "external";
  }

  /// The dead hold on to nothing.
  bool kills(const report_mark& m, std::size_t holder) const {
    const auto& e = story_.events()[m.first_event];
    if (m.kind != event_kind::fault || e.is_armed)
      return false;
    if (m.lane == holder || is_on(holder, m.lane))
      return e.text == to_string(fault_kind::kill_node);
    auto home = coordinators_node();
    return story_.lanes()[m.lane].kind == lane_kind::coordinator
           && (holder == home || is_on(holder, home)) && is_death(e.text);
  }

  /// A world names it first.
  std::size_t coordinators_node() const {
    const auto& lanes = story_.lanes();
    return static_cast<std::size_t>(
      std::ranges::find(lanes, lane_kind::node, &lane::kind) - lanes.begin());
  }

  bool is_on(std::size_t lane, std::size_t node) const {
    return std::ranges::find(story_.lanes()[lane].on, node)
           != story_.lanes()[lane].on.end();
  }

  /// What is wrong with a lane, and how often; since when it is shaded, by
  /// whether it is away.
  struct shade {
    std::map<std::string, int> wrong;
    std::array<std::optional<int>, 2> since;
  };

  void draw_bands() {
    std::map<std::size_t, shade> shades;
    for (const auto& m : out_.marks) {
      const auto& e = story_.events()[m.first_event];
      if (m.kind == event_kind::fault && !e.is_armed)
        darken(shades[m.lane], e.text, m);
      else if (m.kind == event_kind::heal && e.text == all_whole)
        for (auto& [lane, x] : shades)
          brighten(x, lane, m.y);
      else if (m.kind == event_kind::heal)
        lighten(shades[m.lane], e.text, m);
    }
    for (auto& [lane, x] : shades) {
      x.wrong.clear();
      redraw(x, lane, out_.height - margin);
    }
  }

  /// What is wrong now has changed there.
  void redraw(shade& x, std::size_t lane, int y) {
    for (auto away : {true, false}) {
      auto& since = x.since[away ? 1 : 0];
      auto is = std::ranges::any_of(
        x.wrong, [&](const auto& w) { return is_away(w.first) == away; });
      if (is && !since) {
        since = y;
      } else if (!is && since) {
        out_.bands.push_back({x_of_.at(lane), *since, y, away});
        since.reset();
      }
    }
  }

  /// The whole world is healed, but for what never is.
  void brighten(shade& x, std::size_t lane, int y) {
    std::erase_if(x.wrong,
                  [](const auto& w) { return w.first != gone_for_good; });
    redraw(x, lane, y);
  }

  void darken(shade& x, const std::string& fault, const report_mark& m) {
    // What ends by itself has no end in the story.
    if (story_.lanes().at(m.lane).kind == lane_kind::agent)
      return;
    ++x.wrong[group_of(fault)];
    redraw(x, m.lane, m.y);
  }

  void lighten(shade& x, const std::string& fault, const report_mark& m) {
    if (fault == restarted) // A new life has none of the old one's ills.
      std::erase_if(x.wrong,
                    [](const auto& y) { return ends_with_life(y.first); });
    else if (auto i = x.wrong.find(group_of(fault)); i != x.wrong.end())
      if (--i->second == 0 || !is_storm(fault))
        x.wrong.erase(i);
    redraw(x, m.lane, m.y);
  }

  const trace& story_;
  layout_limits limits_;
  report_layout out_;
  std::vector<std::size_t> mark_of_;
  std::size_t first_kept_ = 0;
  std::vector<int> x_of_;
};

} // namespace

bool is_key(event_kind kind) noexcept {
  switch (kind) {
  case event_kind::create:
  case event_kind::claim:
  case event_kind::refused:
  case event_kind::launch:
  case event_kind::exit:
  case event_kind::finish:
  case event_kind::viewer_end:
  case event_kind::request:
  case event_kind::fault:
  case event_kind::heal:
  case event_kind::violation:
    return true;
  default:
    return false;
  }
}

report_layout lay_out(const trace& story, const layout_limits& limits) {
  return layouter{story, limits}.run();
}

} // namespace baton::sim
