// SPDX-License-Identifier: MIT
#include "actors/journal/journal_follower.hpp"

#include "actors/foreign_mail.hpp"
#include "actors/journal/first_byte.hpp"

#include <caf/event_based_actor.hpp>

#include <algorithm>

namespace baton::journal {
namespace {

using wake_atom = caf::atom_constant<caf::atom("wake")>;
using poll_atom = caf::atom_constant<caf::atom("poll")>;

/// Changes wake the follower at once; the poll notices a dead agent, which
/// changes no file, and what a lost notification would have told. Agents are
/// lost within 5 s: two polls and some slack.
constexpr auto poll_interval = std::chrono::seconds{1};

/// Reads of this size are the fastest from the page cache (three times those
/// of 1 MiB), and keep a batch's share of a commit small.
constexpr std::size_t batch_bytes = 64 * 1024;

/// Between two tries to read a journal that cannot be read: doubled from the
/// poll interval up to this.
constexpr auto retry_interval_max = std::chrono::seconds{30};

class follower_state {
public:
  follower_state(caf::event_based_actor* self, caf::actor run,
                 follow_options options)
    : self_(self), run_(std::move(run)), options_(std::move(options)) {
    if (options_.start.at.value > 0)
      first_byte_.came();
  }

  void start() {
    self_->delayed_send(self_, poll_interval, poll_atom::value);
    open();
  }

  void open() {
    // Weak: the source belongs to this actor and must not keep it alive.
    caf::weak_actor_ptr weak{self_->ctrl()};
    auto source = options_.provider->open_journal(options_.where, [weak] {
      if (auto strong = weak.lock())
        caf::anon_send(caf::actor_cast<caf::actor>(strong), wake_atom::value);
    });
    if (!source)
      return try_later(source.error());
    cursor_.emplace(*std::move(source), options_.start, options_.limits,
                    options_.nonce_hashes);
  }

  void ask() {
    asked_ = true;
    look();
  }

  void poll() {
    if (done_)
      return;
    look();
    self_->delayed_send(self_, poll_interval, poll_atom::value);
  }

  void look() {
    if (done_ || !asked_ || self_->clock().now() < try_at_)
      return;
    if (!cursor_)
      open();
    if (!cursor_)
      return;
    auto found = cursor_->next(batch_bytes, [this] { return ask_end(); });
    if (!found)
      return found.error().code == errc::journal_damaged
               ? give_up(found.error())
               : try_later(found.error());
    failures_ = 0;
    if (!found->lines.empty()) {
      asked_ = false;
      first_byte_.came();
      self_->send(run_, lines_read{found->begin, std::make_shared<line_batch>(
                                                   std::move(found->lines))});
      return;
    }
    if (found->reached_end)
      end();
    else if (std::exchange(stalled_, false) && is_empty())
      give_up(make_status(errc::journal_stalled,
                          "the journal has no byte in it, and for 10 s nobody "
                          "could say whether the agent lives"));
  }

  void tell_size() {
    if (!cursor_)
      return;
    if (auto size = cursor_->size())
      self_->send(run_, journal_size{*size});
  }

private:
  output_end ask_end() {
    auto probe = options_.provider->probe(options_.where);
    // An agent that cannot be probed is not thereby dead: ask again later, and
    // for as long as it takes where it is us who lack something.
    if (!probe) {
      stalled_ = probe.error().code != errc::unavailable
                 && first_byte_.is_stalled(self_->clock().now());
      return {};
    }
    first_byte_.writer_lives();
    if (probe->state == sandbox::agent_state::exited && is_genuine(*probe))
      exit_ = probe->exit;
    if (exit_)
      return {exit_->journal_end, false};
    // Followed journals have been launched into: a guard that is gone went
    // with the whole sandbox.
    return {std::nullopt, probe->state != sandbox::agent_state::alive};
  }

  bool is_empty() {
    auto size = cursor_->size();
    return size && size->value == 0;
  }

  bool is_genuine(const sandbox::probe_report& probe) const {
    return probe.exit
           && std::ranges::find(options_.nonce_hashes,
                                hash_of_nonce(probe.exit->nonce))
                != options_.nonce_hashes.end();
  }

  void end() {
    if (exit_) {
      done_ = true;
      self_->send(run_, journal_over{*exit_});
    } else if (const auto& mark = cursor_->marker()) {
      done_ = true;
      self_->send(
        run_,
        journal_over{
          {mark->code, mark->signal, mark->journal_end, std::nullopt, {}}});
    } else {
      give_up(make_status(errc::agent_lost,
                          "agent and shim ended without an exit record; how "
                          "the agent ended is not known"));
    }
  }

  void try_later(const status& why) {
    using namespace std::chrono;
    options_.warn(why.message + "; the run goes on, it is tried again");
    auto pause = std::min<milliseconds>(
      duration_cast<milliseconds>(poll_interval) * (1 << failures_),
      retry_interval_max);
    failures_ = std::min(failures_ + 1, 10);
    try_at_ = self_->clock().now() + pause;
  }

  void give_up(const status& why) {
    done_ = true;
    self_->send(run_, journal_broken{why});
  }

  caf::event_based_actor* self_;
  caf::actor run_;
  follow_options options_;
  std::optional<journal_cursor> cursor_;
  std::optional<sandbox::exit_report> exit_;
  first_byte first_byte_;
  bool stalled_ = false;
  bool asked_ = false;
  bool done_ = false;
  int failures_ = 0;
  /// Not before.
  caf::actor_clock::time_point try_at_{};
};

} // namespace

caf::behavior journal_follower(caf::event_based_actor* self, caf::actor run,
                               const follow_options& options) {
  // The run's end is this actor's, an orderly one included.
  self->link_to(run);
  self->set_exit_handler([self](caf::exit_msg& x) { self->quit(x.reason); });
  survive_foreign_mail(*self);
  auto state = std::make_shared<follower_state>(self, std::move(run), options);
  state->start();
  return {
    [state](read_lines) { state->ask(); },
    [state](read_size) { state->tell_size(); },
    [state](wake_atom) { state->look(); },
    [state](poll_atom) { state->poll(); },
  };
}

} // namespace baton::journal
