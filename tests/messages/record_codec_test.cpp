// SPDX-License-Identifier: MIT
// Goal: what is stored is read back as it was, by every later version too, and
// what nobody stored is never taken for a run that ended (A1, A2).
// Method: one value per field, golden bytes, seeded damage.
#include "messages/record_codec.hpp"

#include "messages/stored.pb.h"
#include "tests/messages/seeded.hpp"

#include <boost/test/unit_test.hpp>

#include <google/protobuf/stubs/logging.h>

#include <functional>

using namespace baton;
using namespace std::string_literals;
using baton::test::seeded;

namespace {

wall_time at(std::int64_t ms) {
  return wall_time{std::chrono::milliseconds{ms}};
}

run_spec full_spec() {
  run_spec x;
  x.id = run_id{"r-1"};
  x.thread = thread_id{"t"};
  x.command = {true, {"echo \xFF\0x"s, ""}};
  x.cwd = "/w\xFF";
  x.env = {{"A", "1"}, {"B", "\xFE"}};
  x.stdin_bytes = "in\0\xFF"s;
  x.sandbox = {"bwrap\xFF", true, true, false, true, "tenant\xFF", {}};
  x.external = true;
  x.wanted_node = node_id{"n\xFF"};
  x.detach_on_disconnect = false;
  x.labels = {{"k", "v"}};
  x.started_at = at(1'795'965'513'042);
  return x;
}

run_state full_state() {
  run_state x;
  x.version = 3;
  x.no = run_no{7};
  x.status = run_status::failed;
  x.epoch = epoch{2};
  x.holder = "node\xFF";
  x.last_seq = seq{9};
  x.end = position{4711};
  x.inside_line = true;
  x.sandbox = {instance_key{"key"}, "id\xFF", "host\xFF", "shared\xFF"};
  x.trimmed = seq{4};
  x.nonce_hashes = {"aa", "bb"};
  x.cancel_requested_at = at(1);
  x.cancel_delivered_at = at(5);
  x.cancel_cause = errc::expired;
  x.detached_since = at(2);
  x.detached_at_uptime_ms = 3;
  x.finished_at = at(-4);
  x.exit_code = 137;
  x.signal = 9;
  x.error = run_error{errc::agent_lost, "gone \xFF"};
  x.usage = "{\"tokens\":1}";
  return x;
}

run_outcome full_outcome() {
  return {run_status::aborted, 130, 2, run_error{errc::cancelled, "m"}, "{}"};
}

entry full_entry() {
  return {seq{3},   epoch{2}, position{10},  position{15},
          at(1000), true,     "a\0\xFF\r\n"s};
}

std::string encoded(const entry& x) {
  std::string out;
  encode_to(x, out);
  return out;
}

std::string hex(std::string_view bytes) {
  std::string out;
  for (unsigned char c : bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    out += digits[c >> 4];
    out += digits[c & 0xF];
  }
  return out;
}

std::string unhex(std::string_view digits) {
  std::string out;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    out += static_cast<char>(
      std::stoi(std::string{digits.substr(i, 2)}, nullptr, 16));
  return out;
}

} // namespace

BOOST_AUTO_TEST_SUITE(messages_record_codec)

BOOST_AUTO_TEST_CASE(every_field_returns) {
  claim_note note{epoch{4}, "h\xFF", "steal", seq{5}, at(6)};

  auto spec = full_spec();
  spec.sandbox.workspace.source = path_source{"/src"};
  spec.sandbox.workspace.setup = {{"make"}};
  BOOST_TEST((decode_spec(encode(spec)).value() == spec));
  BOOST_TEST((decode_spec(encode(full_spec())).value() == full_spec()));
  BOOST_TEST((decode_state(encode(full_state())).value() == full_state()));
  BOOST_TEST(
    (decode_outcome(encode(full_outcome())).value() == full_outcome()));
  BOOST_TEST((decode_claim_note(encode(note)).value() == note));
  BOOST_TEST((decode_entry(encoded(full_entry())).value() == full_entry()));
}

BOOST_AUTO_TEST_CASE(fields_that_are_not_set_stay_so) {
  run_spec spec;
  spec.id = run_id{"r"};
  run_state state;
  state.version = 1;

  BOOST_TEST((decode_spec(encode(spec)).value() == spec));
  BOOST_TEST((decode_state(encode(state)).value() == state));
  BOOST_TEST((decode_outcome(encode(run_outcome{})).value() == run_outcome{}));
  BOOST_TEST((decode_entry(encoded(entry{})).value() == entry{}));
}

