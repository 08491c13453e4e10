// SPDX-License-Identifier: MIT
#include "actors/sim/report.hpp"

#include "actors/sim/report_layout.hpp"
#include "actors/sim/report_page.hpp"
#include "actors/sim/report_shapes.hpp"
#include "actors/sim/report_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

namespace baton::sim {
namespace {

constexpr std::size_t run_colours = 8;
constexpr std::size_t told_lines_max = 500;
constexpr std::size_t option_chars_max = 300;
constexpr std::size_t options_max = 100;
constexpr std::size_t runs_named_max = 100;
constexpr int lane_head_height = 42;
/// Two letters of a label are 11 px wide.
constexpr int two_letters_width = 11;
constexpr int two_bold_letters_width = 14;

std::string num(auto x) {
  return std::to_string(x);
}

std::string colour_of(std::size_t run) {
  return "r" + num(run % run_colours);
}

std::string hex(std::uint64_t x) {
  std::array<char, 20> text{};
  std::snprintf(text.data(), text.size(), "%016llx",
                static_cast<unsigned long long>(x));
  return text.data();
}

class page {
public:
  page(const trace& story, const report_head& head)
    : story_(story), head_(head), where_(lay_out(story)) {
    // nop
  }

  std::string write() {
    begin();
    head();
    legend();
    out_ += "</header>\n<main>\n";
    lane_heads();
    picture();
    out_ += "</main>\n";
    told();
    end();
    return std::move(out_);
  }

private:
  // -- around the picture -----------------------------------------------------

  void begin() {
    out_ += "<!DOCTYPE html>\n"
            "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n"
            "<head>\n<meta charset=\"utf-8\"/>\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\""
            "default-src 'none'; style-src 'unsafe-inline'; "
            "script-src 'unsafe-inline'\"/>\n"
            "<meta name=\"viewport\" content=\"width=device-width\"/>\n"
            "<title>"
            + title() + "</title>\n<style>";
    out_ += report_style;
    out_ += "</style>\n</head>\n<body>\n";
  }

  std::string title() const {
    return escaped(head_.program, 60) + ", seed " + num(head_.seed);
  }

  void fact(std::string_view name, const std::string& value) {
    out_ += "<dt>" + escaped(name, 60) + "</dt><dd><code>"
            + escaped(value, option_chars_max) + "</code></dd>\n";
  }

  void told_fact(std::string_view name, const std::string& words) {
    out_ += "<dt>" + escaped(name, 60) + "</dt><dd>"
            + escaped(words, option_chars_max) + "</dd>\n";
  }

  void head() {
    out_ += "<header>\n<h1>" + title() + "</h1>\n";
    if (!head_.violation.empty())
      out_ += "<p class=\"verdict broken\">violated: "
              + escaped(head_.violation, 2 * option_chars_max) + "</p>\n";
    else if (head_.is_cut)
      out_ += "<p class=\"verdict\">cut short: no invariant broke so far, "
              "endings were not judged</p>\n";
    else
      out_ += "<p class=\"verdict passed\">every invariant held</p>\n";
    out_ += "<dl>\n";
    if (!head_.command.empty())
      fact("replay", head_.command);
    if (!head_.reduced.empty()) {
      told_fact("this story",
                "reduced to " + head_.reduced
                  + "; the replay runs the whole story, which breaks the "
                    "same invariant, and then this one");
      fact("trace hash, whole", hex(head_.whole_hash));
    }
    fact(head_.reduced.empty() ? "trace hash" : "trace hash, reduced",
         hex(story_.hash()));
    auto us = story_.events().empty() ? 0 : story_.events().back().at_us;
    fact("virtual time",
         seconds(us) + ", " + num(story_.events().size()) + " events");
    for (std::size_t i = 0; i < head_.options.size() && i < options_max; ++i)
      fact(head_.options[i].first, head_.options[i].second);
    out_ += "</dl>\n";
  }

