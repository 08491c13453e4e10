// SPDX-License-Identifier: MIT
#include "actors/sim/rude_driver.hpp"

#include <algorithm>
#include <utility>

namespace baton::sim {
namespace {

using std::chrono::milliseconds;

using act_atom = caf::atom_constant<caf::atom("act")>;

constexpr auto answer_timeout = std::chrono::seconds{3};
constexpr std::uint64_t pause_ms_max = 4'000;
/// Further than any driver gets meanwhile.
constexpr std::uint64_t far_away = 1'000'000;
/// So often it tries to change what has ended.
constexpr int acts_behind_the_end = 4;

class rude_state {
public:
  rude_state(caf::event_based_actor* self, driver_options options)
    : self_(self), options_(std::move(options)) {
    // nop
  }

  void later() {
    self_->delayed_send(self_, milliseconds{random().below(pause_ms_max) + 1},
                        act_atom::value);
  }

  /// One of them for which what it knows of the run is enough.
  void act() {
    learn();
    later();
    if (ended_ && ++acts_ > acts_behind_the_end)
      return self_->quit();
    if (newest_ == 0)
      return;
    switch (random().below(ended_ ? 6 : 5)) {
    case 0:
      return repeat_with_other_bytes();
    case 1:
      return append(newest_, far_away, {}, "behind a gap\n");
    case 2:
      return append(newest_, last_ + 1, far_away, "at a wrong byte\n");
    case 3:
      return write_as_a_loser();
    case 4:
      return append(newest_ - 1, last_ + 1, {}, "of a loser\n");
    default:
      return change_what_has_ended();
    }
  }

private:
  const driver_site& site() const { return options_.site; }
  seeded& random() { return options_.random; }

  /// What others were told is true, however old.
  void learn() {
    for (const auto& x : options_.heard->all) {
      if (x.got.what != history::outcome::ok)
        continue;
      if (x.what == history::verb::claim)
        newest_ = std::max(newest_, x.got.epoch.value_or(0));
      if (x.what == history::verb::append) {
        last_ = std::max(last_, x.first_seq + x.lines.size() - 1);
        seen_ = x;
      }
      ended_ |= x.what == history::verb::finish;
    }
  }

  void repeat_with_other_bytes() {
    if (seen_.lines.empty())
      return;
    auto line = seen_.lines.front() + "\n";
    line.front() = line.front() == 'X' ? 'Y' : 'X';
    append(newest_, seen_.first_seq, {}, line);
  }

  void write_as_a_loser() {
    auto held = epoch{newest_ - 1};
    switch (random().below(3)) {
    case 0:
      return finish(held);
    case 1:
      return ask<claim_granted>(begin(history::verb::renew, held),
                                renew_claim{site().run, held});
    default:
      return ask<claim_released>(begin(history::verb::release, held),
                                 release_claim{site().run, held});
    }
  }

  void change_what_has_ended() {
    switch (random().below(3)) {
    case 0:
      return finish(epoch{newest_});
    case 1:
      return append(newest_, last_ + 1, {}, "behind the end\n");
    default:
      break;
    }
    claim_run x;
    x.run = site().run;
    x.holder = site().name;
    x.ttl_ms = 1'000;
    x.steal = true;
    ask<claim_granted>(begin(history::verb::claim, {}), std::move(x));
  }

  void append(std::uint64_t held, std::uint64_t first,
              std::optional<std::uint64_t> at, const std::string& line) {
    append_lines x;
    x.run = site().run;
    x.epoch = epoch{held};
    x.first_seq = seq{first};
    x.has_begin = at.has_value();
    x.begin = position{at.value_or(0)};
    x.lines.add(line, false);
    auto op = begin(history::verb::append, x.epoch);
    operation(op).first_seq = first;
    operation(op).begin = at;
    operation(op).lines.push_back(line.substr(0, line.size() - 1));
    ask<append_done>(op, std::move(x));
  }

  void finish(epoch held) {
    finish_run x;
    x.run = site().run;
    x.epoch = held;
    x.outcome.status = run_status::failed;
    auto op = begin(history::verb::finish, held);
    operation(op).status = "failed";
    ask<run_finished>(op, std::move(x));
  }

  // -- requests, and what is remembered of them -------------------------------

  history::operation& operation(std::size_t i) {
    return options_.heard->all[i];
  }

  std::size_t begin(history::verb what, epoch held) {
    return options_.heard->begin(what, options_.client, site().name, held);
  }

  template <class Answer, class Request>
  void ask(std::size_t op, Request x) {
    self_
      ->request(site().coordinator, caf::duration{answer_timeout}, std::move(x))
      .then(
        [=, this](const Answer&) { told(op, history::outcome::ok, "taken"); },
        [=, this](const caf::error& why) {
          auto code = to_status(why).code;
          told(op, outcome_of(code), std::string{to_string(code)});
        });
  }

  void told(std::size_t op, history::outcome what, const std::string& words) {
    if (!*options_.alive)
      return;
    options_.heard->end(op, what);
    if (what != history::outcome::unknown)
      options_.judge->on_driver_refused(site().name, site().run, words);
  }

  caf::event_based_actor* self_;
  driver_options options_;
  std::uint64_t newest_ = 0;
  std::uint64_t last_ = 0;
  bool ended_ = false;
  int acts_ = 0;
  /// Some append that was acknowledged.
  history::operation seen_;
};

} // namespace

caf::behavior rude_driver(caf::event_based_actor* self,
                          const driver_options& options) {
  auto state = std::make_shared<rude_state>(self, options);
  state->later();
  return {[state](act_atom) { state->act(); }};
}

} // namespace baton::sim
