// SPDX-License-Identifier: MIT
// Scripted agents, and a provider that reaches them. Agents outlive the nodes;
// each life of a node has a provider of its own, which has no effect any more
// when that life ends.
// Guarantees: as provider.hpp, the launch guard (I7) included.
// Threads: one.
#pragma once

#include "actors/sandbox/provider.hpp"
#include "actors/sim/agenda.hpp"
#include "actors/sim/seeded.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace baton::sim {

/// What an agent does if nobody disturbs it.
struct agent_script {
  struct piece {
    world_time pause{};
    std::string bytes;
  };
  std::vector<piece> pieces;
  int exit_code = 0;
  /// How its end is told; by neither: it was lost.
  bool writes_marker = true;
  bool leaves_report = true;
  /// After its pieces it only waits, until it is killed.
  bool hangs = false;
};

/// Lines of odd lengths in odd pieces, some of which look like the marker of an
/// end, spread over about that time.
agent_script make_script(seeded& random, world_time length);

struct agent {
  run_id run;
  /// Of its sandbox.
  std::string id;
  agent_script script;
  bool guard_taken = false;
  /// There is a sandbox of it.
  bool on_disk = false;
  bool alive = false;
  bool told_to_die = false;
  /// Its place in the order of all launches.
  std::size_t launched = 0;
  std::size_t next_piece = 0;
  std::string nonce;
  /// The journal's bytes, marker included; gone after remove().
  std::string journal;
  /// Everything the agent ever wrote.
  std::string written;
  /// It did not end by itself.
  bool killed = false;
  /// It ended, and how is not known.
  bool lost = false;
  std::optional<sandbox::exit_report> exit;
  std::map<std::uint64_t, std::function<void()>> watchers;
};

class agent_world {
public:
  agent_world(agenda& when, seeded random);

  /// What the run's agent will do.
  void plan(const run_id& run, agent_script script);

  /// Kills the run's agent, if one lives, as somebody outside would; with
  /// `shim`, whoever would have told of its end dies, too.
  bool strike(const run_id& run, bool shim, const std::string& last_words = {});

  const std::map<std::string, agent>& all() const { return agents_; }
  /// The run's last agent; an id may be used again.
  const agent* of(const run_id& run) const;
  bool any_alive() const;

  /// Of that many reads, probes, openings and removals one fails; 0: none does.
  std::uint64_t one_fails_in = 0;

  struct watcher {
    virtual ~watcher() = default;
    virtual void on_launch(const agent&) {}
    virtual void on_output(const agent&, std::string_view) {}
    virtual void on_exit(const agent&) {}
    /// A sandbox that was there is removed.
    virtual void on_destroy(const agent&) {}
  };
  watcher* watch = nullptr;

private:
  friend class agent_journal;
  friend class agent_provider;

  agent& at(const std::string& id) { return agents_[id]; }
  sandbox::launch_outcome launch(const sandbox::launch_order& order);
  void kill(const std::string& id);
  void turn_later(const std::string& id);
  void turn(agent& x);
  void write(agent& x, const std::string& bytes);
  void end(agent& x, int code, std::optional<int> signal);
  bool fails() { return one_fails_in != 0 && random_.one_in(one_fails_in); }

  agenda& agenda_;
  seeded random_;
  std::map<run_id, agent_script> plans_;
  /// By sandbox id.
  std::map<std::string, agent> agents_;
  std::uint64_t last_watcher_ = 0;
  std::size_t last_launch_ = 0;
};

class agent_provider : public sandbox::provider {
public:
  explicit agent_provider(std::shared_ptr<agent_world> world)
    : world_(std::move(world)) {}

  /// The node that holds this provider is dead.
  void cut_off() { dead_ = true; }
  /// Launches take effect so much later from now on, and are not known to.
  void delay_launches(world_time by) { late_ = by; }

  std::string_view name() const noexcept override { return "local"; }
  sandbox::capabilities can() const noexcept override;
  std::string make_id(const run_id& run, run_no no) const override;
  result<sandbox::launch_outcome>
  launch(const sandbox::launch_order& order) override;
  result<sandbox::probe_report> probe(const sandbox_binding& where) override;
  result<std::unique_ptr<sandbox::journal_source>>
  open_journal(const sandbox_binding& where,
               std::function<void()> on_change) override;
  status kill(const sandbox_binding& where) override;
  result<std::string> stderr_tail(const sandbox_binding& where,
                                  std::size_t bytes_max) override;
  status remove(const sandbox_binding& where) override;
  result<std::vector<sandbox::found_sandbox>> list() override;

private:
  static status gone();

  std::shared_ptr<agent_world> world_;
  bool dead_ = false;
  world_time late_{};
};

} // namespace baton::sim
