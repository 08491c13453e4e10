// SPDX-License-Identifier: MIT
#include "tests/crash/verdict.hpp"

#include "messages/base64.hpp"
#include "messages/sha256.hpp"
#include "tests/crash/agent_output.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <charconv>

namespace baton::crash_test {
namespace {

namespace json = boost::json;

struct log_entry {
  std::uint64_t seq = 0;
  std::uint64_t epoch = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string kind;
  /// As it stands in the JSON.
  std::string data;
};

struct claim_entry {
  std::uint64_t epoch = 0;
  std::uint64_t first_seq = 0;
};

std::uint64_t number_after(std::string_view text, std::string_view name) {
  std::uint64_t out = UINT64_MAX;
  if (auto at = text.find(name); at != text.npos)
    std::from_chars(text.data() + at + name.size(), text.data() + text.size(),
                    out);
  return out;
}

log_entry parse(std::string_view text) {
  constexpr std::string_view mark = "\"data\":";
  constexpr std::string_view kind = "\"kind\":\"";
  log_entry out;
  auto at = text.find(mark);
  auto head = text.substr(0, at);
  out.seq = number_after(head, "\"seq\":");
  out.epoch = number_after(head, "\"epoch\":");
  out.begin = number_after(head, "\"begin\":");
  out.end = number_after(head, "\"end\":");
  if (at == text.npos || head.find(kind) == head.npos)
    return out;
  auto from = head.find(kind) + kind.size();
  out.kind = head.substr(from, head.find('"', from) - from);
  out.data = text.substr(at + mark.size(), text.size() - at - mark.size() - 1);
  return out;
}

std::string bytes_of(const log_entry& x) {
  if (x.kind == "json")
    return x.data;
  auto text = json::value_to<std::string>(json::parse(x.data));
  if (x.kind == "text")
    return text;
  auto bytes = base64_decode(text);
  return bytes ? std::string{*bytes} : "not base64: " + text;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  for (auto stop = text.find('\n'); stop != text.npos; stop = text.find('\n')) {
    out.emplace_back(text.substr(0, stop));
    text.remove_prefix(stop + 1);
  }
  return out;
}

class trial {
public:
  trial(const world& w, const tended_run& run) : world_(w), run_(run) {}

  void hold() {
    record_ = object_at("");
    for (const auto& line : lines_of(body_at("/events?live=0")))
      log_.push_back(parse(line));
    auto claims = object_at("/claims");
    for (const auto& x : claims["claims"].as_array())
      claims_.push_back(
        {number(x.as_object(), "epoch"), number(x.as_object(), "first_seq")});
    journal_ = body_at("/journal");
    check_log();
    check_bytes();
    check_claims();
    check_launches();
    check_end();
    check_viewing();
    check_promises();
  }

private:
  void complain(const std::string& what) { run_.complain(what); }

  static std::uint64_t number(const json::object& x, const char* name) {
    auto* v = x.if_contains(name);
    return v == nullptr || !v->is_number() ? UINT64_MAX
                                           : v->to_number<std::uint64_t>();
  }

  std::string word(const char* name) const {
    auto* v = record_.if_contains(name);
    return v == nullptr ? "nothing" : json::value_to<std::string>(*v);
  }

  std::string body_at(const std::string& rest) {
    cli::http_request request{"GET", run_.path(rest), {}, {}};
    if (rest.starts_with("/events"))
      request.headers.emplace_back("Accept", "application/x-ndjson");
    auto answer = world_.ask(request);
    if (answer && answer->head.code == 200)
      return answer->body;
    // Cancelled before anybody launched it.
    if (answer && answer->head.code == 410 && rest == "/journal")
      return {};
    complain("I4: GET " + rest + ": "
             + (answer ? std::to_string(answer->head.code) : "no answer"));
    return rest.starts_with("/claims") ? R"({"claims":[]})" : "";
  }

  json::object object_at(const std::string& rest) {
    json::error_code bad;
    auto value = json::parse(body_at(rest), bad);
    return bad || !value.is_object() ? json::object{} : value.as_object();
  }

  /// I2, I3: 1 to n, one behind the other, and epochs never fall.
  void check_log() {
    log_entry before;
    for (const auto& x : log_) {
      if (x.seq != before.seq + 1 || x.begin != before.end || x.end <= x.begin
          || x.epoch < before.epoch || x.epoch == 0)
        return complain("I2/I3: entry " + std::to_string(x.seq) + " ["
                        + std::to_string(x.begin) + ", " + std::to_string(x.end)
                        + ") at epoch " + std::to_string(x.epoch)
                        + " behind entry " + std::to_string(before.seq)
                        + " that ends at " + std::to_string(before.end));
      before = x;
    }
    if (number(record_, "entries") != log_.size()
        || number(record_, "position") != before.end
        || journal_.size() != before.end)
      complain("I3: log, record and journal disagree about the end: "
               + std::to_string(log_.size()) + " entries to byte "
               + std::to_string(before.end) + ", record "
               + json::serialize(record_) + ", journal of "
               + std::to_string(journal_.size()) + " bytes");
    for (const auto& x : log_) {
      auto line = std::string_view{journal_}.substr(
        std::min(x.begin, journal_.size()), x.end - x.begin);
      if (line.ends_with('\n'))
        line.remove_suffix(1);
      if (line != bytes_of(x))
        return complain("I3: entry " + std::to_string(x.seq)
                        + " is not what the journal holds there");
    }
  }

