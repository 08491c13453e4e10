// SPDX-License-Identifier: MIT
#include "actors/sandbox/provider_claims.hpp"

#include "actors/sandbox/process_tree.hpp"

#include <poll.h>
#include <signal.h>

#include <algorithm>

namespace baton::sandbox {
namespace {

/// A tree has 2 s to end; slack for a busy machine.
constexpr int tree_end_ms = 8000;
/// Many beats: a process that lives, on a busy machine too, has written by
/// then.
constexpr int silence_ms = 1000;

/// True when nobody writes to those files any more.
bool are_silent(provider_examination& e,
                const std::vector<std::string>& names) {
  auto sizes = [&] {
    std::vector<std::size_t> out;
    for (const auto& name : names)
      out.push_back(e.file(name).size());
    return out;
  };
  auto before = sizes();
  return !provider_examination::until([&] { return sizes() != before; },
                                      silence_ms);
}

void wait_for_beats(provider_examination& e,
                    const std::vector<std::string>& names) {
  for (const auto& name : names)
    e.expect(e.until([&] { return e.file(name).size() > 2; }),
             "a process of the agent's did not start");
}

void exits_are_exact(provider_examination& e) {
  for (int code : {0, 3, 143, 255}) {
    auto end = e.end(e.start("exit " + std::to_string(code)));
    e.expect(end.code == code, "an exit code is another's");
    e.expect(!end.signal, "an exit is told as a death by signal");
  }
  for (int number : {SIGTERM, SIGKILL}) {
    auto end = e.end(e.start("kill -" + std::to_string(number) + " $$"));
    e.expect(end.code == 128 + number,
             "a death by signal n has not code 128+n");
    e.expect(end.signal == number, "a death by signal is told without it");
  }
}

/// What it starts: a session of its own, an orphan, one without environment,
/// and all refuse to be asked.
std::string stubborn_tree() {
  return "trap '' TERM HUP; (setsid sh -c '" + beat_into("session") + "' &); (("
         + beat_into("orphan") + ") & ); env -i sh -c '" + beat_into("bare")
         + "' & " + beat_into("main");
}

void kill_takes_the_whole_tree(provider_examination& e) {
  std::vector<std::string> all{"session", "orphan", "bare", "main"};
  auto bystander = e.start(wait_for_file("go") + "exit 4");
  auto x = e.start(stubborn_tree());
  wait_for_beats(e, all);
  auto begin = monotonic_ms();
  e.expect(e.it().kill(x.where).ok(), "kill failed");
  e.expect(monotonic_ms() - begin < 1000, "kill waits for the end");
  auto end = e.end(x, tree_end_ms);
  e.expect(end.signal == SIGKILL && end.code == 128 + SIGKILL,
           "an agent that was killed is not told as such");
  e.expect(are_silent(e, all), "a process outlived the kill");
  e.expect(e.state(bystander) == agent_state::alive,
           "the kill of one run ended another");
  e.write("go", "");
  e.expect(e.end(bystander).code == 4, "the kill of one run reached another");
}

void kill_asks_first(provider_examination& e) {
  auto x = e.start("trap 'echo bye; exit 5' TERM; echo ready; "
                   "while :; do sleep 0.01; done");
  e.until([&] { return e.journal(x) == "ready\n"; });
  e.expect(e.it().kill(x.where).ok(), "kill failed");
  e.expect(e.end(x, tree_end_ms).code == 5,
           "an agent that obeys SIGTERM is not let end by itself");
  e.expect(e.output(x) == "ready\nbye\n", "its last words are lost");
}

void kill_is_idempotent(provider_examination& e) {
  auto x = e.start("exec sleep 100");
  e.expect(e.it().kill(x.where).ok(), "kill failed");
  e.expect(e.it().kill(x.where).ok(), "a second kill failed");
  e.expect(e.again()->kill(x.where).ok(), "another node's kill failed");
  auto end = e.end(x, tree_end_ms);
  e.expect(e.it().kill(x.where).ok(), "a kill after the end failed");
  e.expect(e.end(x) == end, "a kill after the end changed the report");
}

void kill_prevents_the_launch(provider_examination& e) {
  auto x = e.order("echo word >> words");
  e.expect(e.it().kill(x.where).ok(), "a kill before the launch failed");
  e.expect(e.state(x) == agent_state::lost,
           "a run that was killed before its launch is not told as lost");
  auto got = e.again()->launch(x);
  e.expect(got.ok() && *got == launch_outcome::already,
           "a launch after the kill is not a no-op");
  // One that was launched would have written by the time when a later one has
  // ended.
  e.end(e.start("true"));
  e.expect(e.file("words").empty(), "the command ran after its kill");
  e.expect(e.it().remove(x.where).ok(), "what was killed cannot be removed");
}

void what_is_left_ends_soon(provider_examination& e) {
  auto x =
    e.start("(sleep 0.7; echo late) & (setsid sh -c '" + beat_into("left")
            + "' &); " + wait_for_file("left") + "echo early; exit 3");
  auto end = e.end(x, tree_end_ms);
  e.expect(end.code == 3, "the exit code is not the main process's");
  e.expect(are_silent(e, {"left"}), "a process outlived the agent's end");
  e.expect(e.output(x) == "early\nlate\n",
           "what was written within the grace is lost");
}

void kept_processes_stay(provider_examination& e) {
  auto x = e.order("(" + beat_into("left") + ") & " + wait_for_file("left")
                   + "exit 4");
  x.keep_processes = true;
  if (!e.it().can().background_processes) {
    auto got = e.it().launch(x);
    e.expect(!got && got.error().code == errc::unsupported,
             "an order to keep processes is not refused as unsupported");
    return;
  }
  e.start(x);
  e.expect(e.end(x).code == 4, "the exit code is not the main process's");
  e.expect(!are_silent(e, {"left"}), "a process that should stay ended");
  e.expect(e.it().kill(x.where).ok(), "kill failed");
  e.expect(e.until([&] { return are_silent(e, {"left"}); }, tree_end_ms),
           "kill does not end what was kept");
}

bool lists(provider& p, const launch_order& x, bool as_guard = false) {
  auto got = p.list();
  return got.ok() && std::ranges::any_of(*got, [&](const found_sandbox& found) {
           return found.where.id == x.where.id && found.is_guard == as_guard;
         });
}

void remove_spares_the_living(provider_examination& e) {
  auto x = e.start("echo x > begun; " + wait_for_file("go") + "exit 6");
  e.until([&] { return e.file("begun") == "x\n"; });
  e.expect(e.it().remove(x.where).code == errc::in_use,
           "a sandbox with a living agent is not refused as in_use");
  e.expect(e.state(x) == agent_state::alive, "the refused removal ended it");
  e.write("go", "");
  e.expect(e.end(x).code == 6, "the refused removal harmed it");
  e.expect(e.it().remove(x.where).ok(), "an ended run cannot be removed");
  e.expect(e.it().remove(x.where).ok(), "a second removal failed");
}

void what_exists_is_listed(provider_examination& e) {
  auto x = e.start("exit 0");
  auto no = run_no{1};
  e.end(x);
  auto got = e.it().list();
  e.expect(got.ok() && got->size() == 1 && got->front().where.id == x.where.id
             && got->front().run == no,
           "the one sandbox is not listed with its run's number");
  e.expect(lists(*e.again(), x), "a later life does not list it");
  e.expect(e.it().remove(x.where).ok(), "it cannot be removed");
  e.expect(!lists(e.it(), x), "a removed sandbox is listed");
  e.expect(!lists(*e.again(), x), "a removed sandbox is listed later");
}

void guards_go_in_a_later_life(provider_examination& e) {
  auto x = e.start("exit 0");
  e.end(x);
  e.expect(e.it().remove(x.where).ok(), "it cannot be removed");
  auto later = e.again();
  // Providers whose guards cost nothing need not list them.
  if (!lists(*later, x, true))
    return;
  e.expect(later->forget(x.where).ok(), "a listed guard cannot be forgotten");
  e.expect(!lists(*later, x, true), "a forgotten guard is listed");
  e.expect(later->forget(x.where).ok(), "to forget twice fails");
}

constexpr provider_claim claims[] = {
  {"exits are exact", exits_are_exact},
  {"kill takes the whole tree", kill_takes_the_whole_tree},
  {"kill asks first", kill_asks_first},
  {"kill is idempotent", kill_is_idempotent},
  {"kill prevents the launch", kill_prevents_the_launch},
  {"what is left ends soon", what_is_left_ends_soon},
  {"kept processes stay", kept_processes_stay},
  {"remove spares the living", remove_spares_the_living},
  {"what exists is listed", what_exists_is_listed},
  {"guards go in a later life", guards_go_in_a_later_life},
};

} // namespace

std::vector<provider_claim> ending_claims() {
  return {std::begin(claims), std::end(claims)};
}

} // namespace baton::sandbox
