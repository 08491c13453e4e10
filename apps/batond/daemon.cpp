// SPDX-License-Identifier: MIT
#include "apps/batond/daemon.hpp"

#include "actors/gateway/gateway.hpp"
#include "actors/gateway/metrics_page.hpp"
#include "actors/node/node.hpp"
#include "actors/sandbox/local_provider.hpp"
#include "apps/batond/descriptors.hpp"
#include "apps/batond/node_identity.hpp"
#include "messages/caf_types.hpp"
#include "storage/data_dir.hpp"
#include "storage/rocksdb_store.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <cstdio>
#include <thread>

#include <sys/resource.h>
#include <unistd.h>

namespace baton {
namespace {

/// Promised in the contract: a daemon that was told to end is gone by then.
constexpr auto stop_deadline = std::chrono::seconds{8};

struct system_config : caf::actor_system_config {
  system_config() {
    register_messages(*this);
    // Idle workers of the default policy poll; measured 14 ms of CPU a second.
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::size_t{2});
    // An actor with much mail must not starve its worker's others.
    set("scheduler.max-throughput", std::size_t{100});
  }
};

void start_logging(const std::string& level) {
  auto log = spdlog::stderr_logger_mt("batond");
  log->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %^%l%$ %v",
                   spdlog::pattern_time_type::utc);
  log->set_level(spdlog::level::from_str(level));
  spdlog::set_default_logger(std::move(log));
}

std::string http_text(const settings& given, std::uint16_t port) {
  return to_text(address{given.http_host, port});
}

/// Waits for the first SIGTERM or SIGINT.
void wait_for_end() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  int number = 0;
  while (sigwait(&set, &number) != 0) {
  }
  spdlog::info("told to end by signal {}; agents live on", number);
}

/// Whatever hangs, the process ends in time.
void arm_watchdog() {
  std::thread{[] {
    ::sleep(static_cast<unsigned>(stop_deadline.count()));
    std::_Exit(0);
  }}.detach();
}

result<node::node_options> prepare(const settings& given,
                                   const storage::data_dir& dir) {
  node::node_options out;
  if (given.node_id.empty()) {
    auto id = kept_node_id(dir.path(), out.env);
    if (!id)
      return id.error();
    out.node = *std::move(id);
  } else {
    out.node = node_id{given.node_id};
  }
  out.host_label =
    given.host_label.empty() ? machine_label() : given.host_label;
  storage::rocksdb_options database;
  database.path = dir.store_path();
  auto store = storage::rocksdb_store::open(database);
  if (!store)
    return store.error();
  out.store = *std::move(store);
  auto local = sandbox::local_provider::open({dir.path() + "/sandboxes", {}});
  if (!local)
    return local.error();
  out.providers.push_back(*std::move(local));
  out.rules.lease = given.lease;
  out.rules.detached_ttl = given.detached_ttl;
  out.limits.line_bytes_max = given.line_bytes_max;
  out.warn = [](const std::string& what) { spdlog::warn("{}", what); };
  return out;
}

result<gateway_options> face(const settings& given) {
  gateway_options out;
  out.http_host = given.http_host;
  out.http_port = given.http_port;
  out.socket_path = given.socket_path;
  out.tls_cert = given.http_tls.cert;
  out.tls_key = given.http_tls.key;
  out.line_bytes_max = given.line_bytes_max;
  out.version = BATON_VERSION;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0)
    out.connections_max = connections_for(limit.rlim_cur);
  if (!given.token_file.empty()) {
    auto tokens = http::load_token_file(given.token_file);
    if (!tokens)
      return tokens.error();
    out.tokens = *std::move(tokens);
  }
  return out;
}

} // namespace

status serve(const settings& given) {
  start_logging(given.log_level);
  auto dir = storage::data_dir::open(given.data_dir);
  if (!dir)
    return dir.error();
  auto http = face(given);
  if (!http)
    return http.error();
  // All that another process may hold comes before the first run is touched:
  // a node that took its runs over and then ended would have fenced whoever
  // drives them for nothing.
  auto gate = gateway::open(*std::move(http));
  if (!gate)
    return gate.error();
  auto options = prepare(given, *dir);
  if (!options)
    return options.error();
  auto id = options->node;
  system_config config;
  caf::actor_system system{config};
  auto node = node::spawn_node(system, *std::move(options));
  if (!node)
    return node.error();
  (*gate)->serve(
    system, node->coordinator, node->reader, [] { return status{}; },
    [board = node->counters] { return http::metrics_text(board->read()); });
  std::printf("batond ready node=%s http=%s cluster=none\n", id.str().c_str(),
              http_text(given, (*gate)->port()).c_str());
  std::fflush(stdout);
  spdlog::info("node '{}' serves {} from {}", id.str(),
               http_text(given, (*gate)->port()), dir->path());
  wait_for_end();
  arm_watchdog();
  (*gate)->stop();
  gate->reset();
  node::stop_node(*node);
  *node = {};
  return {};
}

} // namespace baton
