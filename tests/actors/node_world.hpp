// SPDX-License-Identifier: MIT
// A node on a store and a world of agents that outlive it, and a viewer that
// outlives both. A crash takes everything with it that is not durable.
// Threads: one.
#pragma once

#include "actors/node/node.hpp"
#include "actors/node/node_session.hpp"
#include "storage/memory_store.hpp"
#include "tests/actors/fake_provider.hpp"
#include "tests/actors/simulation.hpp"

#include <memory>
#include <optional>

namespace baton::test {

/// The disk as one life of a node sees it: behind its death nothing arrives.
class mortal_store : public storage::memory_store {
public:
  explicit mortal_store(std::shared_ptr<storage::memory_store> disk)
    : disk_(std::move(disk)) {}

  void cut_off() { dead_ = true; }

  result<std::vector<storage::commit_outcome>>
  commit_all(std::span<const storage::commit> batch) override {
    if (dead_)
      return {errc::storage_failed, "this node is dead"};
    return disk_->commit_all(batch);
  }
  status remove(const run_id& id, std::uint64_t version) override {
    if (dead_)
      return make_status(errc::storage_failed, "this node is dead");
    return disk_->remove(id, version);
  }
  result<run_record> load(const run_id& id) const override {
    return disk_->load(id);
  }
  result<std::vector<run_record>>
  list(const storage::list_query& q) const override {
    return disk_->list(q);
  }
  result<std::vector<run_record>> live() const override {
    return disk_->live();
  }
  result<std::vector<run_id>> corrupt() const override {
    return disk_->corrupt();
  }
  status quarantine(const run_id& id, const std::string& why,
                    wall_time now) override {
    return disk_->quarantine(id, why, now);
  }
  result<std::vector<entry>> read(const run_record& run,
                                  const storage::read_query& q) const override {
    return disk_->read(run, q);
  }
  result<std::vector<claim_note>> claims(const run_record& run) const override {
    return disk_->claims(run);
  }
  status
  change_instances(std::span<const storage::instance_change> changes) override {
    if (dead_)
      return make_status(errc::storage_failed, "this node is dead");
    return disk_->change_instances(changes);
  }
  result<std::vector<instance_record>> instances() const override {
    return disk_->instances();
  }
  result<std::vector<instance_key>> corrupt_instances() const override {
    return disk_->corrupt_instances();
  }
  result<epoch> epoch_floor() const override { return disk_->epoch_floor(); }
  result<std::uint64_t> uptime_ms() const override {
    return disk_->uptime_ms();
  }
  status save_uptime_ms(std::uint64_t ms) override {
    return dead_ ? status{} : disk_->save_uptime_ms(ms);
  }

private:
  std::shared_ptr<storage::memory_store> disk_;
  bool dead_ = false;
};

/// What a viewer has seen; its cursor outlives its connections.
struct viewing {
  std::vector<std::uint64_t> seqs;
  std::string bytes;
  bool ended = false;

  seq cursor() const { return seq{seqs.empty() ? 0 : seqs.back()}; }
};

/// Pulls a run's entries from its cursor on, and comes back after each error.
inline caf::behavior viewer(caf::event_based_actor* self,
                            caf::actor coordinator, run_id run,
                            std::shared_ptr<viewing> seen) {
  using again_atom = caf::atom_constant<caf::atom("again")>;
  using pull_atom = caf::atom_constant<caf::atom("pull")>;
  auto retry = [=](const caf::error&) {
    self->delayed_send(self, std::chrono::milliseconds{300}, again_atom::value);
  };
  self->send(self, again_atom::value);
  return {
    [=](again_atom) {
      self->request(coordinator, std::chrono::seconds{5}, watch_run{run})
        .then(
          [=](channel_opened& x) {
            self->send(self, pull_atom::value, x.channel);
          },
          retry);
    },
    [=](pull_atom, const caf::actor& channel) {
      next_entries ask;
      ask.after = seen->cursor();
      ask.entries_max = 2;
      self->request(channel, std::chrono::seconds{5}, ask)
        .then(
          [=](entry_page& page) {
            for (const auto& e : page.entries.items) {
              seen->seqs.push_back(e->seq.value);
              seen->bytes += e->data;
            }
            seen->ended = page.ended;
            if (page.ended)
              self->quit();
            else
              self->send(self, pull_atom::value, channel);
          },
          retry);
    },
  };
}

class node_world {
public:
  explicit node_world(std::uint64_t the_seed) : seed(the_seed) { start(); }
  ~node_world() { crash(); }

