// SPDX-License-Identifier: MIT
#include "tests/support/run_log.hpp"

#include "messages/base64.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <charconv>

namespace baton::test {
namespace {

std::int64_t number_after(std::string_view text, std::string_view name) {
  auto at = text.find(name);
  std::int64_t out = -1;
  if (at != text.npos)
    std::from_chars(text.data() + at + name.size(), text.data() + text.size(),
                    out);
  return out;
}

std::int64_t number(const json::object& record, std::string_view name) {
  return record.at(name).to_number<std::int64_t>();
}

bool has_ended(const json::object& record) {
  auto status = record.at("status").as_string();
  return status != "running" && status != "interrupted";
}

void expect_same_view(const daemon& d, std::string_view run,
                      const std::vector<log_entry>& log,
                      const json::object& record) {
  auto viewer = d.view(run);
  BOOST_TEST(viewer.pump_to_end());
  BOOST_TEST(viewer.whole());
  const auto& seen = viewer.events();
  BOOST_TEST_REQUIRE(seen.size() == log.size() + 1);
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (seen[i].type == "entry" && seen[i].id == std::to_string(log[i].seq)
        && parse_entry(seen[i].data).data_text == log[i].data_text)
      continue;
    BOOST_ERROR("event " << i << " is " << seen[i].type << ' ' << seen[i].id);
    break;
  }
  BOOST_TEST(seen.back().type == "end");
  auto told = json::parse(seen.back().data).as_object();
  for (auto* name : {"status", "exit_code", "finished_at", "entries",
                     "position", "error", "epoch"}) {
    auto* a = told.if_contains(name);
    auto* b = record.if_contains(name);
    BOOST_TEST((a != nullptr) == (b != nullptr), name);
    if (a != nullptr && b != nullptr)
      BOOST_TEST((*a == *b), name);
  }
}

} // namespace

std::string log_entry::bytes() const {
  if (kind == "json")
    return data_text;
  auto text = json::value_to<std::string>(json::parse(data_text));
  if (kind == "text")
    return text;
  auto bytes = base64_decode(text);
  BOOST_REQUIRE_MESSAGE(bytes, "not base64: " << text.substr(0, 80));
  return std::string{*bytes};
}

log_entry parse_entry(std::string_view text) {
  constexpr std::string_view mark = "\"data\":";
  auto at = text.find(mark);
  BOOST_REQUIRE_MESSAGE(at != text.npos && text.back() == '}',
                        "not an entry: " << text.substr(0, 200));
  auto head = text.substr(0, at);
  log_entry out;
  out.seq = number_after(head, "\"seq\":");
  out.epoch = number_after(head, "\"epoch\":");
  out.begin = number_after(head, "\"begin\":");
  out.end = number_after(head, "\"end\":");
  constexpr std::string_view kind = "\"kind\":\"";
  auto from = head.find(kind) + kind.size();
  out.kind = head.substr(from, head.find('"', from) - from);
  out.data_text = text.substr(at + mark.size());
  out.data_text.pop_back();
  return out;
}

std::vector<log_entry> read_log(const daemon& d, std::string_view run) {
  auto answer = d.get(daemon::path(run, "/events?live=0"),
                      "Accept: application/x-ndjson\r\n");
  BOOST_REQUIRE_MESSAGE(answer.status == 200,
                        answer.status << ": " << answer.body);
  BOOST_TEST(answer.whole);
  std::vector<log_entry> out;
  std::string_view rest = answer.body;
  while (!rest.empty()) {
    auto stop = rest.find('\n');
    BOOST_REQUIRE(stop != rest.npos);
    out.push_back(parse_entry(rest.substr(0, stop)));
    rest.remove_prefix(stop + 1);
  }
  return out;
}

std::string read_journal(const daemon& d, std::string_view run) {
  auto answer = d.get(daemon::path(run, "/journal"));
  BOOST_REQUIRE_MESSAGE(answer.status == 200,
                        answer.status << ": " << answer.body);
  BOOST_TEST(answer.whole);
  return std::move(answer.body);
}

void expect_gap_free(const std::vector<log_entry>& log) {
  log_entry before;
  for (const auto& x : log) {
    if (x.seq == before.seq + 1 && x.begin == before.end && x.end > x.begin
        && x.epoch >= before.epoch) {
      before = x;
      continue;
    }
    BOOST_ERROR("entry " << x.seq << " [" << x.begin << ", " << x.end
                         << ") at epoch " << x.epoch << " follows entry "
                         << before.seq << " that ends at " << before.end
                         << " at epoch " << before.epoch);
    return;
  }
}

void expect_invariants(const daemon& d, std::string_view run) {
  BOOST_TEST_CONTEXT("run " << run) {
    auto log = read_log(d, run);
    auto journal = read_journal(d, run);
    auto record = d.record(run);
    expect_gap_free(log);
    std::int64_t end = 0;
    for (const auto& x : log) {
      end = x.end;
      if (static_cast<std::size_t>(end) > journal.size())
        break;
      auto line = std::string_view{journal}.substr(
        static_cast<std::size_t>(x.begin),
        static_cast<std::size_t>(x.end - x.begin));
      if (line.ends_with('\n'))
        line.remove_suffix(1);
      // JSON sent on cannot hold a raw CR: it would end a line of the stream.
      std::string sent{line};
      if (x.kind == "json")
        std::replace(sent.begin(), sent.end(), '\r', ' ');
      if (sent == x.bytes())
        continue;
      BOOST_ERROR("entry " << x.seq << " is not what the journal holds");
      break;
    }
    if (!has_ended(record)) {
      BOOST_TEST(number(record, "entries")
                 >= static_cast<std::int64_t>(log.size()));
      return;
    }
    BOOST_TEST(static_cast<std::int64_t>(journal.size()) == end);
    BOOST_TEST(number(record, "entries")
               == static_cast<std::int64_t>(log.size()));
    BOOST_TEST(number(record, "position") == end);
    if (!log.empty())
      BOOST_TEST(log.back().epoch <= number(record, "epoch"));
    expect_same_view(d, run, log, record);
  }
}

} // namespace baton::test
