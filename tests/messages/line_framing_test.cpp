// SPDX-License-Identifier: MIT
// Goal: journal bytes become the same lines however they arrive, byte exact.
// Method: a naive model of the rules, compared over seeded inputs and splits.
#include "messages/line_framing.hpp"

#include "tests/messages/seeded.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace baton;
using namespace std::string_literals;
using baton::test::seeded;

namespace {

using lines = std::vector<std::pair<std::string, bool>>;

/// The rules, with the whole journal at hand.
lines expected(const std::string& journal, std::size_t limit, bool ended) {
  lines out;
  std::size_t at = 0;
  while (at < journal.size()) {
    auto lf = journal.find('\n', at);
    auto complete = lf != std::string::npos;
    auto content = (complete ? lf : journal.size()) - at;
    auto oversized = content > limit;
    while (content > limit) {
      out.emplace_back(journal.substr(at, limit), true);
      at += limit;
      content -= limit;
    }
    auto rest = content + (complete ? 1 : 0);
    if (complete || (ended && rest > 0))
      out.emplace_back(journal.substr(at, rest), oversized);
    at += rest;
  }
  return out;
}

lines to_lines(const line_batch& batch) {
  lines out;
  batch.for_each([&](std::string_view line, bool fragment) {
    out.emplace_back(std::string{line}, fragment);
  });
  return out;
}

/// A follower: sees the journal grow to each of `sizes`, forgets between.
line_batch follow(const std::string& journal,
                  const std::vector<std::size_t>& sizes, framing_limits limits,
                  bool ended, bool forgetful = false) {
  line_batch all;
  framing_state state;
  std::size_t at = 0;
  auto step = [&](std::size_t size, auto frame) {
    for (;;) {
      line_batch batch;
      auto window = std::string_view{journal}.substr(at, size - at);
      auto n = frame(window, state, limits, batch);
      BOOST_REQUIRE(is_well_formed(batch));
      BOOST_REQUIRE(batch.size() <= limits.lines_max);
      BOOST_REQUIRE(batch.bytes == window.substr(0, n));
      all.bytes += batch.bytes;
      all.lengths.insert(all.lengths.end(), batch.lengths.begin(),
                         batch.lengths.end());
      at += n;
      if (forgetful)
        state.searched = 0;
      if (n == 0)
        return;
    }
  };
  for (auto size : sizes)
    step(size, frame_lines);
  step(journal.size(), frame_lines);
  if (ended)
    step(journal.size(), frame_last_lines);
  return all;
}

std::vector<std::size_t> every_byte(const std::string& journal) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i <= journal.size(); ++i)
    out.push_back(i);
  return out;
}

void check_all_ways(const std::string& journal, std::size_t limit,
                    seeded& random) {
  std::vector<std::size_t> sizes;
  for (std::size_t at = 0; at < journal.size();
       at += 1 + random.below(2 * limit))
    sizes.push_back(at);
  for (bool ended : {false, true}) {
    auto want = expected(journal, limit, ended);
    for (std::size_t lines_max :
         {std::size_t{1}, std::size_t{3}, std::size_t{1} << 40}) {
      framing_limits limits{limit, lines_max};
      BOOST_REQUIRE(to_lines(follow(journal, {}, limits, ended)) == want);
      BOOST_REQUIRE(to_lines(follow(journal, sizes, limits, ended)) == want);
      BOOST_REQUIRE(
        to_lines(follow(journal, every_byte(journal), limits, ended)) == want);
      BOOST_REQUIRE(to_lines(follow(journal, sizes, limits, ended, true))
                    == want);
    }
  }
}

} // namespace

BOOST_AUTO_TEST_SUITE(messages_line_framing)

BOOST_AUTO_TEST_CASE(only_lf_ends_a_line_and_every_other_byte_is_kept) {
  auto journal =
    "a\r\n\nlone\rcr\n\0nul\0\n\xFF\xC3\n\xE2\x80\xA8u2028\n \t\n"s;

  auto got = to_lines(follow(journal, {}, {}, false));

  lines want{{"a\r\n", false},      {"\n", false},
             {"lone\rcr\n", false}, {"\0nul\0\n"s, false},
             {"\xFF\xC3\n", false}, {"\xE2\x80\xA8u2028\n", false},
             {" \t\n", false}};
  BOOST_TEST((got == want));
}

BOOST_AUTO_TEST_CASE(a_partial_line_is_withheld_until_the_agent_has_ended) {
  auto journal = "one\ntwo"s;

  BOOST_TEST(
    (to_lines(follow(journal, {}, {}, false)) == lines{{"one\n", false}}));
  BOOST_TEST((to_lines(follow(journal, {}, {}, true))
              == lines{{"one\n", false}, {"two", false}}));
  BOOST_TEST(follow("", {}, {}, true).empty());
}

BOOST_AUTO_TEST_CASE(a_line_at_the_limit_is_whole_and_one_byte_more_is_pieces) {
  framing_limits limits{4};

  auto got = to_lines(follow("abcd\nabcde\n", {}, limits, false));

  lines want{{"abcd\n", false}, {"abcd", true}, {"e\n", true}};
  BOOST_TEST((got == want));
}

