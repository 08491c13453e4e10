// SPDX-License-Identifier: MIT
// A cluster in use: runs that agents or drivers from outside carry on, viewers
// and persons, and faults that strike when they are planned.
//
// Guarantees: the same shape gives the same steps; judged with every step.
// Threads: one.
// See README.md, "sim".
#pragma once

#include "actors/sim/cluster.hpp"
#include "actors/sim/driver.hpp"
#include "actors/sim/people.hpp"
#include "actors/sim/rocksdb_engine.hpp"
#include "actors/sim/shape.hpp"
#include "actors/sim/trace.hpp"
#include "actors/sim/witness.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace baton::sim {

/// A driver of the user's own.
struct custom_driver {
  std::string name;
  std::function<caf::behavior(caf::event_based_actor*, const driver_site&)>
    make;
};

/// An external run of the user's own; its log must be the beginning of
/// `source`, and all of it once the run is completed.
struct custom_run {
  run_id id;
  std::string source;
};

/// What a user adds to a world.
struct additions {
  std::vector<custom_run> runs;
  /// Each drives each of the runs, from one of the workers: killed with it,
  /// started again with it, cut off with it.
  std::vector<custom_driver> drivers;
  /// An invariant of the user's own, looked at after each commit: what is
  /// wrong, or nothing.
  std::function<std::optional<std::string>(const witness&)> check;
};

class world {
public:
  explicit world(shape what, additions more = {});
  ~world();

  world(const world&) = delete;
  world& operator=(const world&) = delete;

  /// To the end: faults, healing, and as long as is left to it; or to the
  /// first violation. A world that takes more steps is cut off, and with
  /// `judge_all` that breaks I9.
  void run(std::size_t steps_max, bool judge_all);

  const witness& judge() const { return judge_; }
  const trace& story() const { return trace_; }
  const std::map<run_id, std::shared_ptr<run_history>>& histories() const {
    return histories_;
  }
  std::size_t steps() const { return steps_; }
  world_time now() const { return cluster_.agenda.now(); }
  std::size_t messages() const { return cluster_.network.delivered; }

private:
  struct seated_viewer {
    std::shared_ptr<viewing> what;
    std::size_t node = 0;
    caf::actor who;
    /// False once it left: what it still hears counts no more.
    std::shared_ptr<bool> here;
  };

  struct seated_driver {
    run_id run;
    std::string name;
    std::size_t node = 0;
    std::uint64_t entries = 0;
    /// Null: one of ours.
    const custom_driver* custom = nullptr;
    std::string source;
    /// Breaks the contract on purpose.
    bool rude = false;
  };

  std::shared_ptr<storage::store> make_engine();
  void listen();
  void plan();

  // -- those who use it -------------------------------------------------------

  void create(const run_id& id, bool external);
  void on_created(const run_id& id);
  void seat(std::size_t viewer, std::size_t node);
  void unseat(seated_viewer& x);
  void reseat_later(std::size_t viewer);
  void start_driver(std::size_t which);
  void replace(const run_id& id);
  void cancel(const run_id& id);
  void collect_garbage();
  void take_over(const run_id& id);
  /// Steals the claim of a run of the user's, and does nothing with it.
  void rob(const run_id& id);
  /// Whoever wanted it does not want it any more, and the agent would wait for
  /// ever.
  void regret(const planned_run& x, seeded& random);
  /// Asks at some node, again and again, until it is told yes or no.
  template <class Answer, class Request>
  void insist(Request x, std::function<void(const result<Answer>&)> told);
  std::size_t some_node();
  void on_killed(std::size_t node);
  void on_started(std::size_t node);

  // -- faults (world_faults.cpp) ----------------------------------------------

  void strike(const planned_fault& x);
  void strike_node(const planned_fault& x);
  void strike_network(const planned_fault& x);
  /// Agents end while their nodes find the coordinator again: a run's end may
  /// get ahead of entries that were lost on the way.
  void end_amid_reconnect();
  void strike_coordinator(const planned_fault& x);
  void strike_agent(const planned_fault& x);
  void kill_agent(const run_id& id, fault_kind how,
                  const std::string& last_words = {});
  void storm(const planned_fault& x);
  void viewer_gust(world_time until);
  /// The coordinator decides something of each run that the worker drives, and
  /// dies before the worker hears of it.
  void mislead(std::size_t at, const std::function<void(const run_id&)>& order);
  std::optional<std::size_t> worker_to_mislead(const planned_fault& x) const;
  /// Once, at the coordinator.
  void cancel_here(const run_id& id);
  std::optional<std::size_t> some_driving_worker() const;
  void begin(const planned_fault& x, std::size_t node);
  void end(const planned_fault& x, std::size_t node);
  void restart_later(std::size_t node, world_time pause);
  /// It never comes back; who worked there goes elsewhere.
  void lose(std::size_t node);
  bool has(fault_kind x) const;
  void heal();
  void end_hanging();
  /// Until every node that lives is in the cluster.
  void call_the_roll();
  /// The n-th node beside the coordinator's, round and round.
  std::size_t worker(std::size_t n) const;
  const run_id& run_of(const planned_fault& x) const;

  bool is_settled() const;
  void finish();

  shape shape_;
  /// Null: the store is memory.
  std::unique_ptr<rocksdb_engine> rocksdb_;
  additions more_;
  sim::trace trace_;
  sim::cluster cluster_;
  witness judge_;
  seeded random_;
  /// Nodes that are gone for good.
  std::set<std::size_t> lost_;
  std::vector<run_id> ids_;
  std::set<run_id> created_;
  /// How long after their creation these are cancelled.
  std::map<run_id, world_time> regretted_;
  std::vector<seated_viewer> viewers_;
  std::vector<seated_driver> drivers_;
  std::map<run_id, std::shared_ptr<run_history>> histories_;
  std::shared_ptr<bool> greedy_ = std::make_shared<bool>(false);
  int clients_ = 0;
  std::size_t open_questions_ = 0;
  std::size_t steps_ = 0;
  bool healed_ = false;
  /// All are here; who is not, when somebody was missing.
  bool roll_is_full_ = false;
  std::string missing_;
};

} // namespace baton::sim