  /// I3: the log is the agent's output, once, in order.
  void check_bytes() {
    const auto& plan = run_.plan();
    if (plan.ends == run_plan::ending::forever) {
      // It was killed at some byte; up to there everything is there.
      std::string wanted;
      for (std::uint64_t i = 0; wanted.size() < journal_.size(); ++i)
        wanted += agent_line(plan.seed, i);
      if (!wanted.starts_with(journal_))
        complain("I3: its log is no beginning of what its agent prints");
      return;
    }
    auto wanted =
      agent_output(plan.seed, plan.lines, plan.ends == run_plan::ending::bare);
    if (sha256_hex(wanted) == sha256_hex(journal_))
      return;
    auto [a, b] = std::ranges::mismatch(wanted, journal_);
    complain("I3: its log is not what its agent printed: "
             + std::to_string(journal_.size()) + " bytes, expected "
             + std::to_string(wanted.size()) + "; the first difference is at "
             + std::to_string(a - wanted.begin()) + "; record "
             + json::serialize(record_));
  }

  /// I6: epochs grow, and each entry has that of the claim it falls under.
  void check_claims() {
    for (std::size_t i = 1; i < claims_.size(); ++i)
      if (claims_[i].epoch <= claims_[i - 1].epoch
          || claims_[i].first_seq < claims_[i - 1].first_seq)
        complain("I6: claim " + std::to_string(claims_[i].epoch)
                 + " follows claim " + std::to_string(claims_[i - 1].epoch));
    if (claims_.empty() || claims_.back().epoch != number(record_, "epoch"))
      return complain("I6: the last of " + std::to_string(claims_.size())
                      + " claims is not the record's epoch");
    for (const auto& x : log_) {
      std::uint64_t rightful = 0;
      for (const auto& c : claims_)
        if (c.first_seq <= x.seq)
          rightful = c.epoch;
      if (rightful != x.epoch)
        return complain("I1: entry " + std::to_string(x.seq)
                        + " was written at epoch " + std::to_string(x.epoch)
                        + ", the claim was " + std::to_string(rightful));
    }
  }

  /// I7.
  void check_launches() {
    if (run_.plan().external)
      return;
    auto launches = lines_of(content_of(run_.notes())).size();
    if (launches != 1)
      complain("I7: its agent was launched " + std::to_string(launches)
               + " times");
  }

  /// I5, I11.
  void check_end() {
    auto cancelled = run_.plan().cancel_at.has_value();
    auto status = word("status");
    if (status != (cancelled ? "aborted" : "completed"))
      complain("I5: it ended " + status + ": " + json::serialize(record_));
    if (!cancelled && !run_.plan().external
        && number(record_, "exit_code") != 0)
      complain("I5: its exit code is not 0: " + json::serialize(record_));
  }

  /// I8, and that nothing was shown that was not durable (I4).
  void check_viewing() {
    const auto& seen = run_.seen();
    auto lines = lines_of(body_at("/events?live=0"));
    if (seen.entries != lines)
      complain("I8: its viewer saw " + std::to_string(seen.entries.size())
               + " entries that are not the " + std::to_string(lines.size())
               + " of the log");
    json::error_code bad;
    auto told = json::parse(seen.end, bad);
    if (bad || !told.is_object())
      return;
    for (auto* name :
         {"status", "finished_at", "entries", "position", "epoch"}) {
      auto* a = told.as_object().if_contains(name);
      auto* b = record_.if_contains(name);
      if (a == nullptr || b == nullptr || *a != *b)
        complain(std::string{"I5: its viewer was told another "} + name);
    }
  }

  /// I4: what a driver was told is there.
  void check_promises() {
    const auto& promised = run_.promised();
    if (!journal_.starts_with(promised.acked))
      complain("I4: an acknowledged append is lost");
    for (auto epoch : promised.epochs)
      if (std::ranges::find(claims_, epoch, &claim_entry::epoch)
          == claims_.end())
        complain("I4: the acknowledged claim " + std::to_string(epoch)
                 + " is lost");
  }

  const world& world_;
  const tended_run& run_;
  json::object record_;
  std::vector<log_entry> log_;
  std::vector<claim_entry> claims_;
  std::string journal_;
};

} // namespace

void judge(const world& w, const tended_run& run) {
  trial{w, run}.hold();
}

std::string record_of(const world& w, const tended_run& run) {
  auto answer = w.ask({"GET", run.path(), {}, {}});
  json::error_code bad;
  auto value = json::parse(answer ? answer->body : "", bad);
  if (bad || !value.is_object())
    return {};
  auto& record = value.as_object();
  record.erase("viewers");
  record.erase("detached_since");
  // The sandbox goes after the end.
  for (auto* name : {"sandbox", "cancel"})
    if (auto* part = record.if_contains(name))
      for (auto* moving : {"state", "stage"})
        part->as_object().erase(moving);
  return json::serialize(record);
}

} // namespace baton::crash_test
