// SPDX-License-Identifier: MIT
// Goal: a report is one well-formed page that needs nothing else, is the same
// each time, stays small, and runs nothing that an agent wrote.
#include "actors/sim/report.hpp"

#include "tests/actors/sim/story.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <cctype>
#include <cstdio>

using namespace baton;
using namespace baton::sim;

namespace {

/// Why the page is not well-formed; empty when it is: elements nest, attributes
/// are quoted, text holds no stray markup. Scripts and styles are text here
/// too, as an XML parser reads them.
class page_reader {
public:
  explicit page_reader(std::string_view page) : rest_(page) {}

  std::string problem() {
    if (!take("<!DOCTYPE html>"))
      return "no doctype";
    while (why_.empty() && !rest_.empty()) {
      if (rest_.front() == '<')
        element();
      else if (rest_.front() == '&')
        entity();
      else if (rest_.front() == '>')
        why_ = in_code() ? "" : "a stray >", rest_.remove_prefix(1);
      else
        rest_.remove_prefix(1);
    }
    if (why_.empty() && !open_.empty())
      why_ = "never closed: " + open_.back();
    return why_;
  }

private:
  bool in_code() const {
    return !open_.empty()
           && (open_.back() == "script" || open_.back() == "style");
  }

  bool take(std::string_view x) {
    if (!rest_.starts_with(x))
      return false;
    rest_.remove_prefix(x.size());
    return true;
  }

  std::string name() {
    std::size_t n = 0;
    while (n < rest_.size()
           && (std::isalnum(static_cast<unsigned char>(rest_[n])) != 0
               || rest_[n] == '-' || rest_[n] == '_'))
      ++n;
    std::string out{rest_.substr(0, n)};
    rest_.remove_prefix(n);
    if (out.empty())
      why_ = "a name is missing before: " + std::string{rest_.substr(0, 40)};
    return out;
  }

