// SPDX-License-Identifier: MIT
// Goal: json exactly when the line is one JSON value.
// Method: cases by grammar, Boost.JSON as an oracle over random texts (where
// it has no limits of its own), and the counts of recorded transcripts.
#include "messages/entry_kind.hpp"

#include "messages/line_framing.hpp"
#include "tests/messages/seeded.hpp"
#include "tests/messages/shared_data.hpp"

#include <boost/json/parse.hpp>
#include <boost/test/unit_test.hpp>

#include <map>
#include <sstream>

using namespace baton;
using namespace std::string_literals;
using baton::test::seeded;

namespace {

std::string kind(std::string_view line) {
  return std::string{to_string(classify(line))};
}

bool boost_takes(std::string_view text) {
  boost::json::error_code bad;
  boost::json::parse_options options;
  options.max_depth = 200;
  boost::json::parse({text.data(), text.size()}, bad, {}, options);
  return !bad;
}

/// The `| file | bytes | lines | longest | object | ...` table.
struct manifest_row {
  std::size_t bytes = 0, lines = 0, longest = 0, objects = 0;
};

std::map<std::string, manifest_row> read_manifest(const std::string& text) {
  std::map<std::string, manifest_row> out;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) {
    std::istringstream cells{line};
    std::string bar, name;
    manifest_row row;
    if (cells >> bar >> name && bar == "|"
        && cells >> bar >> row.bytes >> bar >> row.lines >> bar >> row.longest
             >> bar >> row.objects)
      out[name] = row;
  }
  return out;
}

} // namespace

BOOST_AUTO_TEST_SUITE(messages_entry_kind)

BOOST_AUTO_TEST_CASE(every_kind_of_json_value_is_json) {
  for (auto line :
       {"{}", "[]", "\"\"", "0", "-0", "-1.5e+10", "1E2", "true", "false",
        "null", " {\"a\" : [ 1 , 2 ] }\t", "{\"t\":\"x\"}\r", "[[],{},[{}]]",
        "\"\\u0041\\/\\b\\f\\n\\r\\t\\\\\\\"\"", "\"\\ud800\"", "\"\x7F\"",
        "\"h\xC3\xA9 \xE2\x80\xA8 \xF0\x9F\x8C\x8D\"",
        "{\"a\":{\"b\":[1,{\"c\":null}]},\"d\":0}"})
    BOOST_TEST(kind(line) == "json", line);
}

BOOST_AUTO_TEST_CASE(what_is_nearly_json_is_text) {
  for (auto line : {"",
                    " ",
                    "{",
                    "}",
                    "[",
                    "]",
                    "{]",
                    "[}",
                    "[1,]",
                    "[,1]",
                    "{\"a\"}",
                    "{\"a\":}",
                    "{\"a\":1,}",
                    "{a:1}",
                    "{'a':1}",
                    "{1:1}",
                    "{,}",
                    "\"",
                    "\"\\\"",
                    "\"\\x41\"",
                    "\"\\u004\"",
                    "\"\\u00g0\"",
                    "'a'",
                    "01",
                    "-",
                    "-01",
                    "+1",
                    "1.",
                    ".5",
                    "1.e1",
                    "1e",
                    "1e+",
                    "0x10",
                    "1 2",
                    "{}{}",
                    "{} x",
                    "[] ]",
                    "NaN",
                    "Infinity",
                    "nul",
                    "nulll",
                    "True",
                    "[1 2]",
                    "\"a\tb\"",
                    "{\"a\":1}}",
                    "// c",
                    "{\"a\":1 \"b\":2}",
                    "\xC2\xA0{}",
                    "\f{}"})
    BOOST_TEST(kind(line) == "text", line);
  BOOST_TEST(kind("\"\0\""s) == "text");
  BOOST_TEST(kind("{}\0"s) == "text");
}

BOOST_AUTO_TEST_CASE(what_is_not_utf8_is_bytes_even_inside_json) {
  for (auto line : {"\xFF", "{\"a\":\"\xC3\"}", "\"\xED\xA0\x80\"", "a\x80",
                    "\"\xC0\x80\"", "{}\xFE"})
    BOOST_TEST(kind(line) == "bytes");
}

// Field case BR-026.
BOOST_AUTO_TEST_CASE(banners_and_a_byte_order_mark_between_json_are_text) {
  BOOST_TEST(kind("Now using node v20") == "text");
  BOOST_TEST(kind("{\"a\":1}") == "json");
  BOOST_TEST(kind("[SandboxDebug] x") == "text");
  BOOST_TEST(kind("{\"b\":2}") == "json");
  BOOST_TEST(kind("warning: foo {\"c\":3}") == "text");
  BOOST_TEST(kind("\xEF\xBB\xBF{\"d\":4}") == "text");
  BOOST_TEST(kind("{\"e\":5}") == "json");
}

