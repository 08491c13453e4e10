// SPDX-License-Identifier: MIT
// Goal: statuses, ids from outside and batches from outside are judged right.
#include "messages/record.hpp"

#include "messages/entry.hpp"

#include <boost/test/unit_test.hpp>

#include <limits>
#include <unordered_set>

using namespace baton;
using namespace std::string_literals;

BOOST_AUTO_TEST_SUITE(messages_record)

BOOST_AUTO_TEST_CASE(the_five_statuses_have_names_that_lead_back) {
  for (auto s :
       {run_status::running, run_status::interrupted, run_status::completed,
        run_status::failed, run_status::aborted}) {
    BOOST_TEST((run_status_from_string(to_string(s)) == s));
    BOOST_TEST(is_terminal(s)
               == (s != run_status::running && s != run_status::interrupted));
  }
  for (auto name : {"", "Running", "done", "running "})
    BOOST_TEST(!run_status_from_string(name).has_value());
  BOOST_TEST(to_string(static_cast<run_status>(0)).empty());
  BOOST_TEST(to_string(static_cast<run_status>(6)).empty());
}

// Field case BR-049.
BOOST_AUTO_TEST_CASE(ids_are_1_to_512_bytes_of_utf8_without_controls) {
  for (const auto& id :
       {"a"s, "../../x"s, "..%2f..%2fx"s, "a/b"s, "..."s, "-rf"s, "CON"s,
        "a%00b"s, "a%0Ab"s, "two words"s, "\xF0\x9F\x8C\x8D"s, "\xC2\xA0"s,
        "\xE2\x80\xA8"s, std::string(512, 'a')})
    BOOST_TEST(is_valid_id(id), printable(id));
  for (const auto& id :
       {""s, "."s, ".."s, "a\0b"s, "a\nb"s, "\r"s, "\x1F"s, "\x7F"s,
        "a\xC2\x80"s, "\xC2\x9F"s, "\xFF"s, "\xC2"s, "\xED\xA0\x80"s,
        std::string(513, 'a'), std::string(5000, 'a')})
    BOOST_TEST(!is_valid_id(id), printable(id));
}

BOOST_AUTO_TEST_CASE(printable_text_is_short_and_ascii) {
  BOOST_TEST(printable("a b\n\xFF"s) == "a b\\x0a\\xff");
  auto cut = printable(std::string(1000, 'a'));
  BOOST_TEST(cut.size() == 83u);
  BOOST_TEST(cut.ends_with("..."));
}

BOOST_AUTO_TEST_CASE(ids_and_numbers_compare_and_hash_by_value) {
  std::unordered_set<run_id> ids{run_id{"a"}, run_id{"b"}, run_id{"a"}};

  BOOST_TEST(ids.size() == 2u);
  BOOST_TEST((run_id{"a"} < run_id{"b"}));
  BOOST_TEST((epoch{1} < epoch{2}));
  BOOST_TEST((epoch{} == epoch{0}));
}

BOOST_AUTO_TEST_CASE(a_create_is_the_same_request_whatever_thread_or_labels) {
  run_spec a;
  a.id = run_id{"r"};
  a.command.argv = {"x"};
  auto b = a;
  b.thread = thread_id{"other"};
  b.labels["k"] = "v";
  b.wanted_node = node_id{"n"};
  BOOST_TEST(same_request(a, b));

  std::vector<run_spec> others(8, a);
  others[0].command.argv = {"y"};
  others[1].command.shell = true;
  others[2].cwd = "/";
  others[3].env["K"] = "v";
  others[4].stdin_bytes = "x";
  others[5].sandbox.provider = "bwrap";
  others[6].external = true;
  others[7].sandbox.network = false;
  for (const auto& other : others)
    BOOST_TEST(!same_request(a, other));
}

BOOST_AUTO_TEST_CASE(a_batch_gives_back_its_lines) {
  line_batch batch;
  BOOST_TEST(batch.empty());
  batch.add("one\n", false);
  batch.add("piece", true);
  batch.add("\n", false);

  std::vector<std::pair<std::string, bool>> got;
  batch.for_each([&](std::string_view line, bool fragment) {
    got.emplace_back(line, fragment);
  });

  BOOST_TEST((got
              == std::vector<std::pair<std::string, bool>>{
                {"one\n", false}, {"piece", true}, {"\n", false}}));
  BOOST_TEST(batch.size() == 3u);
  BOOST_TEST(is_well_formed(batch));
}

BOOST_AUTO_TEST_CASE(a_batch_whose_lengths_lie_is_not_well_formed) {
  constexpr auto huge = std::numeric_limits<std::uint32_t>::max();
  BOOST_TEST(is_well_formed(line_batch{}));
  BOOST_TEST(is_well_formed(line_batch{"ab", {1, 1}}));
  for (const auto& x :
       {line_batch{"ab", {1}}, line_batch{"ab", {3}}, line_batch{"ab", {}},
        line_batch{"ab", {2, 0}}, line_batch{"", {0}},
        line_batch{"ab", {line_batch::fragment_bit, 2}},
        line_batch{"ab", {huge, huge, 4}}})
    BOOST_TEST(!is_well_formed(x));
}

BOOST_AUTO_TEST_SUITE_END()