  void entity() {
    for (auto x : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"})
      if (take(x))
        return;
    why_ = "a stray & before: " + std::string{rest_.substr(0, 40)};
  }

  void element() {
    if (take("</")) {
      auto x = name();
      if (open_.empty() || open_.back() != x)
        why_ = "closed but not open: " + x;
      else
        open_.pop_back();
      if (!take(">"))
        why_ = "an end tag does not end: " + x;
      return;
    }
    take("<");
    auto x = name();
    while (why_.empty() && take(" "))
      attribute();
    if (take("/>") || !why_.empty())
      return;
    if (!take(">"))
      why_ = "a tag does not end: " + x;
    open_.push_back(x);
  }

  void attribute() {
    name();
    if (!take("=\""))
      why_ = "an attribute without quotes";
    auto n = rest_.find('"');
    if (n == std::string_view::npos
        || rest_.substr(0, n).find('<') != std::string_view::npos)
      why_ = "an attribute does not end";
    else
      rest_.remove_prefix(n + 1);
  }

  std::string_view rest_;
  std::vector<std::string> open_;
  std::string why_;
};

report_head head_of(std::string violation = {}) {
  return {42, {{"nodes", "3"}}, "baton-sim --seed 42", std::move(violation)};
}

const std::string hostile =
  "</title></svg><script>alert(1)</script>\" onload='x'"
  "\xFF\x00\x1B[2J-->]]>&lt;";

bool has(const std::string& page, std::string_view what) {
  return page.find(what) != std::string::npos;
}

} // namespace

BOOST_AUTO_TEST_SUITE(sim_report)

BOOST_AUTO_TEST_CASE(a_page_is_well_formed_and_says_what_it_shows) {
  test::story s;
  s.takeover();
  auto page = html_report(s.told, head_of());

  BOOST_TEST(page_reader{page}.problem() == "");
  for (auto x : {"seed 42", "every invariant held", "baton-sim --seed 42",
                 "pause_node", "r1 e2 lease_lapsed", "fenced"})
    BOOST_TEST(has(page, x), x);
}

BOOST_AUTO_TEST_CASE(a_violated_invariant_is_marked) {
  test::story s;
  s.takeover();
  s.add(0, s.coordinator, event_kind::violation, 2, 0, "I3: byte 7, not 8");
  auto page = html_report(s.told, head_of("I3: byte 7, not 8"));

  BOOST_TEST(page_reader{page}.problem() == "");
  BOOST_TEST(has(page, "violated: I3: byte 7, not 8"));
  BOOST_TEST(has(page, "class=\"breach\""));
  BOOST_TEST(!has(page, "every invariant held"));
}

BOOST_AUTO_TEST_CASE(a_story_that_was_cut_claims_nothing_of_its_end) {
  test::story s;
  s.takeover();
  auto head = head_of();
  head.is_cut = true;
  auto page = html_report(s.told, head);

  BOOST_TEST(!has(page, "every invariant held"));
  BOOST_TEST(has(page, "endings were not judged"));
}

BOOST_AUTO_TEST_CASE(a_reduced_story_says_so_and_names_both_hashes) {
  test::story s;
  s.takeover();
  auto head = head_of("I3: byte 7, not 8");
  head.program = "my_test";
  head.reduced = "2 of its 14 faults";
  head.whole_hash = 0xfac2;
  auto page = html_report(s.told, head);

  for (auto x : {"<title>my_test, seed 42", "reduced to 2 of its 14 faults",
                 "the replay runs the whole story", "000000000000fac2"})
    BOOST_TEST(has(page, x), x);
  std::array<char, 20> own{};
  std::snprintf(own.data(), own.size(), "%016llx",
                static_cast<unsigned long long>(s.told.hash()));
  BOOST_TEST(has(page, own.data()));
}

BOOST_AUTO_TEST_CASE(a_drivers_lane_names_its_node) {
  test::story s;
  auto driver = s.told.lane_of(lane_kind::driver, "relay");
  s.told.place(driver, s.n2);
  s.told.place(driver, s.n2);
  s.add(0, driver, event_kind::claim, 1);
  auto page = html_report(s.told, head_of());

  BOOST_TEST(has(page, ">relay on n2</text>"));
  BOOST_TEST(has(page, "driver relay on n2, claim"));
}

BOOST_AUTO_TEST_CASE(a_driver_that_moved_says_so) {
  test::story s;
  auto driver = s.told.lane_of(lane_kind::driver, "relay");
  for (auto node : {s.n1, s.n2})
    s.told.place(driver, node);
  BOOST_TEST(s.told.name_of(driver) == "driver relay on n1 and n2");

  s.add(0, s.n1, event_kind::fault, 0, 0, "is gone for good");
  s.add(0, driver, event_kind::claim, 1);
  BOOST_TEST(s.told.name_of(driver) == "driver relay on n1, then n2");
  BOOST_TEST(
    has(html_report(s.told, head_of()), ">relay on n1, then n2</text>"));
}

BOOST_AUTO_TEST_CASE(who_is_away_looks_unlike_who_is_at_work) {
  test::story s;
  s.add(0, s.coordinator, event_kind::fault, 0, 0, "viewer_storm");
  auto page = html_report(s.told, head_of());
  BOOST_TEST(has(page, "class=\"band at-work\""));
  BOOST_TEST(!has(page, "class=\"band\""));
  BOOST_TEST(!has(page, "away: "));

  s.add(0, s.coordinator, event_kind::fault, 0, 0, "kill_coordinator");
  page = html_report(s.told, head_of());
  BOOST_TEST(has(page, "class=\"band\""));
  BOOST_TEST(has(page, "away: dead, paused or out of reach"));
  BOOST_TEST(page_reader{page}.problem() == "");
}

BOOST_AUTO_TEST_CASE(the_text_of_what_broke_stays_within_the_picture) {
  for (auto seen : {false, true}) {
    test::story s;
    s.takeover();
    if (seen)
      s.add(0, s.told.lane_of(lane_kind::viewer, "v1"), event_kind::viewer_got);
    s.add(0, seen ? s.agent : s.coordinator, event_kind::violation, 0, 0,
          std::string(300, 'x'));
    auto page = html_report(s.told, head_of());
    BOOST_TEST(has(page, std::string(20, 'x') + "\xE2\x80\xA6</text>"));
    BOOST_TEST(!has(page, std::string(150, 'x') + "\xE2\x80\xA6</text>"));
  }
}

// A clipped page could not be scrolled to the lanes on the right.
BOOST_AUTO_TEST_CASE(nothing_of_a_wide_picture_is_clipped) {
  auto page = html_report(trace{}, head_of());

  BOOST_TEST(!has(page, "overflow-x"));
  BOOST_TEST(has(page, "main{width:max-content;min-width:100%"));
}

BOOST_AUTO_TEST_CASE(the_page_needs_nothing_else) {
  test::story s;
  s.takeover();
  auto page = html_report(s.told, head_of());

  BOOST_TEST(has(page, "default-src 'none'"));
  for (auto x : {"src=", "href=", "@import", "fetch("})
    BOOST_TEST(!has(page, x), x);
  // The one URL is the name of the language.
  auto first = page.find("://");
  BOOST_TEST(page.find("://", first + 1) == std::string::npos);
}

BOOST_AUTO_TEST_CASE(nothing_that_an_agent_wrote_is_markup) {
  test::story s;
  s.takeover();
  auto lane = s.told.lane_of(lane_kind::viewer, hostile);
  for (int i = 0; i <= static_cast<int>(event_kind::note); ++i)
    s.told.add({s.now_us,
                lane,
                static_cast<event_kind>(i),
                hostile,
                0,
                0,
                0,
                hostile,
                {}});
  auto head = head_of(hostile);
  head.options.emplace_back(hostile, hostile);
  head.command = hostile;
  auto page = html_report(s.told, head);

  BOOST_TEST(page_reader{page}.problem() == "");
  BOOST_TEST(!has(page, "<script>alert"));
  BOOST_TEST(!has(page, "\x1B"));
}

BOOST_AUTO_TEST_CASE(the_same_story_is_the_same_page) {
  test::story a, b;
  a.takeover();
  b.takeover();

  BOOST_TEST(html_report(a.told, head_of()) == html_report(b.told, head_of()));
}

BOOST_AUTO_TEST_CASE(however_long_the_story_the_page_is_bounded) {
  test::story s;
  std::string text(5'000, '"');
  std::optional<std::size_t> last;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    auto lane = i % 2 == 0 ? s.n1 : s.coordinator;
    last = s.told.add({static_cast<std::int64_t>(1'000 * i), lane,
                       event_kind::request, std::to_string(i) + text, i, i, i,
                       text, last});
  }
  auto head = head_of(text);
  for (int i = 0; i < 1'000; ++i)
    head.options.emplace_back(text, text);
  auto page = html_report(s.told, head);

  BOOST_TEST(page.size() < report_bytes_max);
  BOOST_TEST(page_reader{page}.problem() == "");
}

BOOST_AUTO_TEST_SUITE_END()
