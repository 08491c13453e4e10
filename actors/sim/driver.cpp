// SPDX-License-Identifier: MIT
#include "actors/sim/driver.hpp"

#include <utility>

namespace baton::sim {
namespace {

using std::chrono::milliseconds;

using claim_atom = caf::atom_constant<caf::atom("claim")>;
using next_atom = caf::atom_constant<caf::atom("next")>;

constexpr auto answer_timeout = std::chrono::seconds{3};
/// Identical requests without an answer, before the claim is doubted.
constexpr int tries_max = 4;

class driver_state {
public:
  driver_state(caf::event_based_actor* self, driver_options options)
    : self_(self), options_(std::move(options)) {
    // nop
  }

  void start() { later(claim_atom::value, 400); }

  void claim() {
    claim_run x;
    x.run = site().run;
    x.holder = site().name;
    x.ttl_ms = random().between(500, 4'000);
    x.steal = *options_.greedy || random().one_in(4);
    auto op = begin(history::verb::claim);
    operation(op).steal = x.steal;
    ask<claim_granted>(
      op, std::move(x),
      [this](const claim_granted& got, history::answer& told) {
        told.epoch = got.epoch.value;
        told.seq = got.next_seq.value;
        held_ = got.epoch;
        next_ = got.next_seq;
        cancelled_ = got.cancel_requested;
        tries_ = 0;
        later(next_atom::value, 50);
      },
      [this](errc code) {
        if (code == errc::terminal)
          self_->quit();
        else
          later(claim_atom::value, 1'500);
      });
  }

  void next() {
    if (next_.value > options_.entries || cancelled_)
      return finish();
    switch (random().below(16)) {
    case 0:
      return renew();
    case 1:
      return release();
    case 2: // Thinks for longer than a lease.
      return later(next_atom::value, 6'000);
    default:
      return append();
    }
  }

private:
  const driver_site& site() const { return options_.site; }
  seeded& random() { return options_.random; }

  template <class Atom>
  void later(Atom what, std::uint64_t ms_max) {
    self_->delayed_send(self_, milliseconds{random().below(ms_max) + 1}, what);
  }

  // -- requests, and what is remembered of them -------------------------------

  history::operation& operation(std::size_t i) {
    return options_.heard->all[i];
  }

  std::size_t begin(history::verb what) {
    return options_.heard->begin(what, options_.client, site().name, held_);
  }

  template <class Answer, class Request, class Yes, class No>
  void ask(std::size_t op, Request x, Yes yes, No no) {
    self_
      ->request(site().coordinator, caf::duration{answer_timeout}, std::move(x))
      .then(
        [=, this](const Answer& got) {
          if (!*options_.alive)
            return;
          options_.heard->end(op, history::outcome::ok);
          yes(got, operation(op).got);
        },
        [=, this](const caf::error& why) {
          if (!*options_.alive)
            return;
          auto code = to_status(why).code;
          options_.heard->end(op, outcome_of(code));
          if (code != errc::unavailable && code != errc::held)
            options_.judge->on_driver_refused(site().name, site().run,
                                              std::string{to_string(code)});
          no(code);
        });
  }

  /// After a refusal of what only a holder may do.
  void on_refused(errc code) {
    if (code == errc::terminal)
      return self_->quit();
    if (code == errc::mismatch)
      options_.judge->accuse("I3", site().run.str(),
                             site().name + " wrote entry "
                               + std::to_string(next_.value)
                               + " under its own epoch, and found other bytes "
                                 "there");
    if (outcome_of(code) == history::outcome::unknown && ++tries_ < tries_max)
      return later(next_atom::value, 1'000);
    sent_.reset();
    later(claim_atom::value, 2'000);
  }

  void append() {
    if (!sent_) {
      append_lines x;
      x.run = site().run;
      x.epoch = held_;
      x.first_seq = next_;
      auto n = random().between(1, 3);
      for (std::uint64_t i = 0; i < n; ++i)
        x.lines.add(driver_line(site().name, held_, seq{next_.value + i}),
                    false);
      sent_ = std::move(x);
    }
    auto op = begin(history::verb::append);
    operation(op).first_seq = sent_->first_seq.value;
    sent_->lines.for_each([&](std::string_view line, bool) {
      operation(op).lines.emplace_back(line.substr(0, line.size() - 1));
    });
    options_.judge->on_driver_append(site().name, *sent_);
    ask<append_done>(
      op, *sent_,
      [this](const append_done& got, history::answer& told) {
        told.seq = got.last_seq.value;
        told.duplicate = got.duplicate;
        options_.judge->on_driver_ack(site().name, got);
        next_.value = got.last_seq.value + 1;
        cancelled_ = got.cancel_requested;
        sent_.reset();
        tries_ = 0;
        later(next_atom::value, 800);
      },
      [this](errc code) { on_refused(code); });
  }

  void renew() {
    auto op = begin(history::verb::renew);
    ask<claim_granted>(
      op, renew_claim{site().run, held_},
      [this](const claim_granted& got, history::answer& told) {
        told.epoch = got.epoch.value;
        cancelled_ = got.cancel_requested;
        later(next_atom::value, 500);
      },
      [this](errc code) { on_refused(code); });
  }

  void release() {
    // What was not answered yet would be lost to it.
    if (sent_)
      return append();
    auto op = begin(history::verb::release);
    ask<claim_released>(
      op, release_claim{site().run, held_},
      [this](const claim_released&, history::answer&) {
        later(claim_atom::value, 2'000);
      },
      [this](errc) { later(claim_atom::value, 2'000); });
  }

  void finish() {
    finish_run x;
    x.run = site().run;
    x.epoch = held_;
    x.last_seq = seq{next_.value - 1};
    auto op = begin(history::verb::finish);
    operation(op).status = "completed";
    ask<run_finished>(
      op, std::move(x),
      [this](const run_finished&, history::answer&) { self_->quit(); },
      [this](errc code) { on_refused(code); });
  }

  caf::event_based_actor* self_;
  driver_options options_;
  epoch held_;
  seq next_{1};
  bool cancelled_ = false;
  /// Sent, and not answered.
  std::optional<append_lines> sent_;
  int tries_ = 0;
};

} // namespace

std::size_t run_history::begin(history::verb what, int client,
                               const std::string& node, epoch held) {
  history::operation x;
  x.what = what;
  x.client = client;
  x.node = node;
  x.invoked_ns = ++ticks;
  x.returned_ns = x.invoked_ns;
  x.epoch = held.value;
  all.push_back(std::move(x));
  return all.size() - 1;
}

void run_history::end(std::size_t operation, history::outcome what) {
  all[operation].got.what = what;
  all[operation].returned_ns = ++ticks;
}

history::outcome outcome_of(errc code) noexcept {
  switch (code) {
  case errc::held:
    return history::outcome::held;
  case errc::fenced:
    return history::outcome::fenced;
  case errc::gap:
    return history::outcome::gap;
  case errc::mismatch:
    return history::outcome::mismatch;
  case errc::terminal:
    return history::outcome::terminal;
  default:
    return history::outcome::unknown;
  }
}

caf::behavior driver(caf::event_based_actor* self,
                     const driver_options& options) {
  auto state = std::make_shared<driver_state>(self, options);
  state->start();
  return {
    [state](claim_atom) { state->claim(); },
    [state](next_atom) { state->next(); },
  };
}

} // namespace baton::sim
