// SPDX-License-Identifier: MIT
// Goal: a journal's bytes become lines once, whatever happens to the journal.
// Method: a journal in memory that grows, shrinks and changes between reads.
#include "actors/journal/journal_cursor.hpp"
#include "tests/messages/seeded.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace baton;
using namespace baton::journal;

namespace {

const std::string nonce = "ab12";

class memory_journal : public sandbox::journal_source {
public:
  explicit memory_journal(std::string& bytes) : bytes_(bytes) {}

  result<std::size_t> read(position from, std::span<char> out) override {
    if (from.value >= bytes_.size())
      return std::size_t{0};
    return bytes_.copy(out.data(), out.size(), from.value);
  }

  result<position> size() override { return position{bytes_.size()}; }

private:
  std::string& bytes_;
};

struct world {
  journal_cursor at(std::uint64_t from, std::string tail = {},
                    bool inside = false) {
    return {std::make_unique<memory_journal>(bytes),
            {position{from}, inside, std::move(tail)},
            limits,
            {hash_of_nonce(nonce)}};
  }

  std::function<output_end()> ask = [this] { return end; };

  std::string bytes;
  output_end end;
  framing_limits limits{8, SIZE_MAX};
};

std::vector<std::string> lines_in(const lines_found& x) {
  std::vector<std::string> out;
  x.lines.for_each([&](std::string_view line, bool fragment) {
    out.push_back((fragment ? "~" : "") + std::string{line});
  });
  return out;
}

using lines = std::vector<std::string>;

std::string marker(std::uint64_t end) {
  return write_exit_marker({0, {}, position{end}}, nonce);
}

} // namespace

BOOST_AUTO_TEST_SUITE(journal_journal_cursor)

BOOST_AUTO_TEST_CASE(a_partial_line_waits_for_its_newline) {
  world w;
  auto c = w.at(0);
  BOOST_TEST(lines_in(c.next(100, w.ask).value()).empty());
  w.bytes = "a\nb";
  auto found = c.next(100, w.ask).value();
  BOOST_TEST((lines_in(found) == lines{"a\n"}));
  BOOST_TEST(!found.reached_end);
  BOOST_TEST(lines_in(c.next(100, w.ask).value()).empty());
  w.bytes += "b\n";
  auto rest = c.next(100, w.ask).value();
  BOOST_TEST(rest.begin.value == 2);
  BOOST_TEST((lines_in(rest) == lines{"bb\n"}));
  BOOST_TEST(c.at().value == 5);
}

BOOST_AUTO_TEST_CASE(a_reported_end_delivers_the_last_line_without_newline) {
  world w;
  auto c = w.at(0);
  w.bytes = "a\nb\n" + marker(3);
  w.end.at = position{3};

  auto found = c.next(100, w.ask).value();

  BOOST_TEST((lines_in(found) == lines{"a\n", "b"}));
  BOOST_TEST(found.reached_end);
  BOOST_TEST(c.at().value == 3);
  auto after = c.next(100, w.ask).value();
  BOOST_TEST(after.lines.empty());
  BOOST_TEST(after.reached_end);
}