// Field case BR-028.
BOOST_AUTO_TEST_CASE(an_event_cut_in_two_by_another_is_two_texts) {
  BOOST_TEST(kind("{\"type\":\"assistant\",\"text\":\"part one "
                  "{\"type\":\"limit\",\"x\":1}")
             == "text");
  BOOST_TEST(kind(" part two\"}") == "text");
  BOOST_TEST(kind("{\"ok\":1}") == "json");
}

// Field case BR-055.
BOOST_AUTO_TEST_CASE(numbers_of_any_size_and_repeated_keys_are_json) {
  for (auto line :
       {"{\"n\":9007199254740993}", "{\"n\":12345678901234567890}",
        "{\"f\":0.1234567890123456789}", "{\"e\":1e400}", "{\"z\":-0}",
        "{\"k\":1,\"k\":2}", "{\"b\":1,\"a\":2}", "{\"s\":\"\\u0041\\/\"}",
        "{ \"sp\" : 1 }", "1e99999999999999999999", "1e-99999999999999999999"})
    BOOST_TEST(kind(line) == "json", line);
  BOOST_TEST(kind(std::string(100'000, '7')) == "json");
}

BOOST_AUTO_TEST_CASE(a_million_levels_are_json_and_one_missing_end_is_not) {
  for (std::size_t depth : {10'000u, 1'000'000u}) {
    auto arrays = std::string(depth, '[') + std::string(depth, ']');
    BOOST_TEST((classify(arrays) == entry_kind::json));
    arrays.pop_back();
    BOOST_TEST((classify(arrays) == entry_kind::text));
    std::string objects;
    for (std::size_t i = 0; i < depth; ++i)
      objects += "{\"a\":";
    objects += "1" + std::string(depth, '}');
    BOOST_TEST((classify(objects) == entry_kind::json));
    objects.back() = ']';
    BOOST_TEST((classify(objects) == entry_kind::text));
  }
}

BOOST_AUTO_TEST_CASE(random_texts_are_judged_as_an_independent_parser_does) {
  seeded random{30};
  std::size_t valid = 0;
  for (int round = 0; round < 400'000; ++round) {
    auto text =
      random.from("{}[]\"\":,,01-.eE+ \\u0aft\t\xC3\xA9", random.below(10));
    auto got = is_json(text);
    valid += got ? 1 : 0;
    BOOST_REQUIRE_MESSAGE(got == boost_takes(text), text);
  }
  BOOST_TEST(valid > 1000u);
}

BOOST_AUTO_TEST_CASE(one_byte_changes_of_json_are_judged_as_that_parser_does) {
  seeded random{31};
  const auto line = "{\"a\":[1,-2.5e3,\"x\\n\\u0041\xC3\xA9\",true],"
                    "\"b\":{\"c\":null,\"d\":[]},\"e\":false}"s;
  for (int round = 0; round < 200'000; ++round) {
    auto changed = line;
    auto at = random.below(line.size());
    switch (random.below(3)) {
    case 0:
      changed.erase(at, 1);
      break;
    case 1:
      changed[at] = static_cast<char>(random.below(256));
      break;
    default:
      changed.insert(at, 1, line[random.below(line.size())]);
    }
    BOOST_REQUIRE_MESSAGE(is_json(changed) == boost_takes(changed), changed);
  }
}

BOOST_AUTO_TEST_CASE(recorded_transcripts_have_the_lines_their_manifest_says) {
  auto folder = test::transcripts();
  if (!folder)
    return;
  auto rows = read_manifest(test::content_of(*folder / "MANIFEST.md"));
  BOOST_TEST_REQUIRE(rows.size() >= 15u);
  for (const auto& [name, row] : rows) {
    auto journal = test::content_of(*folder / name);
    BOOST_TEST(journal.size() == row.bytes, name);
    framing_state state;
    line_batch batch;
    frame_last_lines(journal, state, {}, batch);
    std::size_t objects = 0, longest = 0;
    batch.for_each([&](std::string_view line, bool fragment) {
      BOOST_REQUIRE(!fragment);
      if (line.ends_with('\n'))
        line.remove_suffix(1);
      longest = std::max(longest, line.size());
      auto start = line.find_first_not_of(" \t\r");
      objects += start != std::string_view::npos && line[start] == '{'
                     && classify(line) == entry_kind::json
                   ? 1
                   : 0;
    });
    BOOST_TEST(batch.bytes == journal, name);
    BOOST_TEST(batch.size() == row.lines, name);
    BOOST_TEST(longest == row.longest, name);
    BOOST_TEST(objects == row.objects, name);
  }
}

BOOST_AUTO_TEST_SUITE_END()