  void legend() {
    out_ += "<ul class=\"legend runs\">\n";
    for (std::size_t i = 0; i < where_.runs.size() && i < runs_named_max; ++i)
      out_ += "<li data-run=\"" + num(i)
              + "\" title=\"show or dim\"><span class=\"swatch " + colour_of(i)
              + "\"></span>run " + escaped(where_.runs[i], 40) + "</li>\n";
    out_ += "</ul>\n<ul class=\"legend\">\n";
    std::set<event_kind> used;
    for (const auto& m : where_.marks)
      used.insert(m.kind);
    for (auto kind : used) {
      out_ += "<li><svg width=\"20\" height=\"20\" viewBox=\"-10 -10 20 20\">"
              "<g class=\"mark"
              + class_of(kind) + "\">";
      out_ += shape_of(kind);
      out_ += "</g></svg>";
      out_ += meaning_of(kind);
      out_ += "</li>\n";
    }
    if (!where_.bars.empty())
      out_ += "<li><svg width=\"44\" height=\"12\" class=\"r0\">"
              "<path class=\"bar\" d=\"M0 6h18\"/>"
              "<path class=\"bar stale\" d=\"M22 6h22\"/></svg>"
              "holds the claim; no longer, but does not know</li>\n";
    legend_of_band(true, "away: dead, paused or out of reach");
    legend_of_band(false, "at work, but slow, its clocks off, or in a storm");
    out_ += "</ul>\n";
  }

  void legend_of_band(bool away, std::string_view words) {
    if (std::ranges::find(where_.bands, away, &report_band::is_away)
        == where_.bands.end())
      return;
    out_ += "<li><svg width=\"24\" height=\"14\"><path class=\"band";
    out_ += away ? "" : " at-work";
    out_ += "\" d=\"M1 1h22v12h-22z\"/></svg>";
    out_ += words;
    out_ += "</li>\n";
  }

  void told() {
    std::size_t lines = 0;
    out_ += "<details><summary>The story in words</summary>\n<ol>\n";
    for (const auto& m : where_.marks) {
      if (!is_key(m.kind) && m.kind != event_kind::lost)
        continue;
      if (++lines > told_lines_max) {
        out_ += "<li>and more, in the picture</li>\n";
        break;
      }
      out_ += "<li>" + sentence_of(story_, where_, m) + "</li>\n";
    }
    out_ += "</ol></details>\n";
  }

  void end() {
    out_ += "<footer>Time runs down. Point at a mark for all there is to know; "
            "click a run above to dim it.</footer>\n"
            "<p id=\"say\"></p>\n<script>";
    out_ += report_script;
    out_ += "</script>\n</body>\n</html>\n";
  }

  // -- the picture ------------------------------------------------------------

  void lane_heads() {
    out_ += "<div class=\"lanes\"><svg width=\"" + num(where_.width)
            + "\" height=\"" + num(lane_head_height) + "\">\n";
    for (const auto& column : where_.columns) {
      const auto& lane = story_.lanes()[column.lane];
      auto x = num(column.x);
      out_ += "<text class=\"kind\" x=\"" + x + "\" y=\"15\">";
      out_ += to_string(lane.kind);
      out_ += "</text><text class=\"name\" x=\"" + x + "\" y=\"32\">"
              + escaped(story_.seat_of(column.lane), letters_in_column())
              + "</text>\n";
    }
    out_ += "</svg></div>\n";
  }

  void picture() {
    if (where_.left_out > 0)
      out_ += "<p class=\"time\">" + num(where_.left_out)
              + " earlier events are left out</p>\n";
    out_ += "<svg width=\"" + num(where_.width) + "\" height=\""
            + num(where_.height)
            + "\">\n<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"11\" "
              "refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
              "orient=\"auto\"><path d=\"M0 1L7 4 0 7z\" "
              "style=\"fill:var(--dim)\"/></marker></defs>\n";
    background();
    for (const auto& x : where_.links)
      line_of(x);
    for (std::size_t i = 0; i < where_.marks.size(); ++i)
      mark_at(i);
    out_ += "</svg>\n";
  }

  void background() {
    for (const auto& x : where_.bands)
      out_ += "<path class=\"band" + std::string{x.is_away ? "" : " at-work"}
              + "\" d=\"M" + num(x.x - report_line_offset + 2) + " "
              + num(x.y_from) + "h" + num(where_.column_width - 4) + "V"
              + num(x.y_to) + "h-" + num(where_.column_width - 4) + "z\"/>\n";
    for (const auto& column : where_.columns)
      out_ += "<path class=\"lane\" d=\"M" + num(column.x) + " 0V"
              + num(where_.height) + "\"/>\n";
    for (const auto& x : where_.ticks)
      tick(x);
    for (const auto& x : where_.bars)
      out_ += "<path class=\"bar " + colour_of(x.run)
              + (x.stale ? " stale" : "") + "\" data-run=\"" + num(x.run)
              + "\" d=\"M" + num(x.x) + " " + num(x.y_from) + "V" + num(x.y_to)
              + "\"/>\n";
  }

