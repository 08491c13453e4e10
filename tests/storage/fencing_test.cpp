// SPDX-License-Identifier: MIT
// Goal: every decision of the fencing rules is the one of the contract.
// Method: every (record state x request) pair, against expectations written
// from the contract, not from the code.
#include "storage/fencing.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>
#include <limits>

using namespace baton;
using namespace baton::storage;

namespace {

constexpr wall_time now{std::chrono::milliseconds{77'000}};
constexpr wall_time before{std::chrono::milliseconds{11'000}};
constexpr std::uint64_t record_epoch = 5;

/// The stored lines: entry i is lines[i - 1].
const std::vector<std::string> stored_lines{"a\n", "bb\n", "ccc\n"};

struct state_case {
  run_status status = run_status::running;
  std::string holder;
  errc cancel = errc::none;
  std::size_t log = 0;
  bool detached = false;
  std::uint64_t at_epoch = record_epoch;
  std::uint64_t trimmed = 0;
};

run_record make_record(const state_case& c) {
  run_spec spec;
  spec.id = run_id{"r"};
  run_record out;
  out.spec = std::make_shared<const run_spec>(std::move(spec));
  auto& s = out.state;
  s.version = 9;
  s.no = run_no{4};
  s.status = c.status;
  s.epoch = epoch{c.at_epoch};
  s.holder = c.holder;
  if (c.cancel != errc::none) {
    s.cancel_requested_at = before;
    s.cancel_cause = c.cancel;
  }
  if (c.detached) {
    s.detached_since = before;
    s.detached_at_uptime_ms = 100;
  }
  for (std::size_t i = 0; i < c.log; ++i) {
    s.last_seq.value += 1;
    s.end.value += stored_lines[i].size();
  }
  s.trimmed = seq{c.trimmed};
  return out;
}

std::vector<entry> stored_log(std::size_t n) {
  std::vector<entry> out;
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < n; ++i) {
    entry e;
    e.seq = seq{i + 1};
    e.epoch = epoch{2};
    e.begin = position{at};
    at += stored_lines[i].size();
    e.end = position{at};
    e.data = stored_lines[i];
    out.push_back(std::move(e));
  }
  return out;
}

/// Log length and how much of its beginning was trimmed.
const std::vector<std::pair<std::size_t, std::uint64_t>> logs{
  {0, 0}, {3, 0}, {3, 2}, {3, 3}};

/// Calls `f(case, record)` for every state a record can be in.
void for_each_state(
  const std::function<void(const state_case&, const run_record&)>& f) {
  for (auto status :
       {run_status::running, run_status::interrupted, run_status::completed,
        run_status::failed, run_status::aborted})
    for (const char* holder : {"", "h"})
      for (auto cancel : {errc::none, errc::cancelled, errc::expired})
        for (auto [log, trimmed] : logs)
          for (bool detached : {false, true})
            for (std::uint64_t at : {std::uint64_t{0}, record_epoch}) {
              state_case c{status, holder, cancel, log, detached, at, trimmed};
              auto record = make_record(c);
              BOOST_TEST_CONTEXT(
                "status " << to_string(status) << ", holder '" << holder
                          << "', cancel " << to_string(cancel) << ", log "
                          << log << " trimmed to " << trimmed << ", detached "
                          << detached << ", epoch " << at)
              f(c, record);
            }
}

/// Epochs a writer may hold: never claimed, old, the record's, never given.
const std::vector<std::uint64_t> held_epochs{0, 4, 5, 6};

bool may_write(const run_record& r, std::uint64_t held) {
  return held > 0 && held == r.state.epoch.value && !r.state.holder.empty();
}

/// What holds for every change, whatever decided it.
void check_change(const run_record& was, const commit& c) {
  const auto& old = was.state;
  const auto& next = c.record.state;
  if (is_terminal(old.status)) { // I5: a trim is all that is left
    auto trimmed = old;
    trimmed.version = next.version;
    trimmed.trimmed = next.trimmed;
    BOOST_TEST((next == trimmed));
    BOOST_TEST((next.trimmed > old.trimmed));
  }
  BOOST_TEST((next.trimmed >= old.trimmed && next.trimmed <= next.last_seq));
  BOOST_TEST(c.instances.empty());
  BOOST_TEST(c.expected_version == old.version);
  BOOST_TEST(next.version == old.version + 1);
  BOOST_TEST((next.epoch >= old.epoch)); // I6
  BOOST_TEST((c.record.spec == was.spec));
  auto last = old.last_seq.value;
  auto end = old.end.value;
  for (const auto& e : c.entries) {
    BOOST_TEST(e.seq.value == last + 1); // I2
    BOOST_TEST(e.begin.value == end);    // I3
    BOOST_TEST(e.end.value == end + e.data.size());
    BOOST_TEST((e.epoch == next.epoch)); // I1
    last = e.seq.value;
    end = e.end.value;
  }
  BOOST_TEST(next.last_seq.value == last);
  BOOST_TEST(next.end.value == end);
  if (c.claim) {
    BOOST_TEST((c.claim->epoch == next.epoch));
    BOOST_TEST(c.claim->epoch.value == old.epoch.value + 1);
    BOOST_TEST(c.claim->first_seq.value == old.last_seq.value + 1);
  } else {
    BOOST_TEST((next.epoch == old.epoch));
  }
}

/// `c` changes nothing of the record but what `edit` does.
void check_only(const run_record& was, const commit& c,
                const std::function<void(run_state&)>& edit) {
  check_change(was, c);
  auto expected = was.state;
  expected.version += 1;
  edit(expected);
  BOOST_TEST((c.record.state == expected));
}

std::uint64_t number_in(const status& s, const std::string& name) {
  for (const auto& d : s.details)
    if (d.name == name)
      return std::get<std::uint64_t>(d.value);
  BOOST_TEST_MESSAGE("no detail " << name);
  return std::numeric_limits<std::uint64_t>::max();
}

} // namespace

BOOST_AUTO_TEST_SUITE(storage_fencing)

BOOST_AUTO_TEST_CASE(only_the_held_current_epoch_may_write) {
  for_each_state([](const state_case&, const run_record& r) {
    for (auto held : held_epochs)
      BOOST_TEST(is_current(r.state, epoch{held}) == may_write(r, held));
  });
}

BOOST_AUTO_TEST_CASE(a_claim_raises_the_epoch_unless_the_run_has_ended) {
  for_each_state([](const state_case& c, const run_record& r) {
    auto got = decide_claim(r, {"new", "external", now});

    if (is_terminal(c.status)) {
      BOOST_REQUIRE(!got);
      BOOST_TEST((got.error().code == errc::terminal));
      return;
    }
    BOOST_REQUIRE(got.ok());
    check_only(r, *got, [&](run_state& s) {
      s.epoch.value += 1;
      s.holder = "new";
    });
    BOOST_TEST((*got->claim
                == claim_note{epoch{c.at_epoch + 1}, "new", "external",
                              seq{c.log + 1}, now}));
  });
}

BOOST_AUTO_TEST_CASE(a_claim_without_a_holder_is_malformed) {
  auto got = decide_claim(make_record({}), {"", "external", now});

  BOOST_REQUIRE(!got);
  BOOST_TEST((got.error().code == errc::malformed));
}

BOOST_AUTO_TEST_CASE(a_release_ends_the_claim_and_keeps_the_epoch) {
  for_each_state([](const state_case& c, const run_record& r) {
    for (auto held : held_epochs) {
      auto got = decide_release(r, epoch{held});

      if (!may_write(r, held)) {
        BOOST_REQUIRE(!got);
        BOOST_TEST((got.error().code == errc::fenced));
        BOOST_TEST(number_in(got.error(), "epoch") == c.at_epoch);
      } else if (is_terminal(c.status)) {
        BOOST_REQUIRE(!got);
        BOOST_TEST((got.error().code == errc::terminal));
      } else {
        BOOST_REQUIRE(got.ok());
        check_only(r, *got, [](run_state& s) { s.holder.clear(); });
        BOOST_TEST(!is_current(got->record.state, epoch{held}));
      }
    }
  });
}

// -- appends ------------------------------------------------------------------

namespace {

struct append_case {
  std::uint64_t held = record_epoch;
  std::uint64_t first = 1;
  std::size_t count = 1;
  /// Index of the line whose bytes differ from the log's; none: npos.
  std::size_t spoiled = std::string::npos;
  enum { absent, right, wrong } begin = absent;
};

struct append_verdict {
  errc code = errc::none;
  std::size_t appended = 0;
  std::string detail;
  std::uint64_t number = 0;
};

/// The contract, entry by entry.
append_verdict expected_of(const state_case& s, const run_record& r,
                           const append_case& c) {
  if (!may_write(r, c.held))
    return {errc::fenced, 0, "epoch", s.at_epoch};
  if (c.count == 0)
    return {errc::empty, 0, "", 0};
  if (c.first == 0)
    return {errc::malformed, 0, "", 0};
  std::size_t stored = 0;
  for (std::size_t i = 0; i < c.count; ++i)
    stored += c.first <= s.log && c.first + i <= s.log ? 1 : 0;
  // Lines whose entries are gone cannot be compared.
  std::size_t gone = 0;
  for (std::size_t i = 0; i < stored; ++i)
    gone += c.first + i <= s.trimmed ? 1 : 0;
  if (stored > gone && gone == 0 && c.begin == append_case::wrong) {
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i + 1 < c.first; ++i)
      begin += stored_lines[i].size();
    return {errc::gap, 0, "position", begin};
  }
  if (c.spoiled < stored && c.spoiled >= gone)
    return {errc::mismatch, 0, "seq", c.first + c.spoiled};
  if (stored == c.count)
    return {};
  if (is_terminal(s.status))
    return {errc::terminal, 0, "", 0};
  if (c.first > s.log + 1)
    return {errc::gap, 0, "next_seq", s.log + 1};
  if (stored == 0 && c.begin == append_case::wrong)
    return {errc::gap, 0, "position", r.state.end.value};
  return {errc::none, c.count - stored, "", 0};
}

line_batch lines_of(const append_case& c) {
  line_batch out;
  for (std::size_t i = 0; i < c.count; ++i) {
    auto at = c.first + i - 1;
    auto line = at < stored_lines.size() ? stored_lines[at]
                                         : "line " + std::to_string(at) + "\n";
    if (i == c.spoiled)
      line.front() = '#';
    out.add(line, false);
  }
  return out;
}

std::uint64_t begin_of(const append_case& c, const run_record& r) {
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i + 1 < c.first && i < r.state.last_seq.value; ++i)
    begin += stored_lines[i].size();
  return begin + (c.begin == append_case::wrong ? 1 : 0);
}

/// The two halves of an append put together as a caller does.
void check_append(const state_case& s, const run_record& r,
                  const append_case& c) {
  auto expected = expected_of(s, r, c);
  auto lines = lines_of(c);
  append_order order{epoch{c.held}, seq{c.first},
                     c.begin == append_case::absent
                       ? std::nullopt
                       : std::optional{position{begin_of(c, r)}},
                     lines, now};

  auto plan = decide_append(r, order);

  status verdict;
  std::optional<commit> change;
  if (!plan) {
    verdict = plan.error();
  } else {
    BOOST_TEST(!(plan->refusal && plan->change));
    auto log = stored_log(s.log);
    BOOST_REQUIRE(plan->stored <= log.size());
    if (plan->stored > 0) {
      auto from = std::max<std::size_t>(c.first - 1, s.trimmed);
      auto to = std::max(from, c.first - 1 + plan->stored);
      verdict = compare_stored(std::span{log}.subspan(from, to - from), order);
    }
    if (verdict.ok() && plan->refusal)
      verdict = *plan->refusal;
    change = plan->change;
  }
  BOOST_TEST_CONTEXT("held " << c.held << ", first " << c.first << ", count "
                             << c.count << ", spoiled " << c.spoiled
                             << ", begin " << c.begin << ": expected "
                             << to_string(expected.code) << ", found "
                             << to_string(verdict.code)) {
    BOOST_TEST((verdict.code == expected.code));
    if (!expected.detail.empty())
      BOOST_TEST(number_in(verdict, expected.detail) == expected.number);
    if (!verdict.ok()) {
      BOOST_TEST(!verdict.message.empty());
      if (!plan)
        BOOST_TEST(!change);
      return;
    }
    BOOST_TEST(change.has_value() == (expected.appended > 0));
    if (!change)
      return;
    BOOST_TEST(change->entries.size() == expected.appended);
    check_change(r, *change);
    BOOST_TEST((change->record.state.status == r.state.status));
    BOOST_TEST(change->record.state.holder == r.state.holder);
    std::size_t i = c.count - expected.appended;
    auto all = std::string{};
    for (const auto& e : change->entries) {
      BOOST_TEST(e.seq.value == c.first + i++);
      BOOST_TEST((e.at == now));
      all += e.data;
    }
    BOOST_TEST(lines.bytes.ends_with(all));
  }
}

} // namespace

BOOST_AUTO_TEST_CASE(every_append_is_decided_as_the_contract_says) {
  for_each_state([](const state_case& s, const run_record& r) {
    for (auto held : held_epochs)
      for (std::uint64_t first :
           {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2},
            std::uint64_t{3}, std::uint64_t{4}, std::uint64_t{5},
            std::numeric_limits<std::uint64_t>::max()})
        for (std::size_t count = 0; count <= 5; ++count)
          for (std::size_t spoiled = 0; spoiled <= count; ++spoiled)
            for (auto begin : {append_case::absent, append_case::right,
                               append_case::wrong}) {
              append_case c{held, first, count,
                            spoiled == count ? std::string::npos : spoiled,
                            begin};
              check_append(s, r, c);
            }
  });
}

