// SPDX-License-Identifier: MIT
// Goal: the log is the journal's bytes, line by line, whatever they are (I3;
// field cases BR-024, BR-026, BR-027, BR-028, BR-033, BR-055). Method: agents
// that print exact bytes, compared with what comes back over every reader.
#include "tests/support/agents.hpp"
#include "tests/support/run_log.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <filesystem>

namespace baton::test {
namespace {

using strings = std::vector<std::string>;

std::vector<std::string> kinds(const std::vector<log_entry>& log) {
  std::vector<std::string> out;
  for (const auto& x : log)
    out.push_back(x.kind);
  return out;
}

/// Runs `shell_text` and checks every way to read what it printed.
std::vector<log_entry> expect_exact(const daemon& d, const std::string& shell,
                                    const std::string& bytes) {
  auto run = d.create(shell);
  auto record = d.wait_for_end(run);
  BOOST_TEST(record.at("status").as_string() == "completed");
  BOOST_TEST((read_journal(d, run) == bytes));
  BOOST_TEST((d.cli({"logs", "--raw", run}).out == bytes));
  expect_invariants(d, run);
  return read_log(d, run);
}

std::vector<log_entry> expect_exact(const daemon& d, const std::string& bytes) {
  return expect_exact(d, print_bytes(d, "bytes", bytes), bytes);
}

std::string join(const strings& lines) {
  std::string out;
  for (const auto& x : lines)
    out += x + "\n";
  return out;
}

const std::string earth = "\xf0\x9f\x8c\x8d";
const std::string you = "\xe4\xbd\xa0";

/// Lines with `character` at `offset` of the journal, for each of `offsets`.
std::string padded_to(const std::vector<std::size_t>& offsets,
                      const std::string& character) {
  std::string out;
  for (auto offset : offsets) {
    out += "{\"pad\":\"";
    out.append(offset - out.size(), 'x');
    out += character + "\"}\n";
  }
  return out;
}

} // namespace

BOOST_AUTO_TEST_SUITE(system_framing)

// BR-024.
BOOST_AUTO_TEST_CASE(a_character_cut_by_a_read_stays_whole) {
  daemon d;
  d.start();
  auto line = "{\"t\":\"h\xc3\xa9 " + you + "\xe5\xa5\xbd " + earth + "\"}\n";
  write_file(d.file("line"), line);
  auto log = expect_exact(
    d,
    "exec perl -e 'open F, \"<:raw\", $ARGV[0]; while (read F, $c, 1) { "
    "syswrite STDOUT, $c; select(undef,undef,undef,0.02) }' '"
      + d.file("line") + "'",
    line);
  BOOST_TEST_REQUIRE(log.size() == 1u);
  BOOST_TEST(log[0].kind == "json");
  BOOST_TEST(log[0].data_text + "\n" == line);
  for (const auto& character : {earth, you})
    for (std::size_t i = 0; i < 4; ++i) {
      auto bytes = padded_to({4093 + i, 8189 + i, 65533 + i}, character);
      auto entries = expect_exact(d, bytes);
      BOOST_TEST((kinds(entries) == strings(3, "json")));
      for (const auto& x : entries)
        BOOST_TEST(x.data_text.find("\xef\xbf\xbd") == std::string::npos);
    }
}

// BR-026.
BOOST_AUTO_TEST_CASE(noise_between_json_lines_is_passed_on_as_text) {
  daemon d;
  d.start();
  auto log = expect_exact(
    d, join({"Now using node v20", "{\"a\":1}", "[SandboxDebug] x", "{\"b\":2}",
             "warning: foo {\"c\":3}", "\xef\xbb\xbf{\"d\":4}", "{\"e\":5}"}));
  BOOST_TEST(
    (kinds(log)
     == strings{"text", "json", "text", "json", "text", "text", "json"}));
}

// BR-027.
BOOST_AUTO_TEST_CASE(payload_that_looks_like_a_stream_forges_no_event) {
  daemon d;
  d.start();
  auto bytes =
    std::string{"{\"t\":\"x\"}\r\n"
                "{\"t\":\"a\"}\rid: 999\rdata: {\"forged\":1}\r\r\r\n"
                "data: {\"forged\":1}\nevent: end\nid: 5\n"
                ": comment\nretry: 1\n\n\r\n\"\\r\\nid: 7\"\n"
                "[1,\r2]\n"};
  auto run = d.create(print_bytes(d, "bytes", bytes));
  d.wait_for_end(run);
  auto viewer = d.view(run);
  BOOST_TEST(viewer.pump_to_end());
  const auto& seen = viewer.events();
  BOOST_TEST_REQUIRE(seen.size() == 12u);
  std::string again;
  for (std::size_t i = 0; i + 1 < seen.size(); ++i) {
    BOOST_TEST(seen[i].type == "entry");
    BOOST_TEST(seen[i].id == std::to_string(i + 1));
    auto entry = parse_entry(seen[i].data);
    again += entry.bytes() + "\n";
    // As any client would.
    json::parse(seen[i].data);
  }
  BOOST_TEST(seen.back().type == "end");
  auto expected = bytes;
  expected[bytes.find('\r')] = ' ';
  expected[bytes.rfind('\r')] = ' ';
  BOOST_TEST(again == expected);
  BOOST_TEST(read_journal(d, run) == bytes);
  expect_invariants(d, run);
}

// BR-028.
BOOST_AUTO_TEST_CASE(a_line_written_into_another_keeps_both_halves) {
  daemon d;
  d.start();
  auto log = expect_exact(
    d, join({R"({"type":"assistant","text":"part one {"type":"limit","x":1})",
             R"( part two"})", R"({"ok":1})"}));
  BOOST_TEST((kinds(log) == strings{"text", "text", "json"}));
}

// BR-033, first part.
BOOST_AUTO_TEST_CASE(a_torn_line_and_what_is_glued_to_it_come_once) {
  daemon d;
  d.start();
  auto log = expect_exact(d,
                          "printf '{\"a\":1}\\n{\"b\":\"tru'; sleep 2; "
                          "printf '{\"c\":3}\\n{\"d\":4}\\n'",
                          "{\"a\":1}\n{\"b\":\"tru{\"c\":3}\n{\"d\":4}\n");
  BOOST_TEST((kinds(log) == strings{"json", "text", "json"}));
}

// BR-055.
BOOST_AUTO_TEST_CASE(no_digit_of_a_number_is_lost) {
  daemon d;
  d.start();
  strings lines{R"({"n":9007199254740993})",
                R"({"n":12345678901234567890})",
                R"({"f":0.1234567890123456789})",
                R"({"e":1e400})",
                R"({"z":-0})",
                R"({"k":1,"k":2})",
                R"({"b":1,"a":2})",
                R"({"s":"\u0041\/"})",
                R"({ "sp" : 1 })",
                R"(123456789012345678901234567890)",
                R"(null)",
                R"("text")"};
  auto run = d.create(print_bytes(d, "bytes", join(lines))
                      + wait_for_file(d.file("go")));
  d.wait_for_entries(run, static_cast<std::int64_t>(lines.size()));
  auto expect_verbatim = [&] {
    auto log = read_log(d, run);
    BOOST_TEST_REQUIRE(log.size() == lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      BOOST_TEST(log[i].kind == "json");
      BOOST_TEST(log[i].data_text == lines[i]);
    }
  };
  expect_verbatim();
  BOOST_TEST(d.request("POST", daemon::path(run, "/takeover")).status == 200);
  expect_verbatim();
  d.kill9();
  d.restart();
  expect_verbatim();
  write_file(d.file("go"), "");
  d.wait_for_end(run);
  expect_verbatim();
  expect_invariants(d, run);
}

BOOST_AUTO_TEST_CASE(every_odd_byte_comes_back_as_it_was) {
  daemon d;
  d.start();
  std::string all;
  for (int c = 0; c < 256; ++c)
    all += static_cast<char>(c);
  for (const auto& bytes :
       strings{"a\r\nb\r\n", std::string{"a\0b\n\0\n{\"x\":\"\0\"}\n", 16},
               "\xff\xfe\n{\"x\":\"\xc3\"}\n\xc0\xaf\n\xed\xa0\x80\n",
               "a\rb\rc\n\r\r\r\nend",
               "a\xe2\x80\xa8"
               "b\n{\"x\":\"\xe2\x80\xa8\xe2\x80\xa9\"}\n\xc2\x85\n",
               "\n\n\n", "no newline", "{\"no\":\"newline\"}", "\n", " ", "\r",
               all + all + "\n" + all, "\x1b[31mred\x1b[0m\n", ""})
    BOOST_TEST_CONTEXT(json::serialize(json::string{bytes.substr(0, 40)})) {
      auto log = expect_exact(d, bytes);
      BOOST_TEST(log.empty() == bytes.empty());
    }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test
