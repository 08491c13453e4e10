// SPDX-License-Identifier: MIT
// Goal: the demo agent's output can be relied on as a yardstick: exact length,
// same bytes every time, shaped like an agent's stream.
#include "apps/demo_agent/script.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>

namespace baton::demo {
namespace {

using std::chrono::milliseconds;

std::string bytes_of(const script& x) {
  std::string out;
  for (const auto& u : x)
    out += u.bytes;
  return out;
}

milliseconds length_of(const script& x) {
  milliseconds out{0};
  for (const auto& u : x)
    out += u.pause_before;
  return out;
}

std::string type_of(const utterance& x) {
  return boost::json::parse(x.bytes).at("type").as_string().c_str();
}

} // namespace

BOOST_AUTO_TEST_SUITE(apps_demo_agent_script)

BOOST_AUTO_TEST_CASE(a_story_has_exactly_the_lines_asked_for) {
  for (std::size_t n = 0; n < 200; ++n) {
    auto x = story(n);
    auto bytes = bytes_of(x);
    auto newlines = std::ranges::count(bytes, '\n');
    BOOST_TEST(x.size() == std::max(n, story_lines_min));
    BOOST_TEST(static_cast<std::size_t>(newlines) == x.size());
    BOOST_TEST(type_of(x.front()) == "system");
    BOOST_TEST(type_of(x.back()) == "result");
  }
}

BOOST_AUTO_TEST_CASE(the_default_length_cuts_and_pads_nothing) {
  auto x = bytes_of(story(story_lines_default));
  BOOST_TEST(x.find("git commit") != x.npos);
  BOOST_TEST(x.find("Check 1:") == x.npos);
  BOOST_TEST(bytes_of(story(story_lines_default + 1)).find("Check 1:")
             != x.npos);
}

BOOST_AUTO_TEST_CASE(a_story_is_the_same_every_time) {
  BOOST_TEST(bytes_of(story(100)) == bytes_of(story(100)));
}

BOOST_AUTO_TEST_CASE(all_but_the_one_warning_is_json_with_ids_used_once) {
  std::vector<std::string> uuids;
  std::size_t other = 0;
  for (const auto& u : story(300)) {
    if (!u.bytes.starts_with('{')) {
      ++other;
      continue;
    }
    auto line = boost::json::parse(u.bytes);
    uuids.emplace_back(line.at("uuid").as_string().c_str());
  }
  BOOST_TEST(other == 1u);
  std::ranges::sort(uuids);
  BOOST_TEST((std::ranges::adjacent_find(uuids) == uuids.end()));
}

BOOST_AUTO_TEST_CASE(a_replay_is_its_recording_byte_for_byte) {
  using namespace std::string_literals;
  for (const auto& recording :
       {""s, "\n"s, "a"s, "a\nb"s, "a\r\n\0\n\xff\n\n"s, "{}\n{}\n"s})
    BOOST_TEST(bytes_of(replay(recording, milliseconds{1'000})) == recording);
  BOOST_TEST(replay("a\nb\nc", milliseconds{1'000}).size() == 3u);
}

BOOST_AUTO_TEST_CASE(a_replay_takes_no_longer_than_allowed) {
  std::string recording;
  for (int i = 0; i < 1'000; ++i)
    recording += std::string(500, 'a') + "\n";
  BOOST_TEST(length_of(replay(recording, milliseconds{5'000})).count()
             <= 5'000);
  BOOST_TEST(length_of(replay(recording, milliseconds{5'000})).count() > 3'000);
  BOOST_TEST(length_of(replay(recording, milliseconds{0})).count() == 0);
  BOOST_TEST(length_of(replay("a\n", milliseconds{5'000})).count() < 100);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::demo
