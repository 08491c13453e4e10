// SPDX-License-Identifier: MIT
// Goal: I1-I6 hold whatever external drivers do and whenever commits land.
// Method: seeded histories of requests, commits, crashes and time; the store's
// contents and what was acknowledged are judged by a model that knows only the
// contract.
#include "tests/actors/coordinator/table_harness.hpp"
#include "tests/messages/seeded.hpp"

#include <set>

using namespace baton;
using namespace baton::test;
using namespace std::chrono_literals;

namespace {

struct driver {
  std::string name;
  /// What it believes, per run; never corrected but by answers.
  std::map<std::string, claim_granted> claims;
  /// Its last appends, sent again at random.
  std::vector<append_lines> sent;
};

class history {
public:
  explicit history(std::uint64_t seed) : random_(seed) {
    t_.on_answer = [this](token to, const answer& x) { hear(to, x); };
    for (const char* name : {"d0", "d1", "d2"})
      drivers_.push_back({name, {}, {}});
  }

  void play(int steps) {
    for (int i = 0; i < steps; ++i) {
      step();
      judge_ends();
    }
    t_.flush();
    judge();
  }

  std::size_t acknowledged = 0;
  std::size_t refused = 0;
  std::size_t ended = 0;

private:
  std::string any_run() { return "run" + std::to_string(random_.below(3)); }

  void step() {
    auto& d = drivers_[random_.below(drivers_.size())];
    auto run = any_run();
    switch (random_.below(16)) {
    case 0:
      t_.ask(table_harness::create_of(run, true));
      break;
    case 1:
    case 2: {
      auto to = t_.ask(claim_run{run_id{run}, d.name, 100 + random_.below(2000),
                                 random_.below(3) == 0});
      askers_[to] = &d;
      runs_of_[to] = run;
      break;
    }
    case 3:
    case 4:
    case 5:
    case 6:
      append(d, run);
      break;
    case 7:
      if (!d.sent.empty())
        send(d, d.sent[random_.below(d.sent.size())]);
      break;
    case 8:
      t_.ask(renew_claim{run_id{run}, held(d, run)});
      break;
    case 9:
      if (random_.below(4) == 0)
        t_.ask(release_claim{run_id{run}, held(d, run)});
      break;
    case 10:
      if (random_.below(20) == 0)
        finish(d, run);
      else if (random_.below(20) == 0)
        t_.ask(cancel_run{run_id{run}});
      break;
    case 11:
      t_.advance(std::chrono::milliseconds{random_.below(900)});
      break;
    case 12:
      if (random_.below(10) == 0) {
        if (t_.flying() && random_.below(2) == 0)
          t_.write(); // Durable, but nobody was told.
        t_.restart();
      }
      break;
    default:
      if (t_.flying())
        t_.land();
      else if (t_.table->has_batch())
        t_.take_off();
    }
  }

