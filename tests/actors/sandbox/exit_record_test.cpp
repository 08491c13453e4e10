// SPDX-License-Identifier: MIT
// Goal: a record is whole or absent. Method: every bit of one flipped.
#include "actors/sandbox/exit_record.hpp"

#include <boost/test/unit_test.hpp>

namespace baton::sandbox {
namespace {

BOOST_AUTO_TEST_SUITE(sandbox_exit_record)

BOOST_AUTO_TEST_CASE(records_come_back_as_they_were) {
  for (const auto& x : {exit_record{0, {}, 0, "", "", ""},
                        exit_record{143, 15, 8192, "", "5f", ""},
                        exit_record{127,
                                    {},
                                    1ull << 60,
                                    "no such: sum error code",
                                    "aa",
                                    "setup_failed"}}) {
    auto block = encode(x);
    BOOST_TEST(block.size() == exit_record_bytes);
    BOOST_TEST((decode_exit_record(block) == x));
  }
}

BOOST_AUTO_TEST_CASE(the_stored_form_does_not_change) {
  auto block = encode(exit_record{143, 15, 8192, "why", "5f", ""});
  BOOST_TEST(
    block.substr(0, block.find('\0'))
    == "baton-exit 1\nnonce 5f\ncode 143\nsignal 15\njournal_end 8192\n"
       "error why\nsum e73eafb758545025\n");
}

BOOST_AUTO_TEST_CASE(no_flipped_bit_and_no_cut_goes_unnoticed) {
  auto block = encode(exit_record{3, 9, 77, "why", "5f", "setup_failed"});
  auto length = block.find('\0');
  for (std::size_t i = 0; i < length; ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      auto broken = block;
      broken[i] = static_cast<char>(broken[i] ^ (1 << bit));
      BOOST_TEST(!decode_exit_record(broken));
    }
    BOOST_TEST(!decode_exit_record(std::string_view{block}.substr(0, i)));
  }
}

BOOST_AUTO_TEST_CASE(reserved_space_is_no_record) {
  BOOST_TEST(!decode_exit_record(std::string(exit_record_bytes, '\0')));
  BOOST_TEST(!decode_exit_record(""));
}

BOOST_AUTO_TEST_CASE(an_error_is_one_line_that_fits) {
  auto got = decode_exit_record(
    encode(exit_record{1, {}, 0, "a\nb" + std::string(10'000, 'x'), "", ""}));
  BOOST_REQUIRE(got.has_value());
  BOOST_TEST(got->launch_error.starts_with("a bx"));
}

BOOST_AUTO_TEST_CASE(the_marker_stands_on_a_line_of_its_own) {
  exit_record x{3, {}, 7, "", "", ""};
  std::string line =
    "{\"baton_exit\":{\"code\":3,\"journal_end\":7,\"nonce\":\"ab\"}}\n";
  BOOST_TEST(exit_marker_line(x, "ab", '\n') == line);
  BOOST_TEST(exit_marker_line(x, "ab", std::nullopt) == line);
  BOOST_TEST(exit_marker_line(x, "ab", 'x') == "\n" + line);
  x.signal = 9;
  BOOST_TEST(exit_marker_line(x, "ab", '\n').find("\"signal\":9,")
             != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace baton::sandbox
