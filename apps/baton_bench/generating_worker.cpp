// SPDX-License-Identifier: MIT
#include "apps/baton_bench/generating_worker.hpp"

#include "actors/cluster/dialer.hpp"
#include "actors/node/node.hpp"
#include "apps/baton_bench/generated_journal.hpp"
#include "apps/baton_bench/give_up.hpp"
#include "messages/caf_types.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/io/middleman.hpp>

#include <cstdio>
#include <cstdlib>

#include <unistd.h>

namespace baton::bench {
namespace {

constexpr auto join_timeout = std::chrono::seconds{30};

/// As in batond.
struct worker_config : caf::actor_system_config {
  worker_config() {
    register_messages(*this);
    load<caf::io::middleman>();
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::size_t{2});
    set("scheduler.max-throughput", std::size_t{100});
    set("middleman.heartbeat-interval",
        caf::timespan{std::chrono::milliseconds{500}});
    set("middleman.connection-timeout",
        caf::timespan{std::chrono::seconds{10}});
  }
};

void tell(const status& now) {
  std::printf("%s\n", now.ok() ? "joined" : now.message.c_str());
  std::fflush(stdout);
}

} // namespace

std::unique_ptr<child_process> start_generating_worker(const worker_flags& x) {
  auto colon = x.cluster_address.rfind(':');
  auto out = std::make_unique<child_process>(
    std::vector<std::string>{
      program_path(), worker_word, x.name, x.cluster_address.substr(0, colon),
      x.cluster_address.substr(colon + 1), std::to_string(x.interval.count())},
    x.log);
  std::string last = "it said nothing";
  while (last != "joined") {
    auto said = out->read_line(join_timeout);
    if (!said)
      give_up("worker '" + x.name + "' did not join " + x.cluster_address + ": "
              + last);
    last = *std::move(said);
  }
  return out;
}

int be_generating_worker(int argc, char** argv) {
  if (argc != 5)
    return 2;
  worker_config config;
  caf::actor_system system{config};
  cluster::dialer_options dial;
  dial.to.push_back({argv[2], static_cast<std::uint16_t>(std::atoi(argv[3]))});
  node::worker_options options;
  options.node = node_id{argv[1]};
  options.dialer = cluster::spawn_dialer(system, std::move(dial));
  options.on_change = tell;
  std::chrono::milliseconds interval{std::atoi(argv[4])};
  options.providers.push_back(
    interval.count() == 0 ? std::make_shared<generated_journal>()
                          : std::make_shared<generated_journal>(interval));
  // Batches of 32, as agents that stream produce them.
  options.limits.lines_max = 32;
  auto node = node::spawn_worker(system, std::move(options));
  // The benchmark ends it.
  while (true)
    ::pause();
}

} // namespace baton::bench