BOOST_AUTO_TEST_CASE(a_fragment_leaves_the_run_inside_its_line) {
  auto r = make_record({run_status::running, "h"});
  line_batch lines;
  lines.add("whole\n", false);
  lines.add("piece", true);

  auto plan = decide_append(r, {epoch{5}, seq{1}, {}, lines, now});

  BOOST_REQUIRE(plan.ok() && plan->change);
  BOOST_TEST(plan->change->record.state.inside_line);
  line_batch rest;
  rest.add("end\n", true);
  auto last =
    decide_append(plan->change->record, {epoch{5}, seq{3}, {}, rest, now});
  BOOST_REQUIRE(last.ok() && last->change);
  BOOST_TEST(!last->change->record.state.inside_line);
  BOOST_TEST(last->change->entries.front().fragment);
}

BOOST_AUTO_TEST_CASE(a_stored_line_is_no_duplicate_of_a_fragment_of_its_bytes) {
  line_batch lines;
  lines.add("a\n", true);
  auto log = stored_log(1);

  auto verdict = compare_stored(log, {epoch{5}, seq{1}, {}, lines, now});

  BOOST_TEST((verdict.code == errc::mismatch));
}

BOOST_AUTO_TEST_CASE(a_refusal_for_a_released_claim_says_that_it_was_released) {
  auto r = make_record({run_status::running, ""});

  auto why = fenced(r, epoch{record_epoch});

  BOOST_TEST(why.message.find("given back") != std::string::npos);
  // Nobody can give back what nobody had.
  r.state.epoch = {};
  for (std::uint64_t held : {0, 1}) {
    auto never = fenced(r, epoch{held});
    BOOST_TEST(never.message.find("nobody has claimed") != std::string::npos);
    BOOST_TEST(never.message.find("given back") == std::string::npos);
  }
}

