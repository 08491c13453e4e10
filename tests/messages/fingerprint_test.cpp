// SPDX-License-Identifier: MIT
// Goal: replayed entries are known again, other ones are not (C5, C6).
#include "messages/fingerprint.hpp"

#include "messages/run_scoped_ids.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;

BOOST_AUTO_TEST_SUITE(messages_fingerprint)

BOOST_AUTO_TEST_CASE(key_order_timestamp_and_lf_make_no_difference) {
  auto a = fingerprint_of("{\"type\":\"T\",\"x\":1,\"timestamp\":5}\n");

  BOOST_TEST((a == fingerprint_of("{\"x\":1,\"type\":\"T\"}")));
  BOOST_TEST((a == fingerprint_of("{\"timestamp\":6,\"x\":1,\"type\":\"T\"}")));
}

BOOST_AUTO_TEST_CASE(absent_and_null_differ_and_so_do_nested_timestamps) {
  BOOST_TEST(fingerprint_of("{\"a\":1}").whole
             != fingerprint_of("{\"a\":1,\"b\":null}").whole);
  BOOST_TEST(fingerprint_of("{\"a\":{\"timestamp\":1}}").whole
             != fingerprint_of("{\"a\":{\"timestamp\":2}}").whole);
}

BOOST_AUTO_TEST_CASE(entries_of_two_threads_agree_without_the_thread) {
  for (auto key : {"threadId", "thread_id"}) {
    auto line = [&](const std::string& thread) {
      return "{\"" + std::string{key} + "\":\"" + thread + "\",\"x\":1}";
    };
    auto a = fingerprint_of(line("one"));
    auto b = fingerprint_of(line("two"));
    BOOST_TEST(a.whole != b.whole);
    BOOST_TEST(a.without_thread == b.without_thread);
  }
}

BOOST_AUTO_TEST_CASE(a_line_that_is_not_json_is_its_bytes) {
  auto text = fingerprint_of("plain text");

  BOOST_TEST((text == fingerprint_of("plain text\n")));
  BOOST_TEST(text.whole != fingerprint_of("plain  text").whole);
  BOOST_TEST(text.whole.size() == 64u);
  BOOST_TEST(fingerprint_of("json:{}").whole != fingerprint_of("{}").whole);
  BOOST_TEST(fingerprint_of("\xFF").whole != fingerprint_of("\xFE").whole);
}

BOOST_AUTO_TEST_CASE(only_custom_events_are_out_of_band) {
  BOOST_TEST(
    fingerprint_of("{\"type\":\"CUSTOM\",\"name\":\"x\"}").out_of_band);
  for (auto line : {"{\"type\":\"RAW\"}", "{}", "CUSTOM", "\"CUSTOM\"",
                    "{\"a\":{\"type\":\"CUSTOM\"}}"})
    BOOST_TEST(!fingerprint_of(line).out_of_band);
}

BOOST_AUTO_TEST_CASE(the_fingerprint_of_a_line_never_changes) {
  BOOST_TEST(
    fingerprint_of("{\"type\":\"T\",\"n\":1.50}").whole
    == "6bed2ad21688c8796ad11dd706a25e2f477fcca7663eee483b07f61e854a9b49");
}

BOOST_AUTO_TEST_CASE(run_scoped_ids_count_alike_in_every_replay) {
  run_scoped_ids first{run_id{"r-1"}};
  run_scoped_ids replay{run_id{"r-1"}};

  BOOST_TEST(first.next() == "r-1-1");
  BOOST_TEST(first.next() == "r-1-2");
  BOOST_TEST(replay.next() == "r-1-1");
}

BOOST_AUTO_TEST_SUITE_END()