BOOST_AUTO_TEST_CASE(a_line_of_a_multiple_of_the_limit_ends_in_a_full_piece) {
  auto got = to_lines(follow("abcdefgh\nx\n", {}, {4}, false));

  lines want{{"abcd", true}, {"efgh\n", true}, {"x\n", false}};
  BOOST_TEST((got == want));
}

BOOST_AUTO_TEST_CASE(the_end_inside_an_oversized_line_gives_a_fragment) {
  framing_state state;
  line_batch out;

  BOOST_TEST(frame_last_lines("abcdef", state, {4}, out) == 6u);

  BOOST_TEST((to_lines(out) == lines{{"abcd", true}, {"ef", true}}));
  BOOST_TEST(!state.inside_line);
}

BOOST_AUTO_TEST_CASE(a_successor_resumes_inside_a_line_from_that_alone) {
  framing_state state;
  line_batch head;
  auto journal = "abcdefghij\nk\n"s;
  auto n = frame_lines(journal.substr(0, 5), state, {4}, head);
  BOOST_TEST(n == 4u);
  BOOST_TEST(state.inside_line);

  framing_state successor{true, 0};
  line_batch rest;
  frame_lines(std::string_view{journal}.substr(n), successor, {4}, rest);

  lines want{{"efgh", true}, {"ij\n", true}, {"k\n", false}};
  BOOST_TEST((to_lines(rest) == want));
}

BOOST_AUTO_TEST_CASE(every_length_around_the_limit_agrees_with_the_rules) {
  seeded random{10};
  for (std::size_t limit : {1u, 2u, 3u, 7u, 8u})
    for (std::size_t n = 0; n <= 4 * limit + 2; ++n) {
      auto line = std::string(n, 'x');
      check_all_ways(line, limit, random);
      check_all_ways(line + "\n", limit, random);
      check_all_ways("ab\n" + line + "\n\ny", limit, random);
    }
}

BOOST_AUTO_TEST_CASE(random_journals_agree_with_the_rules_in_every_split) {
  seeded random{11};
  for (int round = 0; round < 600; ++round) {
    auto limit = 1 + random.below(12);
    auto journal = round % 2 == 0 ? random.from("ab\r\n\0\xE2\x80\xA8\xFF\n"s,
                                                random.below(80))
                                  : random.bytes(random.below(80));
    check_all_ways(journal, limit, random);
  }
}

// Field case BR-031.
BOOST_AUTO_TEST_CASE(lines_around_the_default_limit_keep_their_neighbours) {
  for (std::size_t n : {65535u, 65536u, 65537u, (1u << 20) - 1, 1u << 20,
                        (1u << 20) + 1, 5u << 20}) {
    auto journal = "{\"a\":1}\n" + std::string(n, 'x') + "\n{\"b\":2}\n";
    auto got = to_lines(follow(journal, {}, {}, false));
    BOOST_REQUIRE((got == expected(journal, 1u << 20, false)));
    BOOST_TEST(got.front().first == "{\"a\":1}\n");
    BOOST_TEST(got.back().first == "{\"b\":2}\n");
    BOOST_TEST(got.back().second == false);
    BOOST_TEST((got.size() == 3) == (n <= 1u << 20));
  }
}

BOOST_AUTO_TEST_CASE(a_line_of_100_mib_passes_through_small_windows) {
  constexpr std::size_t line_bytes = 100u << 20;
  constexpr std::size_t chunk_bytes = 64u << 10;
  auto next_byte = [](std::size_t at) {
    return at == line_bytes ? '\n' : static_cast<char>('a' + at % 26);
  };
  std::string window;
  std::size_t written = 0, pieces = 0, read = 0;
  framing_state state;
  while (written <= line_bytes) {
    for (std::size_t i = 0; i < chunk_bytes && written <= line_bytes; ++i)
      window += next_byte(written++);
    BOOST_REQUIRE(window.size() <= (1u << 20) + chunk_bytes);
    line_batch batch;
    window.erase(0, frame_lines(window, state, {}, batch));
    for (char c : batch.bytes)
      if (c != next_byte(read++))
        BOOST_FAIL("wrong byte before " << read);
    batch.for_each([&](std::string_view, bool fragment) {
      BOOST_REQUIRE(fragment);
      ++pieces;
    });
  }

  BOOST_TEST(read == line_bytes + 1);
  BOOST_TEST(pieces == 100u);
  BOOST_TEST(window.empty());
  BOOST_TEST(!state.inside_line);
}

// A search that started over at every byte would look at 500 GB here.
BOOST_AUTO_TEST_CASE(a_long_line_in_drops_is_searched_once) {
  std::string journal(1u << 20, 'x');
  framing_state state;
  line_batch batch;

  for (std::size_t n = 0; n <= journal.size(); ++n)
    BOOST_REQUIRE(
      frame_lines(std::string_view{journal}.substr(0, n), state, {}, batch)
      == 0);

  BOOST_TEST(state.searched == journal.size());
}

BOOST_AUTO_TEST_SUITE_END()
