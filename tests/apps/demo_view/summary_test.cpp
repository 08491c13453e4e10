// SPDX-License-Identifier: MIT
// Goal: a person watching the demo sees words, whatever the agent prints.
#include "apps/demo_view/summary.hpp"

#include <boost/test/unit_test.hpp>

#include <random>

namespace baton::demo {

BOOST_AUTO_TEST_SUITE(apps_demo_view_summary)

BOOST_AUTO_TEST_CASE(a_text_block_shows_its_text) {
  auto x = summarise(R"({"type":"assistant","message":{"model":"m",)"
                     R"("content":[{"type":"text","text":"Hello."}]}})");
  BOOST_TEST(x.kind == "assistant");
  BOOST_TEST(x.words == "Hello.");
  BOOST_TEST(!x.failure);
}

BOOST_AUTO_TEST_CASE(a_tool_call_shows_the_tool_and_its_input) {
  auto x =
    summarise(R"({"type":"assistant","message":{"content":[{"type":)"
              R"("tool_use","name":"Bash","input":{"command":"ls"}}]}})");
  BOOST_TEST(x.kind == "tool_use");
  BOOST_TEST(x.words == "Bash  ls");
}

BOOST_AUTO_TEST_CASE(a_failed_tool_result_is_a_failure) {
  auto x = summarise(R"({"type":"user","message":{"content":[{"type":)"
                     R"("tool_result","content":"no","is_error":true}]}})");
  BOOST_TEST(x.kind == "tool_result");
  BOOST_TEST(x.words == "no");
  BOOST_TEST(x.failure);
}

BOOST_AUTO_TEST_CASE(the_end_shows_subtype_and_result) {
  auto x = summarise(R"({"type":"result","subtype":"success","result":"ok"})");
  BOOST_TEST(x.kind == "result/success");
  BOOST_TEST(x.words == "ok");
}

BOOST_AUTO_TEST_CASE(other_agents_lines_show_their_words_too) {
  BOOST_TEST(summarise(R"({"type":"item.completed","item":{"type":)"
                       R"("agent_message","text":"Hi"}})")
               .words
             == "Hi");
  BOOST_TEST(summarise(R"({"type":"tool_use","part":{"tool":"bash","state":)"
                       R"({"input":{"command":"ls"}}}})")
               .words
             == "ls");
}

BOOST_AUTO_TEST_CASE(what_is_no_object_is_shown_as_it_is) {
  BOOST_TEST(summarise("warning: x").kind == "text");
  BOOST_TEST(summarise("warning: x").words == "warning: x");
  BOOST_TEST(summarise("[1]").kind == "json");
  BOOST_TEST(summarise("\xff\xfe").kind == "bytes");
  BOOST_TEST(summarise("").kind == "text");
}

BOOST_AUTO_TEST_CASE(deep_nesting_and_random_bytes_do_no_harm) {
  std::string deep;
  for (int i = 0; i < 10'000; ++i)
    deep += R"({"message":)";
  BOOST_TEST(summarise(deep).kind == "text");
  std::mt19937 random{7};
  for (int i = 0; i < 10'000; ++i) {
    std::string line(random() % 40, ' ');
    for (auto& c : line)
      c = static_cast<char>(random());
    BOOST_TEST(!summarise(line).kind.empty());
  }
}

BOOST_AUTO_TEST_CASE(text_is_cut_by_characters_and_kept_on_one_line) {
  BOOST_TEST(fit("abc", 3) == "abc");
  BOOST_TEST(fit("abcd", 3) == "ab\xe2\x80\xa6");
  BOOST_TEST(fit("\xc3\xa4\xc3\xa4\xc3\xa4", 2) == "\xc3\xa4\xe2\x80\xa6");
  BOOST_TEST(fit("  a\n\n\tb\033[31m", 20) == "a b [31m");
  BOOST_TEST(fit("", 3).empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::demo
