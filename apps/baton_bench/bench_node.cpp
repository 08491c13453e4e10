// SPDX-License-Identifier: MIT
#include "apps/baton_bench/bench_node.hpp"

#include "apps/baton_bench/generated_journal.hpp"
#include "apps/baton_bench/give_up.hpp"
#include "messages/caf_types.hpp"
#include "storage/rocksdb_store.hpp"

#include <caf/scoped_actor.hpp>

namespace baton::bench {
namespace {

/// As in batond.
struct system_config : caf::actor_system_config {
  system_config() {
    register_messages(*this);
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::size_t{2});
    set("scheduler.max-throughput", std::size_t{100});
  }
};

} // namespace

bench_node::bench_node(const std::string& directory)
  : config_(std::make_unique<system_config>()),
    system_(std::make_unique<caf::actor_system>(*config_)) {
  storage::rocksdb_options database;
  database.path = directory;
  auto store = storage::rocksdb_store::open(database);
  if (!store)
    give_up(store.error().message);
  store_ = *std::move(store);
  node::node_options options;
  options.node = node_id{"bench"};
  options.store = store_;
  options.providers.push_back(std::make_shared<generated_journal>());
  // Batches of 32, as agents that stream produce them.
  options.limits.lines_max = 32;
  auto node = node::spawn_node(*system_, std::move(options));
  if (!node)
    give_up(node.error().message);
  handles_ = *std::move(node);
}

bench_node::~bench_node() {
  node::stop_node(handles_);
  handles_ = {};
  system_.reset();
}

epoch bench_node::create(const run_id& id, bool external) {
  run_spec spec;
  spec.id = id;
  spec.command.argv = {"true"};
  spec.sandbox.provider = "generated";
  spec.external = external;
  caf::scoped_actor self{*system_};
  auto fail = [](const caf::error& why) { give_up(to_status(why).message); };
  self
    ->request(handles_.coordinator, std::chrono::seconds{30},
              create_run{std::move(spec)})
    .receive([](const run_created&) {}, fail);
  epoch held;
  if (external)
    self
      ->request(handles_.coordinator, std::chrono::seconds{30},
                claim_run{id, "bench", 600'000, false})
      .receive([&](const claim_granted& x) { held = x.epoch; }, fail);
  return held;
}

} // namespace baton::bench