  void tick(const report_tick& x) {
    if (x.is_fold)
      out_ += "<path class=\"fold\" d=\"M0 " + num(x.y - 9) + "h"
              + num(where_.width) + "v18h-" + num(where_.width) + "z\"/>\n"
              + "<text class=\"time\" x=\"8\" y=\"" + num(x.y + 4) + "\">"
              + seconds(x.at_us) + " quiet</text>\n";
    else
      out_ += "<path class=\"rule\" d=\"M" + num(report_axis_width - 8) + " "
              + num(x.y) + "H" + num(where_.width) + "\"/>"
              + "<text class=\"time\" x=\"8\" y=\"" + num(x.y + 4) + "\">"
              + seconds(x.at_us) + "</text>\n";
  }

  void line_of(const report_link& x) {
    const auto& from = where_.marks[x.from];
    const auto& to = where_.marks[x.to];
    out_ += "<path class=\"link";
    if (to.run)
      out_ += " " + colour_of(*to.run);
    if (x.is_lost)
      out_ += " lost";
    out_ += "\" data-a=\"" + num(x.from) + "\" data-b=\"" + num(x.to) + "\"";
    if (to.run)
      out_ += " data-run=\"" + num(*to.run) + "\"";
    out_ += " d=\"M" + num(from.x) + " " + num(from.y) + "L" + num(to.x) + " "
            + num(to.y) + "\"/>\n";
  }

  std::string class_of(event_kind kind) const {
    std::string out = is_key(kind) ? " key" : "";
    switch (kind) {
    case event_kind::refused:
    case event_kind::fault:
    case event_kind::heal:
    case event_kind::violation:
      return out + " " + std::string{to_string(kind)};
    case event_kind::lost:
      return out + " lost-mark";
    default:
      return out;
    }
  }

  void mark_at(std::size_t i) {
    const auto& m = where_.marks[i];
    if (m.kind == event_kind::violation)
      out_ += "<path class=\"breach\" d=\"M0 " + num(m.y) + "H"
              + num(where_.width) + "\"/>\n";
    out_ += "<g class=\"mark" + class_of(m.kind);
    if (m.run)
      out_ += " " + colour_of(*m.run) + "\" data-run=\"" + num(*m.run);
    out_ += "\" data-m=\"" + num(i) + "\" transform=\"translate(" + num(m.x)
            + " " + num(m.y) + ")\"><title>" + sentence_of(story_, where_, m)
            + "</title><path class=\"hit\" d=\"M-9-8h"
            + num(where_.column_width - report_line_offset) + "v16h-"
            + num(where_.column_width - report_line_offset) + "z\"/>";
    out_ += shape_of(m.kind);
    // What broke is told above its line, towards the wider half.
    if (m.kind == event_kind::violation)
      out_ +=
        (is_told_leftwards(m) ? "<text x=\"-12\" y=\"-6\" text-anchor=\"end\">"
                              : "<text x=\"12\" y=\"-6\">")
        + label_of(story_, m, letters_of_breach(m)) + "</text></g>\n";
    else
      out_ += "<text x=\"11\" y=\"4\">"
              + label_of(story_, m, letters_in_column()) + "</text></g>\n";
  }

  bool is_told_leftwards(const report_mark& m) const {
    return m.x > where_.width / 2;
  }

  /// The page's head has all of it.
  std::size_t letters_of_breach(const report_mark& m) const {
    auto room =
      (is_told_leftwards(m) ? m.x - report_axis_width : where_.width - m.x)
      - 12;
    return static_cast<std::size_t>(2 * std::max(room, 0)
                                    / two_bold_letters_width);
  }

  std::size_t letters_in_column() const {
    return static_cast<std::size_t>(
      2 * (where_.column_width - report_line_offset - 6) / two_letters_width);
  }

  const trace& story_;
  const report_head& head_;
  report_layout where_;
  std::string out_;
};

} // namespace

std::string html_report(const trace& story, const report_head& head) {
  return page{story, head}.write();
}

} // namespace baton::sim
