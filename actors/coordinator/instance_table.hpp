// SPDX-License-Identifier: MIT
// Which sandboxes exist, who uses them, and which of them have to go.
//
//   launch recorded --> ready --> must_destroy --> (destroyed) --> gone
//                         |            ^
//                         `-> kept ----' rm, or somebody says so
//
// Guarantees: at most one sandbox per key, and one that should die stands on
// the list until a node says that it is gone (I10). The caller makes each
// change durable, in order, before anybody acts on it.
// Threads: value type, owned by the claim table.
// See README.md, "Nothing is forgotten".
#pragma once

#include "actors/clock.hpp"
#include "messages/claim_messages.hpp"
#include "messages/sandbox_messages.hpp"
#include "storage/store.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace baton::coordinator {

/// Between two tries to destroy: doubled from the first up to the last.
constexpr std::chrono::milliseconds destroy_pause_min{1'000};
constexpr std::chrono::milliseconds destroy_pause_max{5 * 60'000};
/// A node kills for 10 s before it gives up; one that takes three times as long
/// will not answer.
constexpr std::chrono::milliseconds destroy_answer_timeout{30'000};

/// The run's end was not seen, or its journal is not what it should be: what is
/// in its sandbox may be wanted (B12). A lost agent's journal is in the log to
/// its last byte, so nothing of it can be.
bool left_evidence(const run_state& state);

using instance_changes = std::vector<storage::instance_change>;

class instance_table {
public:
  // -- life -------------------------------------------------------------------

  /// Takes over what the store has. `find` gives the record of a run that is
  /// not among `live`, null when there is none. The changes are what a death
  /// left undone.
  instance_changes
  restore(std::vector<instance_record> stored,
          const std::vector<run_record>& live,
          const std::function<std::optional<run_record>(const run_id&)>& find,
          instant now);

  // -- runs -------------------------------------------------------------------

  /// What the first launch of a run comes to.
  struct placing {
    sandbox_binding where;
    instance_changes changes;
  };

  /// The node's proposal, with the shared sandbox that exists already in place
  /// of the proposed one. errc::unavailable while that one is on its way out.
  /// Changes nothing: take() does.
  result<placing> place(const run_record& run, const record_launch& proposal,
                        const std::string& host_label, wall_time now) const;

  /// The placing is decided: the run uses what it names.
  void take(const run_record& run, const placing& what);

  /// The sandbox of a live run that no record names.
  instance_changes adopt(const run_record& run, wall_time now);

  /// Where the run's shared sandbox is reached; absent: there is none yet.
  std::optional<std::string> label_of_shared(const run_spec& spec) const;

  /// The run has ended as `ended` says.
  instance_changes end(const run_record& ended);

  /// The run's record goes: nobody can look at what was kept of it.
  instance_changes forget_run(const run_id& run);

  sandbox_stage stage_of(const run_record& run) const;

  // -- debts ------------------------------------------------------------------

  /// From now on it has to go. errc::unknown_sandbox; errc::not_terminal while
  /// a run uses it.
  result<instance_changes> doom(const instance_key& key);

  /// Something that no record names and that has to go.
  instance_changes owe(instance_record what);

  /// Debts that are due and that nobody works on.
  std::vector<instance_record> due(mono_time now) const;
  std::optional<mono_time> next() const;

  /// The node was told to destroy it.
  void ordered(const instance_key& key, const node_id& node, mono_time now);

  /// What came of an order; `x.code` other than none: not destroyed yet.
  instance_changes answered(const sandbox_destroyed& x, instant now);

  /// Nobody can destroy it; `why` for people. Looked at again by wake().
  instance_changes nobody_can(const instance_key& key, const std::string& why);

  /// Orders that the node never answered.
  struct overdue {
    instance_key key;
    std::string id;
    node_id node;
  };
  std::vector<overdue> unanswered(mono_time now) const;

  /// What was ordered from the node has to be ordered again.
  void node_gone(const node_id& node);
  /// A node came: what nobody could do may be done now.
  void wake();

  // -- looking ----------------------------------------------------------------

  const instance_record* find(const instance_key& key) const;
  const instance_record* find(const std::string& provider,
                              const std::string& id) const;
  std::vector<instance_record> all() const;

private:
  struct slot {
    instance_record record;
    /// Runs that have not ended.
    std::set<run_id> users;
    /// Who was told to destroy it.
    std::optional<node_id> ordered_from;
    /// When to act: to order, or to give up waiting.
    mono_time at{};
    bool waits_for_node = false;
  };

  /// Puts the record there and schedules what it needs.
  slot& put(instance_record record);
  void erase(const instance_key& key);
  void schedule(slot& x, mono_time at);
  void unschedule(const slot& x);
  storage::instance_change condemn(slot& x);

  std::map<instance_key, slot> all_;
  std::map<std::pair<std::string, std::string>, instance_key> by_id_;
  /// Debts that nobody uses any more, by when to act.
  std::set<std::pair<mono_time, instance_key>> agenda_;
};

} // namespace baton::coordinator
