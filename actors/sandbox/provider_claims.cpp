// SPDX-License-Identifier: MIT
#include "actors/sandbox/provider_claims.hpp"

#include <algorithm>
#include <atomic>
#include <latch>
#include <thread>

namespace baton::sandbox {
namespace {

constexpr int launchers = 16;
constexpr int short_runs = 20;

bool is(const result<launch_outcome>& got, launch_outcome wanted) {
  return got.ok() && *got == wanted;
}

// -- identity -----------------------------------------------------------------

void every_run_has_an_id(provider_examination& e) {
  auto first = e.it().make_id(run_id{"a"}, run_no{1});
  e.expect(first == e.it().make_id(run_id{"a"}, run_no{1}),
           "the same run was given two ids");
  e.expect(first != e.it().make_id(run_id{"b"}, run_no{2}),
           "two runs were given the same id");
}

// -- launching ----------------------------------------------------------------

void launches_at_most_once(provider_examination& e) {
  auto x = e.order("echo word >> words; echo written; " + wait_for_file("go"));
  auto other = e.again();
  std::atomic<int> launched{0};
  std::atomic<int> already{0};
  std::latch ready{launchers};
  std::vector<std::thread> threads;
  for (int i = 0; i < launchers; ++i)
    threads.emplace_back([&, i] {
      ready.arrive_and_wait();
      auto got = (i % 2 == 0 ? e.it() : *other).launch(x);
      launched += is(got, launch_outcome::launched) ? 1 : 0;
      already += is(got, launch_outcome::already) ? 1 : 0;
    });
  for (auto& t : threads)
    t.join();
  e.expect(launched == 1, std::to_string(launched) + " of "
                            + std::to_string(launchers)
                            + " launches at a time say that they launched");
  e.expect(launched + already == launchers, "a launch at the same time failed");
  e.expect(is(e.it().launch(x), launch_outcome::already),
           "a launch while the agent lives is not a no-op");
  e.write("go", "");
  e.end(x);
  e.expect(is(e.again()->launch(x), launch_outcome::already),
           "a launch after the end is not a no-op");
  e.expect(e.it().remove(x.where).ok(), "an ended run cannot be removed");
  e.expect(is(e.again()->launch(x), launch_outcome::already),
           "a launch after the sandbox was removed is not a no-op");
  // One that was launched again would have written by the time when a later
  // one has ended.
  e.end(e.start("true"));
  e.expect(e.file("words") == "word\n", "the command ran more than once");
}

void removed_is_never_launched(provider_examination& e) {
  auto x = e.order("echo word >> words");
  e.expect(e.it().remove(x.where).ok(),
           "a sandbox that was not launched cannot be removed");
  e.expect(is(e.again()->launch(x), launch_outcome::already),
           "a launch after the removal is not a no-op");
  e.end(e.start("true"));
  e.expect(e.file("words").empty(), "the command ran after its removal");
}

void the_agent_outlives_its_launcher(provider_examination& e) {
  auto x = e.order("echo begin; " + wait_for_file("go") + "echo end");
  {
    auto launcher = e.again();
    e.expect(is(launcher->launch(x), launch_outcome::launched),
             "a second provider cannot launch");
  }
  e.expect(e.state(x) == agent_state::alive,
           "the agent died with the provider that launched it");
  e.write("go", "");
  e.end(x);
  e.expect(e.output(x) == "begin\nend\n",
           "the agent's work was cut with its launcher");
}

// -- observing ----------------------------------------------------------------

void probe_tells_the_truth(provider_examination& e) {
  auto x = e.order("echo here; " + wait_for_file("go") + "exit 7");
  e.expect(e.state(x) == agent_state::not_launched,
           "a run that was never launched is not told as such");
  e.start(x);
  e.expect(e.state(x) == agent_state::alive, "a living agent is not alive");
  auto other = e.again()->probe(x.where);
  e.expect(other.ok() && other->state == agent_state::alive,
           "a second provider does not see a living agent");
  e.write("go", "");
  auto end = e.end(x);
  e.expect(end.code == 7, "the report has another exit code");
  e.expect(end.nonce == x.nonce, "the report has not its launch's nonce");
  auto later = e.again()->probe(x.where);
  e.expect(later.ok() && later->state == agent_state::exited
             && later->exit == end,
           "a second provider tells another end");
  e.expect(e.it().remove(x.where).ok(), "an ended run cannot be removed");
  e.expect(e.state(x) == agent_state::lost,
           "a launched run whose report is gone is not told as lost");
}

void an_end_never_looks_lost(provider_examination& e) {
  for (int i = 0; i < short_runs; ++i) {
    auto x = e.start("exit 0");
    auto now = e.state(x);
    while (now == agent_state::alive)
      now = e.state(x);
    e.expect(now == agent_state::exited,
             "between alive and exited another state was told");
  }
}

void output_is_exact(provider_examination& e) {
  std::string bytes;
  for (int i = 0; i < 200'000; ++i)
    bytes += static_cast<char>(i * 31 % 256);
  bytes += std::string{"\r\n\0\xFF last line", 14};
  auto x = e.order("cat; echo to stderr >&2");
  x.stdin_bytes = bytes;
  e.start(x);
  e.expect(e.end(x).journal_end.value == bytes.size(),
           "journal_end is not the count of the agent's bytes");
  e.expect(e.output(x) == bytes, "the journal has not the agent's bytes");
  auto silent = e.start("exit 0");
  e.expect(e.end(silent).journal_end.value == 0,
           "journal_end of a silent agent is not 0");
}

void journals_are_read_from_anywhere(provider_examination& e) {
  auto x = e.start("printf 0123456789");
  auto end = e.end(x).journal_end;
  auto opened = e.it().open_journal(x.where, [] {});
  if (!e.expect(opened.ok(), "the journal cannot be opened"))
    return;
  char buffer[4];
  auto n = (*opened)->read(position{3}, buffer);
  e.expect(n.ok() && std::string(buffer, *n) == "3456",
           "a read from the middle gives other bytes");
  auto size = (*opened)->size();
  e.expect(size.ok() && size->value >= end.value,
           "the journal's size is less than its end");
  if (size) {
    n = (*opened)->read(*size, buffer);
    e.expect(n.ok() && *n == 0, "a read at the end gives bytes");
  }
}

void journals_are_observed(provider_examination& e) {
  auto x = e.order(wait_for_file("one") + "echo one; " + wait_for_file("two")
                   + "echo two; " + wait_for_file("three"));
  e.start(x);
  std::atomic<int> calls{0};
  auto opened = e.it().open_journal(x.where, [&] { ++calls; });
  if (!e.expect(opened.ok(), "the journal cannot be opened"))
    return;
  char buffer[64];
  auto n = (*opened)->read(position{0}, buffer);
  e.expect(n.ok() && *n == 0, "a journal that nobody wrote to has bytes");
  for (std::string name : {"one", "two"}) {
    auto before = calls.load();
    e.write(name, "");
    if (!e.expect(e.until([&] { return calls > before; }),
                  "nothing was told after the journal grew"))
      return;
    e.expect(e.until([&] { return (*opened)->size()->value >= 4; }),
             "what was told about cannot be read");
    // What has been read need not be told again.
    ignore_result((*opened)->read(position{0}, buffer), "only to have read");
  }
  auto before = calls.load();
  e.write("three", "");
  e.end(x);
  e.expect(e.until([&] { return calls > before; }),
           "nothing was told after the agent ended");
  opened->reset();
  auto after = calls.load();
  e.end(e.start("echo another"));
  e.expect(calls == after, "a journal that was closed is still told about");
}

void stderr_has_a_tail(provider_examination& e) {
  auto x = e.start("echo out; echo 0123456789 >&2");
  e.end(x);
  auto whole = e.it().stderr_tail(x.where, 4096);
  e.expect(whole.ok() && *whole == "0123456789\n", "stderr is not complete");
  auto tail = e.it().stderr_tail(x.where, 5);
  e.expect(tail.ok() && *tail == "6789\n", "the tail is not the last bytes");
  auto silent = e.start("echo out");
  e.end(silent);
  auto none = e.it().stderr_tail(silent.where, 4096);
  e.expect(none.ok() && none->empty(), "a silent agent has stderr");
}

constexpr provider_claim first_claims[] = {
  {"every run has an id", every_run_has_an_id},
  {"launches at most once", launches_at_most_once},
  {"removed is never launched", removed_is_never_launched},
  {"the agent outlives its launcher", the_agent_outlives_its_launcher},
  {"probe tells the truth", probe_tells_the_truth},
  {"an end never looks lost", an_end_never_looks_lost},
  {"output is exact", output_is_exact},
  {"journals are read from anywhere", journals_are_read_from_anywhere},
  {"journals are observed", journals_are_observed},
  {"stderr has a tail", stderr_has_a_tail},
};

} // namespace

std::vector<provider_claim> all_provider_claims() {
  std::vector<provider_claim> out{std::begin(first_claims),
                                  std::end(first_claims)};
  std::ranges::copy(surroundings_claims(), std::back_inserter(out));
  std::ranges::copy(ending_claims(), std::back_inserter(out));
  return out;
}

} // namespace baton::sandbox