BOOST_AUTO_TEST_CASE(each_optional_field_clears_alone) {
  const std::vector<std::function<void(run_state&)>> clears{
    [](run_state& x) { x.cancel_requested_at.reset(); },
    [](run_state& x) { x.cancel_delivered_at.reset(); },
    [](run_state& x) { x.trimmed = {}; },
    [](run_state& x) { x.detached_since.reset(); },
    [](run_state& x) { x.finished_at.reset(); },
    [](run_state& x) { x.exit_code.reset(); },
    [](run_state& x) { x.signal.reset(); },
    [](run_state& x) { x.error.reset(); },
    [](run_state& x) { x.usage.clear(); },
    [](run_state& x) { x.nonce_hashes.clear(); },
    [](run_state& x) { x.sandbox = {}; },
    [](run_state& x) { x.holder.clear(); },
    [](run_state& x) { x.inside_line = false; },
    [](run_state& x) { x.cancel_cause = errc::none; }};
  for (const auto& clear : clears) {
    auto x = full_state();
    clear(x);
    BOOST_TEST((decode_state(encode(x)).value() == x));
    BOOST_TEST((decode_state(encode(x)).value() != full_state()));
  }
}

BOOST_AUTO_TEST_CASE(zero_is_told_from_absent) {
  auto x = full_state();
  x.exit_code = 0;
  x.signal = 0;
  x.finished_at = at(0);
  x.detached_since = at(0);
  x.cancel_requested_at = at(0);
  x.error = run_error{};
  auto spec = full_spec();
  spec.sandbox.network = std::nullopt;

  BOOST_TEST((decode_state(encode(x)).value() == x));
  BOOST_TEST((decode_spec(encode(spec)).value() == spec));
}

BOOST_AUTO_TEST_CASE(every_status_and_error_code_returns) {
  for (std::uint32_t s = 1; s <= 5; ++s) {
    auto x = full_state();
    x.status = static_cast<run_status>(s);
    BOOST_TEST((decode_state(encode(x)).value() == x));
  }
  for (int code = 0; code <= static_cast<int>(errc::workspace_failed); ++code) {
    auto x = full_state();
    x.error->code = static_cast<errc>(code);
    x.cancel_cause = static_cast<errc>(code);
    BOOST_TEST((decode_state(encode(x)).value() == x));
  }
}

// GOLDEN: as the first version wrote them.
BOOST_AUTO_TEST_CASE(bytes_without_the_newer_fields_are_read) {
  auto spec = full_spec();
  spec.env = {{"A", "1"}};
  spec.sandbox.destroy_on_complete = false;
  spec.sandbox.tenant.clear();
  auto state = full_state();
  state.trimmed = {};
  state.sandbox.shared_id.clear();
  state.cancel_delivered_at.reset();

  BOOST_TEST((
    decode_spec(unhex("0a03722d311201741a0e080112086563686f20ff0078120022032f77"
                      "ff2a060a01411201313204696e00ff3a0e0a066277726170ff100118"
                      "01200040014a026eff5a060a016b12017660d2da8bbfa234"))
      .value()
    == spec));
  BOOST_TEST((decode_state(
                unhex("08031007180420022a056e6f6465ff300938e72440014a036b657952"
                      "036964ff5a05686f7374ff62026161620262626801701f7802800103"
                      "8801fcffffffffffffffff0190018901980109a2010a08121206676f"
                      "6e6520ffaa010c7b22746f6b656e73223a317d"))
                .value()
              == state));
}

// GOLDEN: changing these bytes orphans every store in the field.
BOOST_AUTO_TEST_CASE(stored_bytes_never_change) {
  auto spec = full_spec();
  // Maps have no order in the stored form.
  spec.env = {{"A", "1"}};
  BOOST_TEST(hex(encode(spec))
             == "0a03722d311201741a0e080112086563686f20ff0078120022032f77"
                "ff2a060a01411201313204696e00ff3a190a066277726170ff100118"
                "01200028013207"
                "74656e616e74ff40014a026eff5a060a016b12017660d2da8bbfa234");
  BOOST_TEST(hex(encode(full_state()))
             == "08031007180420022a056e6f6465ff300938e72440014a036b657952"
                "036964ff5a05686f7374ff62026161620262626801701f7802800103"
                "8801fcffffffffffffffff0190018901980109a2010a08121206676f"
                "6e6520ffaa010c7b22746f6b656e73223a317d"
                "b00104ba0107736861726564ffc00105");
  BOOST_TEST(hex(encode(full_outcome()))
             == "080510820118022205082012016d2a027b7d");
  BOOST_TEST(hex(encode(claim_note{epoch{4}, "h", "steal", seq{5}, at(6)}))
             == "08041201681a05737465616c20052806");
  BOOST_TEST(hex(encoded(full_entry()))
             == "08031002180a200f28e80730013a056100ff0d0a");
}

