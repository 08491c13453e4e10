// SPDX-License-Identifier: MIT
// Goal: whatever bytes an agent writes, a picture of it stays a picture.
#include "actors/sim/report_text.hpp"

#include "messages/utf8.hpp"
#include "tests/actors/sim/story.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::sim;

BOOST_AUTO_TEST_SUITE(sim_report_text)

BOOST_AUTO_TEST_CASE(markup_is_text) {
  BOOST_TEST(escaped("<b x='1' y=\"2\">&amp;</b>")
             == "&lt;b x=&#39;1&#39; y=&quot;2&quot;&gt;&amp;amp;&lt;/b&gt;");
}

BOOST_AUTO_TEST_CASE(control_characters_are_shown_by_their_pictures) {
  BOOST_TEST(escaped(std::string_view{"a\n\0\x7F", 4})
             == "a\xE2\x90\x8A\xE2\x90\x80\xE2\x90\xA1");
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_utf8_are_replaced_one_by_one) {
  auto bad = std::string{"\xEF\xBF\xBD"};

  BOOST_TEST(escaped("a\xFF\xC3") == "a" + bad + bad);
  BOOST_TEST(escaped("\xC0\xAF") == bad + bad);
  BOOST_TEST(escaped("\xED\xA0\x80") == bad + bad + bad);
  BOOST_TEST(escaped("\xC3\xA9\xF0\x9F\x98\x80") == "\xC3\xA9\xF0\x9F\x98\x80");
}

BOOST_AUTO_TEST_CASE(characters_that_turn_text_around_are_replaced) {
  for (auto x : {"\xE2\x80\xAA", "\xE2\x80\xAE", "\xE2\x81\xA6", "\xE2\x81\xA9",
                 "\xEF\xBF\xBF"})
    BOOST_TEST(escaped(x) == "\xEF\xBF\xBD");
  BOOST_TEST(escaped("\xE2\x80\x93") == "\xE2\x80\x93");
}

BOOST_AUTO_TEST_CASE(every_pair_of_bytes_comes_out_as_harmless_utf8) {
  for (int a = 0; a < 256; ++a)
    for (int b = 0; b < 256; ++b) {
      std::string bytes{static_cast<char>(a), static_cast<char>(b)};
      auto out = escaped(bytes);
      BOOST_REQUIRE(is_utf8(out));
      BOOST_REQUIRE(out.find_first_of("<>\"'") == std::string::npos);
      for (auto c : out)
        BOOST_REQUIRE(static_cast<unsigned char>(c) >= 0x20);
    }
}

BOOST_AUTO_TEST_CASE(long_text_is_cut_between_characters) {
  BOOST_TEST(escaped("ab\xC3\xA9yz", 3) == "ab\xC3\xA9\xE2\x80\xA6");
  BOOST_TEST(escaped("ab\xC3\xA9", 3) == "ab\xC3\xA9");
}

BOOST_AUTO_TEST_CASE(times_are_seconds) {
  BOOST_TEST(seconds(0) == "0.000 s");
  BOOST_TEST(seconds(12'034'567) == "12.034 s");
  BOOST_TEST(seconds(12'034'567, 6) == "12.034567 s");
}

BOOST_AUTO_TEST_CASE(a_mark_says_who_does_what_and_when) {
  test::story s;
  s.takeover();
  auto where = lay_out(s.told);

  const auto& claim = where.marks.front();
  BOOST_TEST(label_of(s.told, claim, 40) == "r1 e1 placement");
  BOOST_TEST(sentence_of(s.told, where, claim)
             == "0.001000 s: node n1, claim, run r1, epoch 1: placement");
  for (const auto& m : where.marks)
    if (m.kind == event_kind::append && m.epoch == 1 && m.events > 1) {
      BOOST_TEST(label_of(s.told, m, 40)
                 == "append 1\xE2\x80\x93"
                    "5");
      BOOST_TEST(sentence_of(s.told, where, m)
                 == "0.003500 s to 0.013500 s: node n1, append, run r1, "
                    "epoch 1, entries 1\xE2\x80\x93"
                    "5, 5 times");
    }
}

BOOST_AUTO_TEST_CASE(what_is_told_of_an_event_besides_its_hash_is_shown) {
  test::story s;
  event x{0, s.coordinator, event_kind::violation, "r1"};
  x.text = "I3: not what the agent wrote";
  x.detail = "expected \"a\", found \"b\"";
  s.told.add(x);
  s.add(0, s.coordinator, event_kind::heal, 0, 0, "everything is whole again");
  auto where = lay_out(s.told);

  BOOST_TEST(label_of(s.told, where.marks[0], 200)
             == "I3: not what the agent wrote: expected &quot;a&quot;, found "
                "&quot;b&quot;");
  BOOST_TEST(label_of(s.told, where.marks[1], 17) == "all whole again");
}

// When a driver gives up is seen only when it asks anew.
BOOST_AUTO_TEST_CASE(an_answer_that_did_not_come_did_not_come_by_then) {
  test::story s;
  auto driver = s.told.lane_of(lane_kind::driver, "relay");
  s.add(1'000, driver, event_kind::lost, 1, 5, "no answer");
  s.add(1'000, driver, event_kind::lost, 2, 5, "no answer: timed_out");
  auto where = lay_out(s.told);

  BOOST_TEST(label_of(s.told, where.marks[0], 40) == "no answer by now");
  BOOST_TEST(sentence_of(s.told, where, where.marks[0])
               .ends_with(", entries 5: no answer by now"));
  BOOST_TEST(label_of(s.told, where.marks[1], 40) == "no answer: timed_out");
}

BOOST_AUTO_TEST_SUITE_END()
