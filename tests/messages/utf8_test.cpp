// SPDX-License-Identifier: MIT
// Method: every code point, every two- and three-byte sequence against a
// naive decoder, and each fault at every offset from a word border.
#include "messages/utf8.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string>

using namespace baton;

namespace {

std::string encoded(std::uint32_t c) {
  auto byte = [](std::uint32_t x) { return static_cast<char>(x); };
  if (c < 0x80)
    return {byte(c)};
  if (c < 0x800)
    return {byte(0xC0 | c >> 6), byte(0x80 | (c & 0x3F))};
  if (c < 0x10000)
    return {byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 0x3F)),
            byte(0x80 | (c & 0x3F))};
  return {byte(0xF0 | c >> 18), byte(0x80 | (c >> 12 & 0x3F)),
          byte(0x80 | (c >> 6 & 0x3F)), byte(0x80 | (c & 0x3F))};
}

/// Decodes leniently, then demands the shortest form of a scalar value.
bool naive_is_utf8(const std::string& text) {
  std::size_t i = 0;
  while (i < text.size()) {
    auto c = static_cast<unsigned char>(text[i]);
    std::size_t n = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    if (c >= 0x80 && c < 0xC0)
      return false;
    if (c >= 0xF8 || i + n > text.size())
      return false;
    auto value = static_cast<std::uint32_t>(n == 1 ? c : c & (0x7F >> n));
    for (std::size_t k = 1; k < n; ++k) {
      auto tail = static_cast<unsigned char>(text[i + k]);
      if ((tail & 0xC0) != 0x80)
        return false;
      value = value << 6 | (tail & 0x3F);
    }
    if (value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)
        || encoded(value) != text.substr(i, n))
      return false;
    i += n;
  }
  return true;
}

} // namespace

BOOST_AUTO_TEST_SUITE(messages_utf8)

BOOST_AUTO_TEST_CASE(every_code_point_is_utf8_unless_a_surrogate) {
  for (std::uint32_t c = 0; c < 0x120000; ++c) {
    auto valid = c <= 0x10FFFF && !(c >= 0xD800 && c < 0xE000);
    BOOST_REQUIRE(is_utf8(encoded(c)) == valid);
  }
}

BOOST_AUTO_TEST_CASE(every_sequence_of_up_to_three_bytes_is_judged_right) {
  for (std::uint32_t x = 0; x < 0x1000000; ++x) {
    // ASCII at the first place leaves a shorter sequence, judged already.
    if ((x >> 16) < 0x80 && (x >> 16) != 0)
      continue;
    std::string text{static_cast<char>(x >> 16), static_cast<char>(x >> 8),
                     static_cast<char>(x)};
    if (is_utf8(text) != naive_is_utf8(text))
      BOOST_FAIL("wrong about " << std::hex << x);
  }
}

BOOST_AUTO_TEST_CASE(four_byte_forms_end_at_the_last_code_point) {
  for (auto text : {"\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"})
    BOOST_TEST(is_utf8(text));
  for (auto text : {"\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80",
                    "\xF0\x9F\x8C", "\xF0\x9F\x8C\x41", "\xF8\x88\x80\x80\x80"})
    BOOST_TEST(!is_utf8(text));
}

BOOST_AUTO_TEST_CASE(a_fault_is_seen_at_every_distance_from_a_word_border) {
  for (std::size_t before = 0; before < 40; ++before)
    for (std::size_t after = 0; after < 20; ++after) {
      auto head = std::string(before, 'a'), tail = std::string(after, 'b');
      BOOST_REQUIRE(is_utf8(head + "\xE2\x80\xA8" + tail));
      for (auto fault : {"\xFF", "\x80", "\xC3", "\xE2\x80", "\xF0\x9F\x8C"})
        BOOST_REQUIRE(!is_utf8(head + fault + tail));
    }
}

BOOST_AUTO_TEST_SUITE_END()
