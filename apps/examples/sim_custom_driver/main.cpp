// SPDX-License-Identifier: MIT
// A driver of your own under baton's simulator. The driver is a relay: it
// claims a run and copies a text into its log, line by line. Two relays stand
// in for each other while nodes die, pause and are cut off, under schedules
// drawn from a seed.
//
//   sim_custom_driver --seeds 1..500            finds the bug, names the seed
//   sim_custom_driver --seed N --report r.html  its story, as a picture
//   sim_custom_driver fixed --seeds 1..500      without the bug nothing breaks
//
// Open r.html in a browser: time runs down, each relay is a column, a bar shows
// who holds the claim, a red line where the log stopped being the text. Follow
// the bar up from there to the last lost answer, and look at resume() below.
#include "actors/sim/program.hpp"
#include "messages/caf_types.hpp"

#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace std::chrono_literals;

using claim_atom = caf::atom_constant<caf::atom("claim")>;
using send_atom = caf::atom_constant<caf::atom("send")>;

constexpr auto answer_time_max = 2s;
constexpr auto pause = 200ms;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    auto length = std::min(text.find('\n'), text.size() - 1) + 1;
    out.emplace_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return out;
}

class relay {
public:
  relay(caf::event_based_actor* self, baton::sim::driver_site where,
        bool trusts_the_log)
    : self_(self),
      where_(std::move(where)),
      lines_(lines_of(where_.source)),
      trusts_the_log_(trusts_the_log) {
    // nop
  }

  /// Held by the other relay: ask again. All that goes wrong comes back here.
  void claim() {
    baton::claim_run ask;
    ask.run = where_.run;
    ask.holder = where_.name;
    ask.ttl_ms = 1'000;
    self_->request(where_.coordinator, caf::duration{answer_time_max}, ask)
      .then([this](const baton::claim_granted& x) { resume(x); },
            [this](const caf::error& why) { claim_later(why); });
  }

  void send_next() {
    if (line_ == lines_.size())
      return finish();
    baton::append_lines x;
    x.run = where_.run;
    x.epoch = held_;
    x.first_seq = next_;
    x.lines.add(lines_[line_], false);
    self_->request(where_.coordinator, caf::duration{answer_time_max}, x)
      .then(
        [this](const baton::append_done& done) {
          line_ += 1;
          next_.value = done.last_seq.value + 1;
          if (done.cancel_requested)
            finish();
          else
            self_->delayed_send(self_, pause, send_atom::value);
        },
        [this](const caf::error& why) { claim_later(why); });
  }

private:
  /// A new claim says where the log ends. The bug: a relay that has been here
  /// before believes that it knows better. An append whose answer was lost may
  /// be in the log all the same.
  void resume(const baton::claim_granted& x) {
    if (trusts_the_log_ || held_.value == 0)
      line_ = x.next_seq.value - 1;
    held_ = x.epoch;
    next_ = x.next_seq;
    if (x.cancel_requested)
      finish();
    else
      send_next();
  }

  void finish() {
    baton::finish_run x;
    x.run = where_.run;
    x.epoch = held_;
    x.last_seq = baton::seq{next_.value - 1};
    x.outcome.status = baton::run_status::completed;
    self_->request(where_.coordinator, caf::duration{answer_time_max}, x)
      .then([this](const baton::run_finished&) { self_->quit(); },
            [this](const caf::error& why) { claim_later(why); });
  }

  void claim_later(const caf::error& why) {
    if (baton::to_status(why).code == baton::errc::terminal)
      return self_->quit();
    self_->delayed_send(self_, pause, claim_atom::value);
  }

  caf::event_based_actor* self_;
  baton::sim::driver_site where_;
  std::vector<std::string> lines_;
  bool trusts_the_log_;
  std::size_t line_ = 0;
  baton::epoch held_;
  baton::seq next_;
};

baton::sim::driver_maker relay_maker(bool trusts_the_log) {
  return [=](caf::event_based_actor* self,
             const baton::sim::driver_site& where) -> caf::behavior {
    auto state = std::make_shared<relay>(self, where, trusts_the_log);
    self->send(self, claim_atom::value);
    return {
      [state](claim_atom) { state->claim(); },
      [state](send_atom) { state->send_next(); },
    };
  };
}

} // namespace

int main(int argc, char** argv) {
  auto fixed = argc > 1 && std::string_view{argv[1]} == "fixed";
  // Half a minute of lines: long enough for faults to come between.
  std::string text;
  for (int i = 1; i <= 150; ++i)
    text += "line " + std::to_string(i) + "\n";

  baton::sim::program x;
  x.name = fixed ? "sim_custom_driver fixed" : "sim_custom_driver";
  x.help = "The first word 'fixed' mends the relay: no seed breaks it then.";
  // After each commit its log must be the beginning of the text.
  x.external_runs = {{baton::run_id{"feed"}, text}};
  x.drivers = {{"relay-a", relay_maker(fixed)},
               {"relay-b", relay_maker(fixed)}};
  return baton::sim::run_program(argc - fixed, argv + fixed, x);
}
