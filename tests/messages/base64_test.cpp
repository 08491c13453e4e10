// SPDX-License-Identifier: MIT
// Goal: a frame gives its bytes or an error, wherever transport cut it (B7).
// Method: every split of small frames, random splits of large ones.
#include "messages/base64.hpp"

#include "tests/messages/seeded.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <utility>

using namespace baton;
using baton::test::seeded;

namespace {

std::string wrapped(const std::string& frame, std::string_view newline) {
  std::string out;
  for (std::size_t i = 0; i < frame.size(); i += 76) {
    out += frame.substr(i, 76);
    out += newline;
  }
  return out;
}

} // namespace

BOOST_AUTO_TEST_SUITE(messages_base64)

BOOST_AUTO_TEST_CASE(the_vectors_of_rfc_4648_hold_both_ways) {
  const std::array<std::pair<std::string, std::string>, 7> vectors{
    {{"", ""},
     {"f", "Zg=="},
     {"fo", "Zm8="},
     {"foo", "Zm9v"},
     {"foob", "Zm9vYg=="},
     {"fooba", "Zm9vYmE="},
     {"foobar", "Zm9vYmFy"}}};
  for (const auto& [plain, frame] : vectors) {
    BOOST_TEST(base64_encode(plain) == frame);
    BOOST_TEST(base64_decode(frame).value() == plain);
  }
}

BOOST_AUTO_TEST_CASE(a_frame_decodes_alike_at_every_pair_of_chunk_borders) {
  seeded random{1};
  for (std::size_t n = 0; n < 20; ++n) {
    auto plain = random.bytes(n);
    auto frame = base64_encode(plain) + "\r\n";
    for (std::size_t i = 0; i <= frame.size(); ++i)
      for (std::size_t j = i; j <= frame.size(); ++j) {
        base64_decoder decoder;
        std::string out;
        BOOST_REQUIRE(decoder.feed(frame.substr(0, i), out).ok());
        BOOST_REQUIRE(decoder.feed(frame.substr(i, j - i), out).ok());
        BOOST_REQUIRE(decoder.feed(frame.substr(j), out).ok());
        BOOST_REQUIRE(decoder.finish().ok());
        BOOST_REQUIRE(out == plain);
      }
  }
}

BOOST_AUTO_TEST_CASE(lines_of_76_columns_decode_in_random_chunks) {
  seeded random{2};
  for (auto newline : {"\n", "\r\n"})
    for (int round = 0; round < 50; ++round) {
      auto plain = random.bytes(random.below(5000));
      auto frame = wrapped(base64_encode(plain), newline);
      base64_decoder decoder;
      std::string out;
      for (std::size_t at = 0; at < frame.size();) {
        auto n = 1 + random.below(100);
        BOOST_REQUIRE(decoder.feed(frame.substr(at, n), out).ok());
        at += n;
      }
      BOOST_REQUIRE(decoder.finish().ok());
      BOOST_REQUIRE(out == plain);
    }
}

BOOST_AUTO_TEST_CASE(a_frame_cut_in_mid_quantum_is_an_error_not_fewer_bytes) {
  auto frame = base64_encode("some bytes of a journal");
  for (std::size_t n = 0; n < frame.size(); ++n) {
    auto got = base64_decode(frame.substr(0, n));
    BOOST_TEST(got.ok() == (n % 4 == 0));
    if (!got)
      BOOST_TEST(to_string(got.error().code) == "malformed");
  }
}

BOOST_AUTO_TEST_CASE(what_no_encoder_writes_is_refused) {
  for (auto frame : {"Zg=", "Z===", "====", "=", "Zg==Zg==", "Zg=a", "Zh==",
                     "Zm9=", "Zm 9v", "Zm-_", "Zm9v!", "\x80gaa", "Zg==="})
    BOOST_TEST(!base64_decode(frame).ok(), frame);
}

BOOST_AUTO_TEST_CASE(a_refused_decoder_stays_refused) {
  base64_decoder decoder;
  std::string out;

  BOOST_TEST(!decoder.feed("?", out).ok());

  BOOST_TEST(!decoder.feed("Zm9v", out).ok());
  BOOST_TEST(!decoder.finish().ok());
  BOOST_TEST(out.empty());
}

BOOST_AUTO_TEST_CASE(an_accepted_frame_is_the_one_encoding_of_its_bytes) {
  seeded random{3};
  for (int round = 0; round < 20'000; ++round) {
    auto frame = random.from("ABQgZz09+/=", 4 * (1 + random.below(3)));
    if (auto got = base64_decode(frame))
      BOOST_REQUIRE(base64_encode(*got) == frame);
  }
}

BOOST_AUTO_TEST_SUITE_END()
