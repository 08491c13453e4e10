// SPDX-License-Identifier: MIT
#include "actors/node/leftover_sweep.hpp"

#include "actors/node/leftover.hpp"
#include "actors/sandbox/sandbox_host.hpp"
#include "messages/run_messages.hpp"
#include "messages/sandbox_messages.hpp"

#include <caf/event_based_actor.hpp>

#include <set>
#include <utility>

namespace baton::node {
namespace {

/// A coordinator that does not answer is met by the next start.
constexpr auto answer_timeout = std::chrono::seconds{30};
constexpr auto again_interval = std::chrono::seconds{5};

using look_again_atom = caf::atom_constant<caf::atom("lookagain")>;

using found_list = std::vector<sandbox::provider_sandbox>;

class sweep_state {
public:
  sweep_state(caf::event_based_actor* self, node_id node, wall_time now,
              caf::actor coordinator, caf::actor host,
              std::function<void(const std::string&)> warn)
    : self_(self),
      node_(std::move(node)),
      now_(now),
      coordinator_(std::move(coordinator)),
      host_(std::move(host)),
      warn_(std::move(warn)) {
    // nop
  }

  void begin(found_list all) {
    // Shared workspaces are no run's: the list of what must be destroyed tells
    // when they go.
    std::erase_if(all, [](const auto& x) { return x.what.is_instance; });
    all_ = std::move(all);
    self_->request(coordinator_, answer_timeout, list_sandboxes{})
      .then(
        [this](const sandbox_list& listed) {
          for (const auto& x : listed.sandboxes)
            listed_.insert(x.id);
          begin_pass();
        },
        [this](const caf::error&) { self_->quit(); });
  }

  /// Over the guards that were kept.
  void look_again() {
    all_ = std::exchange(kept_, {});
    next_ = 0;
    begin_pass();
  }

private:
  void begin_pass() {
    self_->request(coordinator_, answer_timeout, list_nodes{})
      .then(
        [this](const node_list& x) {
          nodes_ = x.nodes;
          ask_next();
        },
        [this](const caf::error&) { self_->quit(); });
  }

  /// Other nodes come back in their own time.
  void end_pass() {
    if (kept_.empty())
      self_->quit();
    else
      self_->delayed_send(self_, again_interval, look_again_atom::value);
  }

  /// One question at a time: a start has more urgent work.
  void ask_next() {
    if (next_ == all_.size())
      return end_pass();
    const auto& found = all_[next_];
    // The run with exactly that number, if there is one.
    list_runs ask;
    ask.after = run_no{found.what.run.value - 1};
    ask.limit = 1;
    self_->request(coordinator_, answer_timeout, ask)
      .then([this](const run_page& page) { judge(page); },
            [this](const caf::error&) { self_->quit(); });
  }

  void judge(const run_page& page) {
    const auto& found = all_[next_++];
    const run_record* run = nullptr;
    if (!page.runs.empty()
        && page.runs.front().record.state.no == found.what.run)
      run = &page.runs.front().record;
    // What stands on the list of sandboxes is going, or kept on purpose, and no
    // sweep for the rest shows it.
    if (run == nullptr && !found.what.is_guard
        && !listed_.contains(found.what.where.id))
      warn_("sandbox " + found.what.where.id
            + " belongs to no run that the store knows (look at it with baton "
              "gc --dry-run)");
    if (found.what.is_guard && run != nullptr)
      return ask_claims(found, *run);
    if (found.what.is_guard && may_forget_lone(found.what, now_))
      forget(found);
    ask_next();
  }

  void ask_claims(const sandbox::provider_sandbox& found,
                  const run_record& run) {
    self_->request(coordinator_, answer_timeout, get_claims{run.id()})
      .then(
        [this, found, run](const claim_history& x) {
          if (may_forget(node_, found.what, run, x.claims, nodes_))
            forget(found);
          else if (is_terminal(run.state.status))
            kept_.push_back(found);
          ask_next();
        },
        [this](const caf::error&) { ask_next(); });
  }

  static void forget(const sandbox::provider_sandbox& found) {
    ignore_result(found.where->forget(found.what.where),
                  "the next start meets it again");
  }

  caf::event_based_actor* self_;
  node_id node_;
  wall_time now_;
  caf::actor coordinator_;
  caf::actor host_;
  std::function<void(const std::string&)> warn_;
  found_list all_;
  std::set<std::string> listed_;
  std::size_t next_ = 0;
  std::vector<node_view> nodes_;
  found_list kept_;
};

} // namespace

caf::behavior
leftover_sweep(caf::event_based_actor* self, const node_id& node, wall_time now,
               const caf::actor& coordinator, const caf::actor& host,
               std::vector<std::shared_ptr<sandbox::provider>> providers,
               std::function<void(const std::string&)> warn) {
  auto state = std::make_shared<sweep_state>(self, node, now, coordinator, host,
                                             std::move(warn));
  self->send(host, sandbox::list_request{std::move(providers)});
  return {
    [state](sandbox::sandboxes_found& x) { state->begin(std::move(x.all)); },
    [state](look_again_atom) { state->look_again(); },
  };
}

} // namespace baton::node
