// SPDX-License-Identifier: MIT
// Scripted agents in memory, and a provider that reaches them. The world
// outlives the nodes; each life of a node has a provider of its own, which
// stops having any effect when that life ends.
// Guarantees: as provider.hpp, the launch guard (I7) included.
// Threads: one.
#pragma once

#include "actors/sandbox/provider.hpp"
#include "messages/exit_marker.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <vector>

namespace baton::test {

struct fake_agent {
  bool guard_taken = false;
  /// There is a sandbox of it.
  bool on_disk = false;
  bool alive = false;
  bool told_to_die = false;
  std::size_t launches = 0;
  /// What it writes, piece by piece.
  std::vector<std::string> script;
  std::size_t next_piece = 0;
  std::string nonce;
  /// The journal's bytes, marker included; gone after remove().
  std::string journal;
  /// Everything the agent ever wrote.
  std::string written;
  std::optional<sandbox::exit_report> exit;
  std::map<int, std::function<void()>> watchers;
  /// So many reads of its journal fail from now on.
  int read_failures = 0;

  void tell_watchers() const {
    for (const auto& [id, changed] : watchers)
      changed();
  }
};

class fake_world {
public:
  /// The script of agents launched from now on.
  std::vector<std::string> script{"one\n", "two\n"};
  int exit_code = 0;
  /// How the end of an agent is told; neither: it was lost.
  bool writes_marker = true;
  bool leaves_report = true;
  /// So many calls about agents throw from now on.
  int throws = 0;
  /// So many journals cannot be opened from now on.
  int open_failures = 0;
  std::map<std::string, fake_agent> agents;
  /// Shared workspaces that exist.
  std::set<std::string> shared;
  /// So many removals fail from now on.
  int remove_failures = 0;

  bool any_alive() const {
    return std::ranges::any_of(agents,
                               [](const auto& x) { return x.second.alive; });
  }

  /// The living agent with that number (modulo) writes its next piece, or ends.
  void step(std::size_t which) {
    std::vector<fake_agent*> living;
    for (auto& [id, x] : agents)
      if (x.alive)
        living.push_back(&x);
    if (!living.empty())
      step(*living[which % living.size()]);
  }

private:
  void step(fake_agent& x) {
    if (!x.told_to_die && x.next_piece < x.script.size()) {
      const auto& piece = x.script[x.next_piece++];
      x.journal += piece;
      x.written += piece;
    } else {
      end(x);
    }
    x.tell_watchers();
  }

  void end(fake_agent& x) {
    sandbox::exit_report report;
    report.code = x.told_to_die ? 143 : exit_code;
    if (x.told_to_die)
      report.signal = 15;
    report.journal_end = position{x.journal.size()};
    report.nonce = x.nonce;
    if (writes_marker && !x.journal.empty() && x.journal.back() != '\n')
      x.journal += '\n';
    if (writes_marker)
      x.journal += write_exit_marker(
        {report.code, report.signal, report.journal_end}, x.nonce);
    if (leaves_report)
      x.exit = report;
    x.alive = false;
  }
};

class fake_journal : public sandbox::journal_source {
public:
  fake_journal(fake_agent& agent, int id, std::function<void()> on_change)
    : agent_(agent), id_(id) {
    agent_.watchers.emplace(id_, std::move(on_change));
  }

  ~fake_journal() override { agent_.watchers.erase(id_); }

  result<std::size_t> read(position from, std::span<char> out) override {
    if (agent_.read_failures > 0) {
      agent_.read_failures -= 1;
      return {errc::io_failed, "a disk that comes back"};
    }
    if (from.value >= agent_.journal.size())
      return std::size_t{0};
    return agent_.journal.copy(out.data(), out.size(), from.value);
  }

  result<position> size() override { return position{agent_.journal.size()}; }

private:
  fake_agent& agent_;
  int id_;
};

class fake_provider : public sandbox::provider {
public:
  explicit fake_provider(std::shared_ptr<fake_world> world)
    : world_(std::move(world)) {}

