// SPDX-License-Identifier: MIT
// Goal: no bytes from outside crash, hang or mislead a decoder (they return,
// and what they accept keeps its promises).
// Method: seeded random bytes, and damaged forms of valid input, through every
// decoder of messages/; worth most under the sanitizers.
#include "messages/base64.hpp"
#include "messages/canonical_json.hpp"
#include "messages/entry_kind.hpp"
#include "messages/exit_marker.hpp"
#include "messages/fingerprint.hpp"
#include "messages/instance_identity.hpp"
#include "messages/journal_name.hpp"
#include "messages/line_framing.hpp"
#include "messages/record.hpp"
#include "messages/record_codec.hpp"
#include "messages/shell_commands.hpp"
#include "messages/utf8.hpp"
#include "messages/wall_time.hpp"
#include "messages/workspace.hpp"
#include "tests/messages/seeded.hpp"

#include <boost/test/unit_test.hpp>
#include <google/protobuf/stubs/logging.h>

#include <array>

using namespace baton;
using baton::test::seeded;

namespace {

const std::string nonce = "00112233445566778899aabbccddeeff";
const std::vector<std::string> hashes{hash_of_nonce(nonce)};

void pass_through_every_decoder(const std::string& bytes, seeded& random) {
  auto kind = classify(bytes);
  BOOST_REQUIRE((kind == entry_kind::bytes) == !is_utf8(bytes));
  // Boost.JSON knows limits that the grammar does not, never the reverse.
  if (canonical_json::of(bytes))
    BOOST_REQUIRE(kind == entry_kind::json);
  BOOST_REQUIRE(fingerprint_of(bytes).whole.size() == 64);
  ignore_result(workspace_hash(bytes), "any answer will do");
  if (auto workspace = decode_workspace(bytes))
    BOOST_REQUIRE(check(*workspace).ok());

  if (auto plain = base64_decode(bytes))
    BOOST_REQUIRE(plain->size() <= bytes.size() / 4 * 3);
  BOOST_REQUIRE(base64_decode(base64_encode(bytes)).value() == bytes);

  auto name = read_run_file_name(bytes);
  if (name.is == run_file_found::outcome::found)
    BOOST_REQUIRE(run_file_name(name.id, name.kind).value() == bytes);
  if (is_valid_id(bytes))
    BOOST_REQUIRE(run_file_name(run_id{bytes}, run_file::journal).ok());
  BOOST_REQUIRE(printable(bytes).size() <= 90);

  BOOST_REQUIRE(!recognise_exit_marker(bytes, hashes));
  BOOST_REQUIRE(!find_exit_marker(bytes, hashes));

  framing_state state;
  line_batch batch;
  framing_limits limits{1 + random.below(20)};
  BOOST_REQUIRE(frame_last_lines(bytes, state, limits, batch) == bytes.size());
  BOOST_REQUIRE(batch.bytes == bytes);
  BOOST_REQUIRE(is_well_formed(batch));

  ignore_result(exists_answer(bytes), "any answer will do");
  ignore_result(cleanup_answer(bytes), "any answer will do");
  ignore_result(list_answer(bytes), "any answer will do");
  ignore_result(mtimes_answer(bytes), "any answer will do");
  ignore_result(tail_answer(bytes), "any answer will do");
  if (auto read = read_answer(bytes, position{random.below(9000)}, 5))
    BOOST_REQUIRE(!*read || (**read).size() <= 5);
  if (auto mark = exit_answer(bytes, hashes))
    BOOST_REQUIRE(!*mark);

  if (auto t = wall_time_from_rfc3339(bytes))
    BOOST_REQUIRE(to_rfc3339(*t) == bytes);
  if (auto x = decode_state(bytes))
    BOOST_REQUIRE(!to_string(x->status).empty());
  ignore_result(decode_spec(bytes), "any answer will do");
  ignore_result(decode_outcome(bytes), "any answer will do");
  ignore_result(decode_claim_note(bytes), "any answer will do");
  ignore_result(decode_entry(bytes), "any answer will do");
}

} // namespace

BOOST_AUTO_TEST_SUITE(messages_robustness)

BOOST_AUTO_TEST_CASE(random_bytes_pass_through_every_decoder) {
  google::protobuf::LogSilencer silence;
  seeded random{90};
  for (int round = 0; round < 8000; ++round)
    pass_through_every_decoder(random.bytes(random.below(300)), random);
}

BOOST_AUTO_TEST_CASE(damaged_valid_input_passes_through_every_decoder) {
  google::protobuf::LogSilencer silence;
  seeded random{91};
  run_state state;
  state.version = 1;
  const std::array<std::string, 8> valid{
    "{\"type\":\"T\",\"a\":[1,2.5e3,null,{\"b\":\"\\u00e9\\n\"}]}",
    // Of another run: its nonce is none of ours.
    write_exit_marker({137, 9, position{55}}, "feedface"),
    base64_encode("some bytes of a journal") + "\n.\n",
    ".\n./a.ndjson\n./b.err\n/\n", "17 .\n18 ./a.ndjson\n/\n", "run_5f1.ndjson",
    "2026-11-29T15:18:33.042Z", encode(state)};
  for (int round = 0; round < 16'000; ++round) {
    auto bytes = valid[random.below(valid.size())];
    for (auto n = random.below(4); n > 0 && !bytes.empty(); --n) {
      auto at = random.below(bytes.size());
      if (random.below(2) == 0)
        bytes[at] = static_cast<char>(random.below(256));
      else
        bytes.erase(at, 1 + random.below(4));
    }
    pass_through_every_decoder(bytes, random);
  }
}

BOOST_AUTO_TEST_SUITE_END()