// -- the end ------------------------------------------------------------------

namespace {

run_state ended_state(const run_record& r, const run_outcome& outcome) {
  auto s = r.state;
  s.version += 1;
  s.status = outcome.status;
  s.exit_code = outcome.exit_code;
  s.signal = outcome.signal;
  s.error = outcome.error;
  s.usage = outcome.usage;
  s.finished_at = now;
  s.detached_since.reset();
  if (s.cancel_requested_at) {
    s.status = run_status::aborted;
    s.error->code = s.cancel_cause;
  }
  return s;
}

bool same_end(const run_state& found, run_state expected) {
  // The text of an error is for people; its code is the contract.
  if (found.error && expected.error
      && found.error->code == expected.error->code)
    expected.error->message = found.error->message;
  expected.detached_at_uptime_ms = found.detached_at_uptime_ms;
  return found == expected;
}

run_outcome outcome_with(run_status s) {
  return {s, 3, 9, run_error{errc::exit_nonzero, "why"}, "{}"};
}

} // namespace

BOOST_AUTO_TEST_CASE(every_finish_is_decided_as_the_contract_says) {
  for_each_state([](const state_case& c, const run_record& r) {
    for (auto held : held_epochs)
      for (auto wanted :
           {run_status::running, run_status::interrupted, run_status::completed,
            run_status::failed, run_status::aborted})
        for (std::optional<seq> last :
             {std::optional<seq>{}, std::optional{seq{c.log}},
              std::optional{seq{c.log + 1}}}) {
          auto got =
            decide_finish(r, {epoch{held}, last, outcome_with(wanted), now});

          auto becomes = c.cancel == errc::none ? wanted : run_status::aborted;
          if (!may_write(r, held)) {
            BOOST_REQUIRE(!got);
            BOOST_TEST((got.error().code == errc::fenced));
          } else if (!is_terminal(wanted)) {
            BOOST_REQUIRE(!got);
            BOOST_TEST((got.error().code == errc::malformed));
          } else if (is_terminal(c.status) && becomes == c.status) {
            BOOST_REQUIRE(got.ok());
            BOOST_TEST(!got->has_value());
          } else if (is_terminal(c.status)) {
            BOOST_REQUIRE(!got);
            BOOST_TEST((got.error().code == errc::terminal));
          } else if (last && last->value != c.log) {
            BOOST_REQUIRE(!got);
            BOOST_TEST((got.error().code == errc::gap));
            BOOST_TEST(number_in(got.error(), "next_seq") == c.log + 1);
          } else {
            BOOST_REQUIRE(got.ok() && got->has_value());
            check_change(r, **got);
            BOOST_TEST(same_end((*got)->record.state,
                                ended_state(r, outcome_with(wanted))));
          }
        }
  });
}