  /// The node that holds this provider is dead.
  void cut_off() { dead_ = true; }

  std::string_view name() const noexcept override { return "local"; }

  sandbox::capabilities can() const noexcept override {
    sandbox::capabilities out;
    out.host_visible_journal = true;
    out.killable_processes = true;
    return out;
  }

  std::string make_id(const run_id& run, run_no no) const override {
    return run.str() + "-" + std::to_string(no.value);
  }

  result<sandbox::launch_outcome>
  launch(const sandbox::launch_order& order) override {
    if (dead_)
      return gone();
    auto& x = world_->agents[order.where.id];
    if (!order.where.shared_id.empty())
      world_->shared.insert(order.where.shared_id);
    if (std::exchange(x.guard_taken, true))
      return sandbox::launch_outcome::already;
    x.on_disk = true;
    x.alive = true;
    x.launches += 1;
    x.nonce = order.nonce;
    x.script = world_->script;
    return sandbox::launch_outcome::launched;
  }

  result<sandbox::probe_report> probe(const sandbox_binding& where) override {
    if (dead_)
      return gone();
    if (world_->throws > 0) {
      world_->throws -= 1;
      throw std::runtime_error("a provider that breaks");
    }
    auto& x = world_->agents[where.id];
    using enum sandbox::agent_state;
    return sandbox::probe_report{!x.guard_taken ? not_launched
                                 : x.alive      ? alive
                                 : x.exit       ? exited
                                                : lost,
                                 x.exit};
  }

  result<std::unique_ptr<sandbox::journal_source>>
  open_journal(const sandbox_binding& where,
               std::function<void()> on_change) override {
    if (dead_)
      return gone();
    if (world_->open_failures > 0) {
      world_->open_failures -= 1;
      return {errc::unavailable, "too many open files"};
    }
    return std::unique_ptr<sandbox::journal_source>{
      std::make_unique<fake_journal>(world_->agents[where.id], ++last_id_,
                                     std::move(on_change))};
  }

  status kill(const sandbox_binding& where) override {
    if (dead_)
      return gone();
    auto& x = world_->agents[where.id];
    x.guard_taken = true;
    x.told_to_die = true;
    return {};
  }

  result<std::string> stderr_tail(const sandbox_binding&,
                                  std::size_t) override {
    return std::string{};
  }

  status remove(const sandbox_binding& where) override {
    if (dead_)
      return gone();
    if (world_->remove_failures > 0) {
      world_->remove_failures -= 1;
      return make_status(errc::io_failed, "a disk that comes back");
    }
    auto& x = world_->agents[where.id];
    if (x.alive)
      return make_status(errc::in_use, "the agent lives");
    // The guard stays, and is taken when it was not: a late launch is nothing.
    x.guard_taken = true;
    x.journal.clear();
    x.exit.reset();
    x.on_disk = false;
    return {};
  }

  std::string make_instance_id(const instance_key& key) const override {
    return "shared-" + key.str().substr(0, 8);
  }

  status destroy_instance(const std::string& id) override {
    if (dead_)
      return gone();
    world_->shared.erase(id);
    return {};
  }

  result<std::vector<sandbox::found_sandbox>> list() override {
    if (dead_)
      return gone();
    std::vector<sandbox::found_sandbox> out;
    for (const auto& [id, x] : world_->agents)
      if (x.on_disk)
        out.push_back({{{}, id, {}, {}},
                       run_no{std::stoul(id.substr(id.rfind('-') + 1))},
                       false,
                       false,
                       {}});
    for (const auto& id : world_->shared)
      out.push_back({{{}, {}, {}, id}, {}, false, true, {}});
    return out;
  }

private:
  static status gone() {
    return make_status(errc::io_failed, "this node is dead");
  }

  std::shared_ptr<fake_world> world_;
  bool dead_ = false;
  static inline int last_id_ = 0;
};

} // namespace baton::test