  epoch held(const driver& d, const std::string& run) {
    auto i = d.claims.find(run);
    auto e = i == d.claims.end() ? 0 : i->second.epoch.value;
    if (random_.below(20) != 0)
      return epoch{e};
    // Never another driver's: that would be its claim used, not a stale one.
    return epoch{random_.below(2) == 0 && e > 0 ? e - 1 : e + 1'000};
  }

  /// Each line names the epoch under which it was written.
  void append(driver& d, const std::string& run) {
    auto e = held(d, run);
    auto i = d.claims.find(run);
    if (i == d.claims.end() && random_.below(8) != 0)
      return;
    auto next = i == d.claims.end() ? 1 : i->second.next_seq.value;
    std::vector<std::string> lines;
    for (auto n = 1 + random_.below(3); n > 0; --n)
      lines.push_back(d.name + " at " + std::to_string(e.value) + ": "
                      + random_.from("xyz", random_.below(5)) + "\n");
    if (random_.below(8) == 0)
      next += random_.below(3);
    auto x = table_harness::append_of(run, e.value, next, lines);
    if (random_.below(2) == 0 && i != d.claims.end()) {
      x.has_begin = true;
      x.begin = i->second.end;
    }
    d.sent.push_back(x);
    send(d, std::move(x));
    // A driver pipelines: it goes on without waiting, unless the answer came
    // at once and took the claim away.
    i = d.claims.find(run);
    if (i != d.claims.end() && random_.below(2) == 0) {
      i->second.next_seq.value = next + lines.size();
      for (const auto& line : lines)
        i->second.end.value += line.size();
    }
  }

  void send(driver& d, append_lines x) {
    auto to = t_.ask(x);
    appends_[to] = std::move(x);
    askers_[to] = &d;
    // The answer may have come within ask().
    if (t_.answered(to))
      hear(to, t_.answers.at(to));
  }

  void finish(driver& d, const std::string& run) {
    finish_run x;
    x.run = run_id{run};
    x.epoch = held(d, run);
    x.outcome.status =
      random_.below(2) == 0 ? run_status::completed : run_status::failed;
    t_.ask(std::move(x));
  }

  void hear(token to, const answer& x) {
    if (auto* grant = std::get_if<claim_granted>(&x)) {
      if (auto i = runs_of_.find(to); i != runs_of_.end()) {
        auto run = i->second;
        // I6: no epoch is granted twice, not even across crashes.
        BOOST_TEST(granted_[run].insert(grant->epoch.value).second);
        askers_.at(to)->claims[run] = *grant;
      }
    } else if (auto* done = std::get_if<append_done>(&x)) {
      auto i = appends_.find(to);
      if (i == appends_.end())
        return;
      acknowledged += 1;
      acked_.push_back(i->second);
      auto& claim = askers_.at(to)->claims[done->run.str()];
      if (claim.epoch == done->epoch && claim.next_seq <= done->last_seq) {
        claim.next_seq = seq{done->last_seq.value + 1};
        claim.end = done->end;
      }
      appends_.erase(i);
    } else if (auto* no = std::get_if<refusal>(&x)) {
      refused += 1;
      if (auto i = askers_.find(to); i != askers_.end() && appends_.contains(to)
                                     && no->why.code == errc::fenced
                                     && random_.below(4) != 0)
        i->second->claims.erase(no->run.str());
    }
  }

  std::vector<run_record> all_runs() {
    return t_.store.list({{}, {}, {}, SIZE_MAX}).value();
  }

  /// I5: once terminal, a run never changes again.
  void judge_ends() {
    for (const auto& record : all_runs()) {
      auto id = record.id().str();
      if (auto i = ends_.find(id); i != ends_.end()) {
        BOOST_REQUIRE((i->second == record.state));
      } else if (is_terminal(record.state.status)) {
        ends_.emplace(id, record.state);
        ended += 1;
      }
    }
  }

  void judge() {
    for (const auto& record : all_runs())
      judge(record);
    // I4: what was acknowledged is there, once, with its bytes.
    for (const auto& x : acked_) {
      auto log = t_.log(x.run.str());
      std::size_t n = x.first_seq.value - 1;
      x.lines.for_each([&](std::string_view line, bool) {
        BOOST_REQUIRE(n < log.size());
        BOOST_TEST(log[n++].data == line);
      });
    }
  }

  void judge(const run_record& record) {
    auto id = record.id().str();
    auto log = t_.log(id);
    auto claims = t_.claims(id);
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < log.size(); ++i) {
      const auto& e = log[i];
      BOOST_TEST(e.seq.value == i + 1); // I2
      BOOST_TEST(e.begin.value == end); // I3
      end += e.data.size();
      BOOST_TEST(e.end.value == end);
      // I1: each entry stands under the claim of whoever wrote it.
      auto note = std::ranges::find(claims, e.epoch, &claim_note::epoch);
      BOOST_REQUIRE((note != claims.end()));
      BOOST_TEST(e.data.starts_with(note->holder + " at "
                                    + std::to_string(e.epoch.value) + ":"));
      BOOST_TEST((e.seq >= note->first_seq));
      if (auto next = note + 1; next != claims.end())
        BOOST_TEST((e.seq < next->first_seq));
    }
    BOOST_TEST(record.state.last_seq.value == log.size());
    BOOST_TEST(record.state.end.value == end);
    for (std::size_t i = 0; i < claims.size(); ++i)
      BOOST_TEST(claims[i].epoch.value == i + 1); // I6
    BOOST_TEST(record.state.epoch.value == claims.size());
  }

  seeded random_;
  table_harness t_{{1s, 60s}};
  std::vector<driver> drivers_;
  std::map<token, driver*> askers_;
  std::map<token, std::string> runs_of_;
  std::map<token, append_lines> appends_;
  std::vector<append_lines> acked_;
  std::map<std::string, std::set<std::uint64_t>> granted_;
  std::map<std::string, run_state> ends_;
};

} // namespace

BOOST_AUTO_TEST_SUITE(coordinator_claim_table_random)

BOOST_AUTO_TEST_CASE(any_history_of_drivers_crashes_and_commits_keeps_the_log) {
  std::size_t acknowledged = 0, refused = 0, ended = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed)
    BOOST_TEST_CONTEXT("seed " << seed) {
      history h{seed};
      h.play(400);
      acknowledged += h.acknowledged;
      refused += h.refused;
      ended += h.ended;
    }
  // The histories are worth something only when all of this happens.
  BOOST_TEST(acknowledged > 1'000);
  BOOST_TEST(refused > 1'000);
  BOOST_TEST(ended > 50);
  BOOST_TEST_MESSAGE(acknowledged << " acknowledged, " << refused
                                  << " refused, " << ended << " ended");
}

BOOST_AUTO_TEST_SUITE_END()
