// SPDX-License-Identifier: MIT
// A coordinator and workers of one host with a network between them, on a disk
// and a world of agents that outlive them all.
// Threads: one.
#pragma once

#include "actors/cluster/dial.hpp"
#include "tests/actors/network.hpp"
#include "tests/actors/node_world.hpp"

#include <array>

namespace baton::test {

class cluster_world {
public:
  static constexpr int workers = 3;

  explicit cluster_world(std::uint64_t seed) : sim(seed), net(sim) {
    sim.outside = [this] {
      if (!agents->any_alive())
        return false;
      agents->step(sim.random.below(8));
      return true;
    };
    start_coordinator();
    for (int i = 1; i <= workers; ++i)
      start_worker(i);
  }

  ~cluster_world() {
    for (int i = 0; i <= workers; ++i)
      kill(i);
  }

  // -- life -------------------------------------------------------------------

  void start_coordinator() {
    store_ = std::make_shared<mortal_store>(disk);
    coordinator::coordinator_options x;
    x.store = store_;
    x.env = environment_of();
    x.rules.lease = lease;
    x.on_fatal = [](const status&) {};
    x.detach = false;
    auto started = coordinator::spawn_coordinator(sim.system, std::move(x));
    BATON_CHECK(started.ok(), "a coordinator starts on a sound store");
    coordinator_ = started->coordinator;
    reader_ = started->reader;
  }

  void start_worker(int i) {
    auto& w = workers_.at(static_cast<std::size_t>(i));
    w.provider = std::make_shared<fake_provider>(agents);
    node::worker_options x;
    x.node = node_id{"w" + std::to_string(i)};
    x.host_label = "host";
    x.dialer = sim.system.spawn(dialer, this, i);
    x.providers = {w.provider};
    x.env = environment_of();
    x.detach = false;
    w.node = node::spawn_worker(sim.system, std::move(x));
    w.alive = true;
  }

  /// kill -9: nothing of that life reaches a disk, an agent or the others.
  void kill(int i) {
    if (i == 0) {
      store_->cut_off();
      disk->crash();
      end(coordinator_);
      end(reader_);
      for (int k = 1; k <= workers; ++k)
        net.disconnect(k, 0);
      return;
    }
    auto& w = workers_.at(static_cast<std::size_t>(i));
    if (!std::exchange(w.alive, false))
      return;
    w.provider->cut_off();
    net.disconnect(i, 0);
    caf::anon_send_exit(w.node.session, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(w.node.coordinator, caf::exit_reason::user_shutdown);
    w.node = {};
  }

  bool is_alive(int i) const {
    return workers_.at(static_cast<std::size_t>(i)).alive;
  }

  // -- asking -----------------------------------------------------------------

  /// Where the node's clients ask: 0 is the coordinator itself.
  caf::actor at(int i) const {
    return i == 0 ? coordinator_
                  : workers_.at(static_cast<std::size_t>(i)).node.coordinator;
  }

  /// Asks until it is told, from outside, as a client that retries.
  void create(int where, const std::string& run) {
    create_run x;
    x.spec.id = run_id{run};
    x.spec.command = {true, {"agent"}};
    for (int i = 0; i < 100; ++i) {
      if (sim.ask<run_created>(at(where), x))
        return;
      for (int k = 0; k < 20; ++k)
        sim.step();
    }
    BATON_CHECK(false, "a cluster that is whole takes a run");
  }

  void watch(int where, const std::string& run, std::shared_ptr<viewing> seen) {
    sim.own(sim.system.spawn(viewer, at(where), run_id{run}, std::move(seen)));
  }

  bool ended(const std::string& run) const {
    auto got = disk->load(run_id{run});
    return got.ok() && is_terminal(got->state.status);
  }

  run_record record(const std::string& run) const {
    return disk->load(run_id{run}).value();
  }

  std::vector<entry> log(const std::string& run) const {
    return disk->read(record(run), {{}, SIZE_MAX, SIZE_MAX}).value();
  }

  std::vector<claim_note> claims(const std::string& run) const {
    return disk->claims(record(run)).value();
  }

  fake_agent* agent_of(const std::string& run) {
    for (auto& [id, x] : agents->agents)
      if (id.starts_with(run + "-"))
        return &x;
    return nullptr;
  }

  static constexpr std::chrono::milliseconds lease{2'000};

  std::shared_ptr<storage::memory_store> disk =
    std::make_shared<storage::memory_store>();
  std::shared_ptr<fake_world> agents = std::make_shared<fake_world>();
  simulation sim;
  network net;

private:
  struct worker {
    node::node_handles node;
    std::shared_ptr<fake_provider> provider;
    bool alive = false;
  };

  environment environment_of() {
    environment out;
    out.now_wall = [] { return wall_time{}; };
    out.random_bytes = [this](std::size_t n) { return sim.random.bytes(n); };
    return out;
  }

  static void end(caf::actor& x) {
    if (x)
      caf::anon_send_exit(x, caf::exit_reason::kill);
    x = nullptr;
  }

  static caf::behavior dialer(caf::event_based_actor*, cluster_world* world,
                              int i) {
    return {[=](dial) -> caf::result<greeted> {
      if (!world->coordinator_ || world->net.is_cut(0, i))
        return to_caf_error(make_status(errc::unavailable, "no way there"));
      greeted out;
      out.role = "coordinator";
      out.coordinator = world->net.handle(i, 0, world->coordinator_);
      return out;
    }};
  }

  std::shared_ptr<mortal_store> store_;
  caf::actor coordinator_;
  caf::actor reader_;
  std::array<worker, workers + 1> workers_;
};

} // namespace baton::test