BOOST_AUTO_TEST_CASE(a_marker_ends_the_output_with_and_without_last_newline) {
  for (bool whole : {true, false}) {
    world w;
    w.limits.line_bytes_max = 1'000;
    w.bytes = whole ? "a\nb\n" : "a\nb";
    auto end = w.bytes.size();
    w.bytes += (whole ? "" : "\n") + marker(end) + "not the agent's\n";
    auto c = w.at(0);

    auto found = c.next(1'000, w.ask).value();

    BOOST_TEST((lines_in(found) == lines{"a\n", whole ? "b\n" : "b"}));
    BOOST_TEST(found.reached_end);
    BOOST_REQUIRE(c.marker().has_value());
    BOOST_TEST(c.marker()->journal_end.value == end);
  }
}

BOOST_AUTO_TEST_CASE(a_marker_written_in_two_steps_is_seen_when_it_is_whole) {
  world w;
  w.limits.line_bytes_max = 1'000;
  auto all = "a\nb\n" + marker(4);
  auto c = w.at(0);
  lines seen;
  auto ended = false;
  for (std::size_t n = 1; n <= all.size(); ++n) {
    w.bytes = all.substr(0, n);
    auto found = c.next(1'000, w.ask).value();
    for (auto& x : lines_in(found))
      seen.push_back(x);
    ended = found.reached_end;
    BOOST_TEST(ended == (n == all.size()));
  }
  BOOST_TEST((seen == lines{"a\n", "b\n"}));
}

BOOST_AUTO_TEST_CASE(a_line_that_only_looks_like_a_marker_is_a_line) {
  world w;
  w.limits.line_bytes_max = 1'000;
  auto other = write_exit_marker({0, {}, position{0}}, "cdef");
  auto misplaced = marker(77);
  w.bytes = other + misplaced;
  auto c = w.at(0);

  auto found = c.next(1'000, w.ask).value();

  BOOST_TEST((lines_in(found) == lines{other, misplaced}));
  BOOST_TEST(!c.marker().has_value());
}

BOOST_AUTO_TEST_CASE(a_writer_gone_without_report_leaves_what_stands) {
  world w;
  w.bytes = "a\nb";
  w.end.writer_gone = true;
  auto c = w.at(0);

  auto found = c.next(100, w.ask).value();

  BOOST_TEST((lines_in(found) == lines{"a\n", "b"}));
  BOOST_TEST(found.reached_end);
  BOOST_TEST(!c.marker().has_value());
}

BOOST_AUTO_TEST_CASE(bytes_written_just_before_the_writer_died_are_seen) {
  world w;
  w.bytes = "a\n";
  auto c = w.at(0);
  auto found = c.next(100, [&]() -> output_end {
    w.bytes = "a\nb\n"; // Written between the read and the death.
    return {std::nullopt, true};
  });

  BOOST_TEST((lines_in(*found) == lines{"a\n", "b\n"}));
}

BOOST_AUTO_TEST_CASE(bytes_written_just_before_a_reported_end_are_seen) {
  world w;
  auto c = w.at(0);

  auto found = c.next(100, [&]() -> output_end {
    w.bytes = "all\nof it\n";
    return {position{10}, false};
  });

  BOOST_REQUIRE(found.ok());
  BOOST_TEST((lines_in(*found) == lines{"all\n", "of it\n"}));
  BOOST_TEST(found->reached_end);
}

BOOST_AUTO_TEST_CASE(a_marker_of_a_gone_writer_needs_no_newline_of_its_own) {
  world w;
  w.limits.line_bytes_max = 1'000;
  auto cut = marker(2);
  cut.pop_back();
  w.bytes = "a\n" + cut;
  w.end.writer_gone = true;
  auto c = w.at(0);

  auto found = c.next(1'000, w.ask).value();

  BOOST_TEST((lines_in(found) == lines{"a\n"}));
  BOOST_TEST(found.reached_end);
  BOOST_TEST(c.marker().has_value());
}

BOOST_AUTO_TEST_CASE(a_long_line_becomes_fragments_and_can_be_resumed_in) {
  world w;
  w.bytes = "0123456789abcdefXYZ\nend\n";
  auto c = w.at(0);
  auto found = c.next(4, w.ask).value();
  BOOST_TEST((lines_in(found) == lines{"~01234567"}));
  auto successor = w.at(c.at().value, "01234567", true);

  lines rest;
  while (true) {
    auto more = successor.next(4, w.ask).value();
    if (more.lines.empty())
      break;
    for (auto& x : lines_in(more))
      rest.push_back(x);
  }

  BOOST_TEST((rest == lines{"~89abcdef", "~XYZ\n", "end\n"}));
}

BOOST_AUTO_TEST_CASE(a_journal_that_shrank_or_changed_is_damaged) {
  world w;
  w.bytes = "one\ntwo\n";
  auto c = w.at(0);
  BOOST_REQUIRE(c.next(100, w.ask).ok());

  w.bytes = "one\n";
  BOOST_TEST((c.next(100, w.ask).error().code == errc::journal_damaged));
  w.bytes = "one\ntwX\n";
  BOOST_TEST((c.next(100, w.ask).error().code == errc::journal_damaged));
  w.bytes = "one\ntwo\nok\n";
  BOOST_TEST((lines_in(c.next(100, w.ask).value()) == lines{"ok\n"}));
}

BOOST_AUTO_TEST_CASE(a_successor_notices_another_journal) {
  world w;
  w.bytes = "one\ntwo\nmore\n";
  auto right = w.at(8, "two\n");
  BOOST_TEST((lines_in(right.next(100, w.ask).value()) == lines{"more\n"}));
  auto wrong = w.at(8, "xxx\n");
  BOOST_TEST((wrong.next(100, w.ask).error().code == errc::journal_damaged));
  auto blind = w.at(99);
  BOOST_TEST((blind.next(100, w.ask).error().code == errc::journal_damaged));
}

BOOST_AUTO_TEST_CASE(an_end_that_contradicts_the_journal_is_damage) {
  world w;
  w.bytes = "a\nb\n";
  auto c = w.at(0);
  BOOST_REQUIRE(c.next(100, w.ask).ok());

  w.end.at = position{2};
  BOOST_TEST((c.next(100, w.ask).error().code == errc::journal_damaged));
  w.end.at = position{9};
  BOOST_TEST((c.next(100, w.ask).error().code == errc::journal_damaged));
}

BOOST_AUTO_TEST_CASE(
  a_marker_behind_a_window_that_ends_in_its_newline_is_seen) {
  // The LF before the marker is the shim's: no read may take it for the
  // agent's, wherever its window ends.
  auto all = std::string{"aaa\nbbb"} + "\n" + marker(7);
  for (std::size_t window = 1; window <= all.size() + 1; ++window) {
    world w;
    w.limits.line_bytes_max = 1'000;
    w.bytes = all;
    auto c = w.at(0);
    std::string text;
    for (int i = 0; i < 50; ++i) {
      auto found = c.next(window, w.ask);
      if (!found)
        BOOST_FAIL("window " << window << ": " << found.error().message);
      text += found->lines.bytes;
      if (found->reached_end)
        break;
    }
    BOOST_TEST_CONTEXT("window " << window) BOOST_TEST(text == "aaa\nbbb");
  }
}

BOOST_AUTO_TEST_CASE(any_growth_and_any_windows_give_the_same_bytes_once) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    test::seeded random{seed};
    world w;
    auto reports = random.below(2) == 0;
    // Markers are recognised as lines: without a report they must fit in one.
    w.limits.line_bytes_max = (reports ? 1 : 300) + random.below(40);
    std::string agent;
    for (auto n = random.below(30); n > 0; --n)
      agent += random.from(std::string_view{"ab\n\r\0", 5}, random.below(30));
    auto all = agent;
    if (!all.empty() && all.back() != '\n')
      all += '\n';
    all += marker(agent.size());
    std::string text;
    auto c = w.at(0);
    auto ended = false;
    auto inside = false;
    for (int i = 0; i < 4'000 && !ended; ++i) {
      auto grown = std::min(all.size(), w.bytes.size() + random.below(60));
      // The LF and the marker come in one write.
      w.bytes = all.substr(0, grown > agent.size() ? all.size() : grown);
      if (reports && w.bytes.size() == all.size())
        w.end.at = position{agent.size()};
      auto found = c.next(1 + random.below(80), w.ask);
      if (!found)
        BOOST_FAIL("seed " << seed << ": " << found.error().message);
      BOOST_REQUIRE(found->begin.value == text.size());
      text += found->lines.bytes;
      ended = found->reached_end;
      found->lines.for_each([&](std::string_view line, bool fragment) {
        inside = fragment && line.back() != '\n';
      });
      if (random.below(5) == 0 && !ended) { // Another driver goes on.
        auto tail = text.substr(
          text.size() - std::min<std::size_t>(text.size(), random.below(9)));
        c = w.at(text.size(), tail, inside);
      }
    }
    BOOST_TEST_CONTEXT("seed " << seed) {
      BOOST_TEST(ended);
      BOOST_TEST((text == agent));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