BOOST_AUTO_TEST_CASE(a_status_that_is_none_is_corrupt_never_terminal) {
  for (std::uint32_t raw :
       {0u, 6u, 7u, 255u, 256u, 257u, 259u, 0x80000003u, 0xFFFFFFFFu}) {
    stored::State state;
    state.set_version(1);
    state.set_status(raw);
    stored::Outcome outcome;
    outcome.set_status(raw);
    auto a = decode_state(state.SerializeAsString());
    auto b = decode_outcome(outcome.SerializeAsString());
    BOOST_TEST_REQUIRE(!a.ok());
    BOOST_TEST_REQUIRE(!b.ok());
    BOOST_TEST((a.error().code == errc::corrupt));
    BOOST_TEST((b.error().code == errc::corrupt));
  }
}

BOOST_AUTO_TEST_CASE(an_error_code_that_is_none_is_corrupt) {
  for (std::uint32_t raw : {200u, 255u, 256u, 0xFFFFFFFFu}) {
    stored::State state;
    state.set_version(1);
    state.set_status(1);
    auto with_cause = state;
    with_cause.set_cancel_cause(raw);
    state.mutable_error()->set_code(raw);
    BOOST_TEST(!decode_state(state.SerializeAsString()).ok());
    BOOST_TEST(!decode_state(with_cause.SerializeAsString()).ok());
  }
}

BOOST_AUTO_TEST_CASE(impossible_specs_states_and_entries_are_corrupt) {
  BOOST_TEST(!decode_spec("").ok());
  BOOST_TEST(!decode_state("").ok());
  BOOST_TEST(!decode_outcome("").ok());
  stored::Entry x;
  x.set_begin(5);
  x.set_end(4);
  BOOST_TEST(!decode_entry(x.SerializeAsString()).ok());
  x.set_end(7);
  x.set_data("abc");
  BOOST_TEST(!decode_entry(x.SerializeAsString()).ok());
  x.set_data("ab");
  BOOST_TEST(decode_entry(x.SerializeAsString()).ok());
}

BOOST_AUTO_TEST_CASE(random_bytes_are_refused_or_are_a_status_of_ours) {
  google::protobuf::LogSilencer silence;
  seeded random{80};
  for (int round = 0; round < 200'000; ++round) {
    auto bytes = random.bytes(random.below(40));
    if (auto x = decode_state(bytes)) {
      BOOST_REQUIRE(!to_string(x->status).empty());
      BOOST_REQUIRE((decode_state(encode(*x)).value() == *x));
      // Not by accident: the field has to stand there.
      BOOST_REQUIRE(bytes.find('\x18') != std::string::npos);
    }
    if (auto x = decode_outcome(bytes))
      BOOST_REQUIRE(bytes.find('\x08') != std::string::npos);
    if (auto x = decode_spec(bytes))
      BOOST_REQUIRE(is_valid_id(x->id.str()));
    if (auto x = decode_entry(bytes))
      BOOST_REQUIRE(x->end.value - x->begin.value == x->data.size());
    ignore_result(decode_claim_note(bytes), "it must only not crash");
  }
}

BOOST_AUTO_TEST_CASE(damage_never_turns_a_live_run_into_an_ended_one_silently) {
  google::protobuf::LogSilencer silence;
  auto live = full_state();
  live.status = run_status::running;
  auto good = encode(live);
  for (std::size_t i = 0; i < good.size(); ++i) {
    // A cut loses fields, the status included: corrupt, or still running.
    if (auto x = decode_state(std::string_view{good}.substr(0, i)))
      BOOST_REQUIRE(!is_terminal(x->status));
    for (int bit = 0; bit < 8; ++bit) {
      auto bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      if (auto x = decode_state(bad))
        BOOST_REQUIRE(!to_string(x->status).empty());
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
