// SPDX-License-Identifier: MIT
// Goal: ids and names are one to one, and foreign names give no id (B2, B3).
// Method: known cases, every single byte, random ids and random names.
#include "messages/journal_name.hpp"

#include "messages/record.hpp"
#include "messages/utf8.hpp"
#include "tests/messages/seeded.hpp"

#include <boost/test/unit_test.hpp>

#include <map>

using namespace baton;
using baton::test::seeded;
using outcome = run_file_found::outcome;

namespace {

std::string name_of(const std::string& id) {
  return run_file_name(run_id{id}, run_file::journal).value();
}

outcome read(const std::string& name) {
  return read_run_file_name(name).is;
}

void check_round_trip(const std::string& id) {
  for (auto kind :
       {run_file::journal, run_file::stderr_output, run_file::exit_record}) {
    auto name = run_file_name(run_id{id}, kind).value();
    BOOST_REQUIRE(name.size() <= 207);
    auto back = read_run_file_name(name);
    BOOST_REQUIRE(back.kind == kind);
    if (back.is == outcome::found)
      BOOST_REQUIRE_MESSAGE(back.id.str() == id, printable(id));
    else
      BOOST_REQUIRE(back.is == outcome::truncated);
  }
}

} // namespace

BOOST_AUTO_TEST_SUITE(messages_journal_name)

BOOST_AUTO_TEST_CASE(known_ids_have_known_names) {
  BOOST_TEST(name_of("run-1.a") == "run-1.a.ndjson");
  BOOST_TEST(name_of("a_b") == "a_5fb.ndjson");
  BOOST_TEST(name_of("a/b") == "a_2fb.ndjson");
  BOOST_TEST(name_of("../../x") == ".._2f.._2fx.ndjson");
  BOOST_TEST(name_of("é") == "_c3_a9.ndjson");
  BOOST_TEST(run_file_name(run_id{"r"}, run_file::stderr_output).value()
             == "r.err");
  BOOST_TEST(run_file_name(run_id{"r"}, run_file::exit_record).value()
             == "r.exit");
}

BOOST_AUTO_TEST_CASE(device_names_are_escaped_whole_with_any_suffix) {
  BOOST_TEST(name_of("CON") == "_43_4f_4e.ndjson");
  BOOST_TEST(name_of("nul.x") == "_6e_75_6c_2e_78.ndjson");
  BOOST_TEST(name_of("Com7") == "_43_6f_6d_37.ndjson");
  BOOST_TEST(name_of("COM10") == "COM10.ndjson");
  BOOST_TEST(name_of("CONS") == "CONS.ndjson");
  for (auto id : {"CON", "con", "PRN", "AUX", "NUL", "LPT1", "nul.x"})
    check_round_trip(id);
}

BOOST_AUTO_TEST_CASE(an_id_that_is_empty_or_not_utf8_has_no_name) {
  BOOST_TEST(!run_file_name(run_id{}, run_file::journal).ok());
  BOOST_TEST(!run_file_name(run_id{"\xFF"}, run_file::journal).ok());
}

// Field case BR-049.
BOOST_AUTO_TEST_CASE(hostile_ids_read_back_and_stay_one_file_name) {
  for (const auto& id :
       {std::string{"../../x"}, std::string{"..%2f..%2fx"}, std::string{"a/b"},
        std::string{"."}, std::string{".."}, std::string{"a\0b", 3},
        std::string{"a\nb"}, std::string{"-rf"}, std::string{"CON"},
        std::string(5000, 'a'), std::string{"\xF0\x9F\x8C\x8D"},
        std::string{"a.ndjson"}, std::string{"a.err"}, std::string{"a.exit"}}) {
    auto name = name_of(id);
    BOOST_TEST(name.find('/') == std::string::npos);
    BOOST_TEST(name != ".");
    BOOST_TEST(name != "..");
    check_round_trip(id);
  }
}

BOOST_AUTO_TEST_CASE(every_ascii_byte_and_every_length_around_the_cut_returns) {
  for (int c = 0; c < 0x80; ++c) {
    auto one = std::string(1, static_cast<char>(c));
    check_round_trip(one);
    check_round_trip("x" + one + "y");
    for (std::size_t n = 60; n < 70; ++n)
      check_round_trip(std::string(n, static_cast<char>(c)));
    for (std::size_t n = 180; n < 210; ++n)
      check_round_trip(std::string(n, static_cast<char>(c)));
  }
}

BOOST_AUTO_TEST_CASE(a_long_id_is_cut_between_escapes_and_told_truncated) {
  for (std::size_t plain = 170; plain < 200; ++plain) {
    auto name = name_of(std::string(plain, 'a') + std::string(50, '/'));
    auto stem = name.substr(0, name.size() - 7);
    BOOST_TEST(stem.size() <= 200);
    BOOST_TEST(stem.size() >= 198);
    BOOST_TEST((read(name) == outcome::truncated));
    BOOST_TEST(read_run_file_name(name).id.empty());
  }
}

BOOST_AUTO_TEST_CASE(an_id_spelt_like_a_cut_name_does_not_take_that_name) {
  auto name = name_of(std::string(300, 'a'));
  auto twin = name.substr(0, name.size() - 7);

  BOOST_TEST(name_of(twin) != name);
  BOOST_TEST((read(name_of(twin)) == outcome::truncated));
}

BOOST_AUTO_TEST_CASE(names_no_encoder_gives_are_malformed) {
  for (auto name :
       {"", ".ndjson", "a", "a.txt", "a.NDJSON", "a.ndjson.tmp", "a_.ndjson",
        "a_2.ndjson", "a_2F.ndjson", "a_g0.ndjson", "_61.ndjson", "a b.ndjson",
        "a/b.ndjson", "_ff.ndjson", "_c3.ndjson", "CON.ndjson", "con.x.err",
        "a\n.ndjson", "_ed_a0_80.ndjson"})
    BOOST_TEST((read(name) == outcome::malformed), name);
  BOOST_TEST((read(std::string(201, 'a') + ".err") == outcome::malformed));
  BOOST_TEST((read(std::string{"a\0.ndjson", 9}) == outcome::malformed));
}

BOOST_AUTO_TEST_CASE(random_ids_never_share_a_name) {
  seeded random{4};
  std::map<std::string, std::string> owner;
  for (int round = 0; round < 20'000; ++round) {
    auto id = random.from("aA0._-/\x01 \xC3\xA9", 1 + random.below(4));
    if (round % 10 == 0)
      id = std::string(180 + random.below(30), 'a') + id;
    if (!is_utf8(id))
      continue;
    check_round_trip(id);
    auto [at, fresh] = owner.emplace(name_of(id), id);
    BOOST_REQUIRE(fresh || at->second == id);
  }
}

BOOST_AUTO_TEST_CASE(a_random_name_that_gives_an_id_is_that_ids_name) {
  seeded random{5};
  for (int round = 0; round < 50'000; ++round) {
    auto name = random.from("aA0._-26fCON", random.below(8)) + ".err";
    auto got = read_run_file_name(name);
    if (got.is == outcome::found)
      BOOST_REQUIRE(run_file_name(got.id, got.kind).value() == name);
  }
}

BOOST_AUTO_TEST_SUITE_END()
