// SPDX-License-Identifier: MIT
// Judges a world by what an outsider sees: what became durable, what was
// acknowledged, what viewers were given, what agents wrote.
//
// Guarantees: shares no rule with the code under test; checks I1 to I8 with
// every commit, answer and page, and tells the story of what it saw.
// Threads: one.
#pragma once

#include "actors/sim/agents.hpp"
#include "actors/sim/trace.hpp"
#include "messages/claim_messages.hpp"
#include "messages/instance_record.hpp"
#include "messages/view_messages.hpp"
#include "storage/store.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace baton::sim {

struct violation {
  /// `I1` to `I12`, or `check` for a user's own.
  std::string invariant;
  std::string run;
  /// What was expected, what was found.
  std::string text;
};

/// What became durable of a run, as it was seen.
struct durable_run {
  run_no no;
  bool external = false;
  std::uint64_t version = 0;
  std::uint64_t epoch = 0;
  run_status status = run_status::running;
  std::string holder;
  std::string sandbox;
  /// As created, before any claim.
  std::uint64_t first_epoch = 0;
  std::uint64_t last_seq = 0;
  /// The log's bytes, and where each entry ends in them.
  std::string bytes;
  std::vector<std::uint64_t> ends;
  /// The epoch of each entry.
  std::vector<std::uint64_t> epochs;
  std::vector<claim_note> claims;
  std::vector<std::string> nonce_hashes;
  bool cancelled = false;
  errc cancel_cause = errc::none;
  /// Since when the record says that nobody watches.
  std::optional<world_time> detached_at;
  std::optional<run_error> error;
  std::optional<int> exit_code;
  /// The trace's event of the commit that made the log this long.
  std::map<std::uint64_t, std::size_t> commits;
};

class witness : public agent_world::watcher {
public:
  witness(trace& story, const agent_world& agents,
          std::function<world_time()> now);

  // -- what it is shown -------------------------------------------------------

  void on_commit(const storage::commit& c, const storage::commit_outcome& got);
  void on_remove(const run_id& run);
  /// A coordinator begins: everything that was durable is there.
  void on_recovered(const storage::store& contents);
  /// A message leaves the coordinator: it may tell only what is durable.
  void on_told(const caf::message& x, const std::string& to_node);
  /// A message leaves a node for the coordinator.
  void on_asked(const caf::message& x, const std::string& from_node);
  void on_lost(const caf::message& x, const std::string& from);
  void on_driver_append(const std::string& driver, const append_lines& x);
  void on_driver_ack(const std::string& driver, const append_done& x);
  void on_driver_refused(const std::string& driver, const run_id& run,
                         const std::string& why);
  /// What a driver of the user's own does: told for people, and neither judged
  /// nor in the hash.
  void show_driver_append(const std::string& driver, const append_lines& x);
  void show_driver_ack(const std::string& driver, const append_done& x,
                       const std::string& text);
  void show_driver(event_kind what, const std::string& driver,
                   const run_id& run, std::uint64_t epoch, std::uint64_t last,
                   const std::string& text);
  void on_page(const std::string& viewer, const run_id& run, seq after,
               const entry_page& page);
  void on_cancel_asked(const run_id& run) { asked_cancels_.insert(run); }
  bool was_cancelled(const run_id& run) const {
    auto i = runs_.find(run);
    return i != runs_.end() && i->second.cancelled;
  }
  /// `life`: of the id when the cancel was asked for.
  void on_cancel_acknowledged(const run_id& run, std::uint64_t life);
  /// How often a run of that id was removed.
  std::uint64_t life_of(const run_id& run) const {
    auto i = lives_.find(run);
    return i == lives_.end() ? 0 : i->second;
  }
  void on_created(const run_id& run);

  void on_launch(const agent& x) override;
  void on_output(const agent& x, std::string_view bytes) override;
  void on_exit(const agent& x) override;
  void on_destroy(const agent& x) override;

  /// Everything was healed long ago: each run has ended, and truly.
  void on_settled(const storage::store& contents);

  /// The source of an external run: its log must be the beginning of it.
  void expect(const run_id& run, std::string source);

  // -- what it says -----------------------------------------------------------

  void tell(event_kind what, lane_kind who, const std::string& name,
            std::string text, const std::string& run = {});
  /// The coordinator will die, with an event of its own.
  void tell_armed(std::string text, const std::string& detail);
  /// An armed death comes true.
  void show_death();
  /// `detail` is for people, and not in the hash.
  void accuse(const std::string& invariant, const std::string& run,
              std::string text, const std::string& detail = {});
  const std::optional<violation>& broken() const { return broken_; }
  const std::map<run_id, durable_run>& runs() const { return runs_; }
  const trace& story() const { return trace_; }
  /// A user's own invariant, looked at after each commit.
  std::function<std::optional<std::string>(const witness&)> also;
  /// After so long without a viewer a run expires.
  world_time detached_ttl{};
  /// From then on each node lives and is within reach; absent: not known.
  std::optional<world_time> nodes_stay_from;
  /// Where people's nodes and drivers are, to tell lanes apart.
  std::set<std::string> nodes;

private:
  std::size_t put(event_kind what, std::size_t lane, const std::string& run,
                  std::uint64_t epoch, std::uint64_t first, std::uint64_t last,
                  std::string text, std::optional<std::size_t> cause = {});
  std::int64_t now_us() const;
  std::optional<std::size_t> sent_by(const append_lines& x) const;
  std::size_t lane_of_holder(const std::string& holder);
  std::size_t coordinator_lane();
  std::size_t agent_lane(const agent& x);
  void check_epoch(durable_run& run, const storage::commit& c);
  void check_entries(durable_run& run, const storage::commit& c);
  void check_expiry(durable_run& run, const storage::commit& c);
  void check_abort(const durable_run& run, const storage::commit& c);
  void check_takeover(const durable_run& run, const storage::commit& c);
  void check_bytes(const durable_run& run, const run_id& id, const entry& e);
  void check_told(const run_record& x);
  void check_end(const run_id& id, const durable_run& run);
  void check_sandboxes(const storage::store& contents);
  void check_left(const instance_record& x);
  void tell_commit(durable_run& run, const storage::commit& c);

  trace& trace_;
  const agent_world& agents_;
  std::function<world_time()> now_;
  std::map<run_id, durable_run> runs_;
  /// The highest epoch that an id ever had, over removals.
  std::map<run_id, std::uint64_t> epochs_;
  std::map<run_id, std::uint64_t> lives_;
  /// The last version of each run that was removed: an answer that was decided
  /// before may still tell of it.
  std::map<run_no, std::uint64_t> removed_;
  std::map<run_id, std::string> sources_;
  std::map<run_id, std::size_t> launches_;
  std::map<std::pair<run_id, std::uint64_t>, std::size_t> appends_;
  std::set<run_id> cancels_;
  std::set<run_id> asked_cancels_;
  std::optional<std::size_t> last_fault_;
  std::optional<violation> broken_;
};

/// A line that names the epoch under which it was written: how an external
/// driver's log can be judged.
std::string driver_line(const std::string& driver, epoch held, seq at);

} // namespace baton::sim