BOOST_AUTO_TEST_CASE(an_end_without_driver_fences_whoever_comes_back) {
  for_each_state([](const state_case& c, const run_record& r) {
    auto got = decide_end_without_driver(
      r, {{}, {}, outcome_with(run_status::aborted), now});

    if (is_terminal(c.status)) {
      BOOST_REQUIRE(!got);
      BOOST_TEST((got.error().code == errc::terminal));
      return;
    }
    BOOST_REQUIRE(got.ok());
    check_change(r, *got);
    BOOST_TEST(is_terminal(got->record.state.status));
    BOOST_TEST(got->record.state.epoch.value == c.at_epoch + 1);
    for (auto held : held_epochs)
      if (held <= c.at_epoch)
        BOOST_TEST(!is_current(got->record.state, epoch{held}));
  });
}

// -- the rest of the record ---------------------------------------------------

BOOST_AUTO_TEST_CASE(every_launch_record_is_decided_as_the_contract_says) {
  for_each_state([](const state_case& c, const run_record& r) {
    for (auto held : held_epochs) {
      auto got =
        decide_launch(r, epoch{held}, "hash", {{}, "box", "label", "shared"});

      if (!may_write(r, held)) {
        BOOST_REQUIRE(!got);
        BOOST_TEST((got.error().code == errc::fenced));
      } else if (is_terminal(c.status)) {
        BOOST_REQUIRE(!got);
        BOOST_TEST((got.error().code == errc::terminal));
      } else {
        BOOST_REQUIRE(got.ok() && got->has_value());
        check_only(r, **got, [](run_state& s) {
          s.nonce_hashes.emplace_back("hash");
          s.sandbox.id = "box";
          s.sandbox.host_label = "label";
          s.sandbox.shared_id = "shared";
        });
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(a_successor_keeps_the_sandbox_and_adds_its_nonce) {
  auto r = make_record({run_status::running, "h"});
  r.state.nonce_hashes = {"first"};
  r.state.sandbox = {{}, "box", "label", "shared"};

  auto got =
    decide_launch(r, epoch{5}, "second", {{}, "other", "elsewhere", ""});

  BOOST_REQUIRE(got.ok() && got->has_value());
  const auto& s = (*got)->record.state;
  BOOST_TEST(s.nonce_hashes.size() == 2);
  BOOST_TEST(s.sandbox.id == "box");
  BOOST_TEST(s.sandbox.host_label == "label");
}

BOOST_AUTO_TEST_CASE(a_launch_record_sent_again_changes_nothing) {
  auto r = make_record({run_status::running, "h"});
  r.state.nonce_hashes = {"hash"};
  r.state.sandbox = {{}, "box", "label", "shared"};

  auto got = decide_launch(r, epoch{5}, "hash", {{}, "box", "label", "shared"});

  BOOST_REQUIRE(got.ok());
  BOOST_TEST(!got->has_value());
}

BOOST_AUTO_TEST_CASE(a_cancel_is_recorded_once_and_its_first_cause_stays) {
  for_each_state([](const state_case& c, const run_record& r) {
    auto got = decide_cancel(r, errc::cancelled, now);

    auto reached =
      c.cancel != errc::none
      && (!is_terminal(c.status) || c.status == run_status::aborted);
    if (reached) {
      BOOST_REQUIRE(got.ok());
      BOOST_TEST(!got->has_value());
    } else if (is_terminal(c.status)) {
      BOOST_REQUIRE(!got);
      BOOST_TEST((got.error().code == errc::terminal));
    } else {
      BOOST_REQUIRE(got.ok() && got->has_value());
      check_only(r, **got, [](run_state& s) {
        s.cancel_requested_at = now;
        s.cancel_cause = errc::cancelled;
      });
    }
  });
}

BOOST_AUTO_TEST_CASE(a_cancels_delivery_is_recorded_once_by_its_driver) {
  for_each_state([](const state_case& c, const run_record& r) {
    for (auto held : held_epochs)
      for (bool delivered : {false, true}) {
        auto was = r;
        if (delivered)
          was.state.cancel_delivered_at = before;

        auto got = decide_cancel_delivered(was, epoch{held}, now);

        auto is_news = may_write(r, held) && !is_terminal(c.status)
                       && c.cancel != errc::none && !delivered;
        BOOST_TEST(got.has_value() == is_news);
        if (got)
          check_only(was, *got,
                     [](run_state& s) { s.cancel_delivered_at = now; });
      }
  });
}

BOOST_AUTO_TEST_CASE(a_trim_only_moves_the_cut_whatever_the_status) {
  for_each_state([](const state_case& c, const run_record& r) {
    for (std::uint64_t first :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2},
          std::uint64_t{3}, std::uint64_t{4}, std::uint64_t{5},
          std::numeric_limits<std::uint64_t>::max()}) {
      auto got = decide_trim(r, seq{first});

      if (first == 0 || first > c.log + 1) {
        BOOST_REQUIRE(!got);
        BOOST_TEST((got.error().code == errc::malformed));
        BOOST_TEST(number_in(got.error(), "next_seq") == c.log + 1);
        continue;
      }
      BOOST_REQUIRE(got.ok());
      BOOST_TEST(got->has_value() == (first > c.trimmed + 1));
      if (*got)
        check_only(r, **got, [&](run_state& s) { s.trimmed = seq{first - 1}; });
    }
  });
}

BOOST_AUTO_TEST_CASE(interrupt_and_resume_go_there_and_back) {
  for_each_state([](const state_case& c, const run_record& r) {
    auto paused = decide_interrupt(r);
    auto resumed = decide_resume(r, 555, now);

    if (is_terminal(c.status)) {
      BOOST_REQUIRE(!paused && !resumed);
      BOOST_TEST((paused.error().code == errc::terminal));
      BOOST_TEST((resumed.error().code == errc::terminal));
    } else if (c.status == run_status::running) {
      BOOST_REQUIRE(paused.ok() && paused->has_value());
      check_only(r, **paused,
                 [](run_state& s) { s.status = run_status::interrupted; });
      BOOST_REQUIRE(resumed.ok());
      BOOST_TEST(!resumed->has_value());
    } else {
      BOOST_REQUIRE(paused.ok());
      BOOST_TEST(!paused->has_value());
      BOOST_REQUIRE(resumed.ok() && resumed->has_value());
      check_only(r, **resumed, [&](run_state& s) {
        s.status = run_status::running;
        if (c.detached) {
          s.detached_since = now;
          s.detached_at_uptime_ms = 555;
        }
      });
    }
  });
}

BOOST_AUTO_TEST_CASE(detach_and_attach_touch_only_live_runs) {
  for_each_state([](const state_case& c, const run_record& r) {
    auto gone = decide_detach(r, 555, now);
    auto back = decide_attach(r);

    auto live = !is_terminal(c.status);
    BOOST_TEST(gone.has_value() == (live && !c.detached));
    BOOST_TEST(back.has_value() == (live && c.detached));
    if (gone)
      check_only(r, *gone, [](run_state& s) {
        s.detached_since = now;
        s.detached_at_uptime_ms = 555;
      });
    if (back)
      check_only(r, *back, [](run_state& s) {
        s.detached_since.reset();
        s.detached_at_uptime_ms = 0;
      });
  });
}

BOOST_AUTO_TEST_SUITE_END()
