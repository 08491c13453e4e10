// SPDX-License-Identifier: MIT
// Goal: the true end is always seen and a false one never is (B4, I5).
// Method: round trips, every one-byte change of a marker, look-alikes.
#include "messages/exit_marker.hpp"

#include "tests/messages/seeded.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <limits>
#include <vector>

using namespace baton;
using baton::test::seeded;

namespace {

const std::string nonce = "00112233445566778899aabbccddeeff";
const std::vector<std::string> hashes{hash_of_nonce("ab12"),
                                      hash_of_nonce(nonce)};

std::optional<exit_mark> recognise(std::string_view line) {
  return recognise_exit_marker(line, hashes);
}

} // namespace

BOOST_AUTO_TEST_SUITE(messages_exit_marker)

BOOST_AUTO_TEST_CASE(the_line_has_its_documented_bytes) {
  BOOST_TEST(write_exit_marker({3, std::nullopt, position{17}}, "ab12")
             == "{\"baton_exit\":{\"code\":3,\"journal_end\":17,"
                "\"nonce\":\"ab12\"}}\n");
  BOOST_TEST(write_exit_marker({137, 9, position{0}}, "ab12")
             == "{\"baton_exit\":{\"code\":137,\"signal\":9,"
                "\"journal_end\":0,\"nonce\":\"ab12\"}}\n");
}

BOOST_AUTO_TEST_CASE(every_code_and_signal_returns) {
  constexpr auto end_max = std::numeric_limits<std::uint64_t>::max();
  for (int code = 0; code <= 255; ++code)
    for (std::optional<int> number :
         {std::optional<int>{}, std::optional{1}, std::optional{64}})
      for (auto end : {std::uint64_t{0}, std::uint64_t{1} << 63, end_max}) {
        exit_mark mark{code, number, position{end}};
        auto line = write_exit_marker(mark, nonce);
        BOOST_REQUIRE((recognise(line) == mark));
        line.pop_back();
        BOOST_REQUIRE((recognise(line) == mark));
      }
}

BOOST_AUTO_TEST_CASE(a_nonce_of_the_longest_kind_is_recognised) {
  auto longest = std::string(128, 'f');
  std::vector<std::string> accepted{hash_of_nonce(longest)};
  exit_mark mark{255, 64, position{std::numeric_limits<std::uint64_t>::max()}};

  auto line = write_exit_marker(mark, longest);

  BOOST_TEST((recognise_exit_marker(line, accepted) == mark));
}

BOOST_AUTO_TEST_CASE(another_nonce_or_none_accepted_is_an_ordinary_line) {
  auto line = write_exit_marker({0, std::nullopt, position{5}}, "cd34");

  BOOST_TEST(!recognise(line));
  BOOST_TEST(!recognise_exit_marker(line, {}));
  // The hash is public to whoever reads the store: it is not the nonce.
  auto forged = write_exit_marker({}, hashes[1]);
  BOOST_TEST(!recognise(forged));
}

// Field case BR-013: a nonce that leaked changes nothing about the form.
BOOST_AUTO_TEST_CASE(look_alikes_are_ordinary_lines_even_with_the_nonce) {
  auto with = [](const std::string& fields) {
    return "{\"baton_exit\":{" + fields + "}}";
  };
  auto tail = "\"journal_end\":5,\"nonce\":\"" + nonce + "\"";
  BOOST_TEST_REQUIRE(recognise(with("\"code\":0," + tail)).has_value());
  for (const auto& line :
       {with(""),
        with("\"code\":0"),
        with(tail),
        with("\"code\":\"0\"," + tail),
        with("\"code\":0.0," + tail),
        with("\"code\":0e0," + tail),
        with("\"code\":-1," + tail),
        with("\"code\":256," + tail),
        with("\"code\":null," + tail),
        with("\"code\":true," + tail),
        with("\"code\":00," + tail),
        with("\"code\":99999999999999999999," + tail),
        with("\"code\":0,\"code\":0," + tail),
        with("\"code\":1,\"code\":0," + tail),
        with("\"code\":0," + tail + ",\"more\":1"),
        with("\"code\":0,\"signal\":0," + tail),
        with("\"code\":0,\"signal\":65," + tail),
        with("\"code\":0,\"signal\":null," + tail),
        with(tail + ",\"code\":0"),
        with("\"c\\u006fde\":0," + tail),
        with("\"code\": 0," + tail),
        with("\"code\":0," + tail) + " ",
        with("\"code\":0," + tail) + "\r",
        " " + with("\"code\":0," + tail),
        with("\"code\":0," + tail) + with("\"code\":0," + tail),
        "[" + with("\"code\":0," + tail) + "]",
        "x" + with("\"code\":0," + tail),
        "{\"baton_exit\":{\"code\":0," + tail + "},\"more\":1}",
        std::string{"{\"baton_exit\":0}"},
        std::string{"{\"baton_exit\":"},
        std::string{"{\"__exit\":0}"},
        std::string{"{\"exit\":0}"},
        std::string{"{\"type\":\"result\",\"subtype\":\"success\"}"},
        "{\"baton_exit\":" + std::string(200, '[') + std::string(200, ']')
          + "}"})
    BOOST_TEST(!recognise(line).has_value(), line);
}