  void start() {
    sim = std::make_unique<simulation>(seed * 1'000 + ++lives);
    sim->outside = [this] {
      if (!agents->any_alive())
        return false;
      agents->step(sim->random.below(8));
      return true;
    };
    store_ = std::make_shared<mortal_store>(disk);
    options = {};
    options.node = node_id{"n1"};
    options.host_label = "host";
    options.store = store_;
    options.providers = {make_provider()};
    options.env.now_wall = [] { return wall_time{}; };
    auto* random = &sim->random;
    options.env.random_bytes = [random](std::size_t n) {
      return random->bytes(n);
    };
    options.on_fatal = [](const status&) {};
    options.detach = false;
    auto started = node::spawn_node(sim->system, options);
    BATON_CHECK(started.ok(), "a node starts on a sound store");
    handles = *std::move(started);
    sim->own(handles.session);
    sim->own(handles.coordinator);
    sim->own(handles.reader);
  }

  /// kill -9: nothing of this life reaches the disk or an agent any more.
  void crash() {
    store_->cut_off();
    for (auto& x : providers_)
      x->cut_off();
    providers_.clear();
    handles = {};
    options = {};
    sim.reset();
    store_.reset();
    disk->crash();
  }

  void restart() {
    crash();
    start();
  }

  /// Another node of the same host in the same system.
  void add_node(const std::string& id) {
    node::session_options x;
    x.coordinator = handles.coordinator;
    x.node = node_id{id};
    x.host_label = "host";
    x.providers = {make_provider()};
    x.env = options.env;
    x.detach = false;
    sim->own(sim->system.spawn(node::node_session, x));
  }

  void watch(const std::string& run, std::shared_ptr<viewing> seen) {
    sim->own(sim->system.spawn(viewer, handles.coordinator, run_id{run},
                               std::move(seen)));
  }

  result<run_created> create(const std::string& run) {
    create_run x;
    x.spec.id = run_id{run};
    x.spec.command = {true, {"agent"}};
    return sim->ask<run_created>(handles.coordinator, x);
  }

  bool ended(const std::string& run) const {
    auto got = disk->load(run_id{run});
    return got.ok() && is_terminal(got->state.status);
  }

  std::vector<entry> log(const std::string& run) const {
    return disk->read(disk->load(run_id{run}).value(), {{}, SIZE_MAX, SIZE_MAX})
      .value();
  }

  fake_agent* agent_of(const std::string& run) {
    for (auto& [id, x] : agents->agents)
      if (id.starts_with(run + "-"))
        return &x;
    return nullptr;
  }

  std::uint64_t seed;
  std::uint64_t lives = 0;
  std::shared_ptr<storage::memory_store> disk =
    std::make_shared<storage::memory_store>();
  std::shared_ptr<fake_world> agents = std::make_shared<fake_world>();
  std::unique_ptr<simulation> sim;
  node::node_options options;
  node::node_handles handles;

private:
  std::shared_ptr<fake_provider> make_provider() {
    providers_.push_back(std::make_shared<fake_provider>(agents));
    return providers_.back();
  }

  std::shared_ptr<mortal_store> store_;
  std::vector<std::shared_ptr<fake_provider>> providers_;
};

} // namespace baton::test
