// SPDX-License-Identifier: MIT
// The claim coordinator's decisions: requests and time in; commits, and what
// may be told once they are durable, out.
//
// Guarantees: nothing is answered, ordered or published before every commit
// decided earlier is durable (I4, I6); a run has one driver at a time and every
// order carries its epoch (I1); each run that can be driven is, as soon as an
// eligible node is there (I9).
// Requires: the owner commits one batch at a time, in order, and calls
// committed() with the engine's outcomes.
// Threads: not thread-safe; owned by one actor. Reads the store, never writes.
// Failure: every refusal is an answer; a store that disagrees with the table is
// our own bug and stops the process.
// See README.md, "Life of a takeover".
#pragma once

#include "actors/clock.hpp"
#include "actors/coordinator/counters.hpp"
#include "actors/coordinator/deadlines.hpp"
#include "actors/coordinator/instance_table.hpp"
#include "actors/coordinator/node_table.hpp"
#include "actors/coordinator/reaper.hpp"
#include "messages/claim_messages.hpp"
#include "messages/view_messages.hpp"
#include "storage/fencing.hpp"
#include "storage/store.hpp"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <variant>
#include <vector>

namespace baton::coordinator {

struct policy {
  std::chrono::milliseconds lease{10'000};
  std::chrono::milliseconds detached_ttl{30 * 60'000};
  /// How much longer than a lease a holder may take to come back after the
  /// coordinator's restart.
  std::chrono::milliseconds grace{2'000};
  /// Between two sweeps of the reaper.
  std::chrono::milliseconds sweep_interval{30'000};
  /// How long the record and log of a run that ended are kept; 0: for ever.
  std::chrono::milliseconds retain{0};
};

inline std::uint64_t in_ms(std::chrono::milliseconds d) {
  return static_cast<std::uint64_t>(d.count());
}

/// Names a request until it is answered; the owner knows who asked.
using token = std::uint64_t;

/// Who writes: a run's own driver on a node, or somebody from outside, who may
/// drive external runs only.
enum class writer : std::uint8_t { node, outside };

/// Nothing happened, and why.
struct refusal {
  run_id run;
  epoch held;
  status why;
};

using answer =
  std::variant<refusal, run_created, run_view, claim_granted, claim_released,
               run_moved, append_done, launch_recorded, run_finished,
               run_removed, node_welcome, node_left, sandbox_list>;

struct reply {
  token to = 0;
  answer what;
};

struct node_order {
  node_id node;
  std::variant<drive_run, stop_drive, cancel_drive, destroy_sandbox,
               probe_sandbox>
    what;
};

/// The watched run's log grew.
struct log_growth {
  run_id run;
  shared_entries entries;
};

/// The watched run's record changed.
struct record_change {
  run_view view;
};

/// Something that the operator should hear.
struct notice {
  std::string text;
};

/// That life of the node is over, and its viewers with it.
struct node_lost {
  node_id node;
};

using effect =
  std::variant<reply, node_order, log_growth, record_change, notice, node_lost>;

/// A batch that has reached one of these takes no more: the sync of one batch
/// is what every answer behind it waits for, and leases go on meanwhile. 8 MiB
/// take 40 ms at 200 MB/s; a single append may be twice that.
constexpr std::size_t batch_bytes_full = 8 << 20;
constexpr std::size_t batch_entries_full = 16'384;

/// What to make durable next.
struct write_batch {
  std::vector<storage::commit> commits;
  struct removal {
    run_id run;
    std::uint64_t version = 0;
  };
  std::vector<removal> removals;
  /// Of sandboxes, apart from any commit. Written behind the commits and before
  /// the removals.
  instance_changes instances;

  /// Of the entries, and a guess at what each record takes.
  std::size_t entries = 0;
  std::size_t bytes = 0;

  bool empty() const {
    return commits.empty() && removals.empty() && instances.empty();
  }
};

class claim_table {
public:
  claim_table(const storage::store& source, policy rules);

  // -- life -------------------------------------------------------------------

  /// Takes over the live runs after a restart: epochs stay, holders get one
  /// lease to come back, the detached clocks go on from `uptime_ms`.
  void restore(std::vector<run_record> live,
               std::vector<instance_record> instances, std::uint64_t uptime_ms,
               instant now);

  /// The coordinator's uptime over all its lives.
  std::uint64_t uptime_ms(mono_time now) const;

  // -- requests ---------------------------------------------------------------

  void on(token from, const create_run& x, instant now);
  void on(token from, const cancel_run& x, instant now);
  void on(token from, const interrupt_run& x, instant now);
  void on(token from, const resume_run& x, instant now);
  void on(token from, const trim_run& x, instant now);
  void on(token from, const remove_run& x, instant now);
  void on(token from, const list_sandboxes& x, instant now);
  void on(token from, const remove_sandbox& x, instant now);
  void on(token from, const claim_run& x, instant now);
  void on(token from, const renew_claim& x, instant now);
  void on(token from, const release_claim& x, instant now);
  void on(token from, const takeover_run& x, instant now);
  void on(token from, append_lines x, instant now, writer who = writer::node);
  void on(token from, const record_launch& x, instant now);
  void on(token from, const finish_run& x, instant now,
          writer who = writer::node);
  /// Not ok: refused for that reason, and whoever asked gets no orders.
  status on(token from, const node_hello& x, instant now);
  void on(token from, const node_leaving& x, instant now);

  /// A sign of life; false: that life of the node has to say hello (again).
  bool on_beat(const node_beat& x, instant now);
  /// That life of the node is over: its runs go elsewhere.
  void on_node_down(const node_id& id, incarnation life, instant now,
                    const std::string& cause = "node_lost");
  void on_cancel_delivered(const cancel_delivered& x, instant now);
  void on_destroyed(const sandbox_destroyed& x, instant now);
  void on_viewers(const run_id& run, std::uint32_t viewers, instant now);
  /// Somebody watches: publish the run's growth from now on.
  void on_watch(const run_id& run);

  /// Handles what is due.
  void on_tick(instant now);
  std::optional<mono_time> next_deadline() const;

  // -- sweeps -----------------------------------------------------------------

  /// Looks at some of the runs that nobody watches (D3).
  void on_sweep(instant now);
  void on_probed(const sandbox_probed& x, instant now);
  /// Removes those of the stored runs whose end is older than is kept; the
  /// number of those.
  std::size_t retire(const std::vector<run_view>& stored, instant now);

  /// A sandbox that lies on a node (D7); absent: an instance record names it.
  struct judged {
    garbage what;
    /// The debt that was made of it.
    instance_key debt;
  };
  std::optional<judged> on_found(const node_id& node, const local_sandbox& x,
                                 bool remove, instant now);

  // -- reading ----------------------------------------------------------------

  /// The durable view of a run in memory, without a holder when it waits for a
  /// node; absent: look into the store.
  std::optional<run_view> find(const run_id& run) const;
  /// The run's creation is decided and not yet durable: nobody may see it.
  bool is_being_created(const run_id& run) const;
  /// All runs that have not ended, in creation order.
  std::vector<run_view> live() const;
  const node_table& nodes() const { return nodes_; }
  const tally& counted() const { return tally_; }
  const instance_table& instances() const { return instances_; }

  // -- durability -------------------------------------------------------------

  bool has_batch() const { return !waiting_.front().batch.empty(); }
  /// The oldest that waits. Requires: the batch before is committed.
  write_batch take_batch();
  /// The batch that was taken is durable. `batch` is given back so that its
  /// entries can be published without a copy.
  void committed(write_batch batch,
                 std::span<const storage::commit_outcome> outcomes,
                 instant now);

  /// What may be told now.
  std::vector<effect> take_effects();

private:
  struct run_entry {
    /// As decided; the base of the next decision.
    run_record decided;
    /// As shown; absent until the creation is durable.
    std::optional<run_record> durable;
    /// Commits that are decided and not yet durable.
    std::size_t undurable = 0;
    std::uint32_t viewers = 0;
    /// It must not outlive its viewers, and a restart lost sight of them.
    bool misses_viewers = false;
    bool watched = false;
    /// A live node drives it.
    bool driven = false;
    /// The version that the last claim made.
    std::uint64_t claimed_version = 0;
    bool removing = false;
  };

  struct parked_append {
    token from = 0;
    append_lines what;
  };

  // -- runs -------------------------------------------------------------------

  /// The run, loaded if need be; null: `refusal` was told to `from`.
  run_entry* look_up(token from, const run_id& id, epoch held = {});
  /// The same for what only external drivers do.
  run_entry* look_up_external(token from, const run_id& id, epoch held = {});
  void forget_if_ended(const run_id& id);
  run_view view_of(const run_entry& run) const;
  /// Requires: its creation is durable.
  run_view shown(const run_entry& run) const;
  bool is_durable(const run_entry& run) const { return run.undurable == 0; }

  // -- decisions --------------------------------------------------------------

  void stage(run_entry& run, storage::commit change);
  /// Changes of sandboxes that no run's commit carries.
  void stage(instance_changes changes);
  write_batch& open_batch();
  void tell(effect what);
  void refuse(token to, const run_id& run, epoch held, status why);
  claim_granted grant_of(const run_entry& run, std::uint64_t ttl_ms) const;
  append_done done_of(const run_entry& run, const append_lines& x,
                      bool duplicate) const;
  /// The entries that the first `count` lines of the append repeat.
  result<std::vector<entry>> stored_for(const run_entry& run,
                                        const append_lines& x,
                                        std::size_t count) const;
  void renew_by_append(const run_entry& run, instant now);

  void place(run_entry& run, const std::string& cause, instant now,
             const node_id& not_on = {});
  void drive_on(run_entry& run, const node_id& node, const std::string& cause,
                instant now);
  std::string tail_of(const run_entry& run) const;
  void let_go(run_entry& run);
  void push_cancel(run_entry& run, instant now);
  /// False: nothing changed.
  bool request_cancel(run_entry& run, errc cause, instant now);
  void end_without_driver(run_entry& run, instant now);
  void on_lease_lapsed(run_entry& run, instant now);
  void on_silence(instant now);
  /// The claims of the hello that are ahead of the store; absent: none is.
  std::optional<status> find_rollback(const node_hello& x) const;
  /// The node goes on with a claim that is still its own.
  void drive_goes_on(run_entry& run);
  void renew(const run_entry& run, std::uint64_t ttl_ms, instant now);
  void arm_detached(const run_entry& run, instant now);
  bool has_lease(const run_id& run, mono_time now) const;
  void settle(run_entry& run);

  // -- sandboxes --------------------------------------------------------------

  /// The label that a run's shared sandbox binds it to before its first launch.
  std::optional<std::string> bound_label(const run_entry& run) const;
  /// The shared sandbox is out of reach of the node that the run is on.
  bool is_misplaced(const run_entry& run) const;
  void order_debts(instant now);

  // -- sweeps -----------------------------------------------------------------

  reap_case case_of(const run_entry& run, instant now) const;
  void look_at(run_entry& run, instant now);
  void probe(run_entry& run, instant now);
  void on_expiry(run_entry& run, instant now);

  const storage::store& source_;
  policy policy_;
  std::uint64_t uptime_base_ms_ = 0;
  mono_time started_{};

  std::map<run_id, run_entry> runs_;
  node_table nodes_;
  deadlines deadlines_;
  /// Time-to-live of external claims, as asked for.
  std::map<run_id, std::uint64_t> ttl_ms_;
  instance_table instances_;
  tally tally_;

  /// The run that the last sweep looked at last.
  run_id swept_;
  /// Runs whose probe is not answered, and until when it should be.
  std::map<run_id, mono_time> probing_;
  /// The newest run number that is known to have been given out.
  run_no newest_;

  /// A batch, and what may be told once it is durable.
  struct staged {
    write_batch batch;
    std::vector<effect> behind;
  };

  /// Never empty; all but the last are full.
  std::deque<staged> waiting_{1};
  bool in_flight_ = false;
  std::vector<effect> behind_flight_;
  std::vector<effect> ready_;
  std::deque<parked_append> parked_;
};

} // namespace baton::coordinator