BOOST_AUTO_TEST_CASE(any_changed_missing_or_added_byte_unmakes_the_marker) {
  exit_mark mark{0, std::nullopt, position{123}};
  auto line = write_exit_marker(mark, nonce);
  line.pop_back();
  for (std::size_t i = 0; i < line.size(); ++i) {
    auto cut = line.substr(0, i);
    BOOST_REQUIRE(!recognise(cut));
    for (int c = 0; c < 256; ++c) {
      auto changed = line;
      changed[i] = static_cast<char>(c);
      auto got = recognise(changed);
      // Another digit is another number: the nonce vouches for the writer.
      BOOST_REQUIRE(!got || changed == line || (c >= '0' && c <= '9'));
    }
  }
}

BOOST_AUTO_TEST_CASE(the_last_marker_of_a_window_wins) {
  auto first = write_exit_marker({1, std::nullopt, position{4}}, nonce);
  auto second = write_exit_marker({2, std::nullopt, position{90}}, "ab12");
  auto foreign = write_exit_marker({3, std::nullopt, position{99}}, "cd34");
  auto window = "torn line\n" + first + "x\n" + second + foreign + "y\ntail";

  auto got = find_exit_marker(window, hashes);

  BOOST_TEST_REQUIRE(got.has_value());
  BOOST_TEST(got->mark.code == 2);
  BOOST_TEST(window.substr(got->offset, second.size()) == second);
}

BOOST_AUTO_TEST_CASE(a_marker_whose_lf_is_not_there_yet_is_not_found) {
  auto line = write_exit_marker({0, std::nullopt, position{2}}, nonce);

  for (std::size_t n = 0; n < line.size(); ++n)
    BOOST_REQUIRE(!find_exit_marker("a\n" + line.substr(0, n), hashes));
  BOOST_TEST(find_exit_marker("a\n" + line, hashes)->offset == 2u);
  BOOST_TEST(find_exit_marker(line, hashes)->offset == 0u);
}

BOOST_AUTO_TEST_CASE(a_window_that_cuts_the_marker_finds_none) {
  auto line = write_exit_marker({0, std::nullopt, position{2}}, nonce);

  for (std::size_t n = 1; n <= line.size(); ++n)
    BOOST_REQUIRE(!find_exit_marker(line.substr(n), hashes));
  BOOST_TEST(!find_exit_marker("", hashes).has_value());
  BOOST_TEST(!find_exit_marker("\n\n\n", hashes).has_value());
}

BOOST_AUTO_TEST_CASE(a_marker_stands_at_the_agents_end_or_behind_the_added_lf) {
  exit_mark mark{0, std::nullopt, position{10}};

  BOOST_TEST(!stands_in_place(mark, position{9}));
  BOOST_TEST(stands_in_place(mark, position{10}));
  BOOST_TEST(stands_in_place(mark, position{11}));
  BOOST_TEST(!stands_in_place(mark, position{12}));
}

BOOST_AUTO_TEST_CASE(random_lines_behind_the_prefix_are_never_markers) {
  seeded random{20};
  for (int round = 0; round < 20'000; ++round) {
    auto line = "{\"baton_exit\":"
                + random.from("{}[]\":,0123code signaljournal_endnonce\\\n",
                              random.below(60));
    BOOST_REQUIRE(!recognise(line));
    BOOST_REQUIRE(!find_exit_marker(line + "\n", hashes));
  }
}

BOOST_AUTO_TEST_SUITE_END()
