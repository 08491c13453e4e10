// SPDX-License-Identifier: MIT
#include "apps/batond/daemon.hpp"

#include "actors/cluster/dialer.hpp"
#include "actors/gateway/gateway.hpp"
#include "actors/gateway/metrics_page.hpp"
#include "actors/node/node.hpp"
#include "actors/node/node_session.hpp"
#include "actors/sandbox/local_provider.hpp"
#include "apps/batond/cluster_identity.hpp"
#include "apps/batond/cluster_tls.hpp"
#include "apps/batond/descriptors.hpp"
#include "apps/batond/membership.hpp"
#include "apps/batond/node_identity.hpp"
#include "messages/caf_types.hpp"
#include "storage/data_dir.hpp"
#include "storage/rocksdb_store.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/io/middleman.hpp>
#include <caf/openssl/manager.hpp>
#include <caf/scoped_actor.hpp>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <cstdio>
#include <optional>
#include <thread>

#include <sys/resource.h>
#include <unistd.h>

namespace baton {
namespace {

/// Promised in the contract: a daemon that was told to end is gone by then.
constexpr auto stop_deadline = std::chrono::seconds{8};
constexpr auto hand_over_timeout = std::chrono::seconds{3};
constexpr auto join_poll_interval = std::chrono::milliseconds{20};
/// Longer than its lease our own former life cannot stand in our way.
constexpr auto own_end_margin = std::chrono::seconds{2};

struct system_config : caf::actor_system_config {
  explicit system_config(const settings& given) {
    register_messages(*this);
    if (given.cluster || !given.join.empty())
      load_network(given);
    // Idle workers of the default policy poll; measured 14 ms of CPU a second.
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::size_t{2});
    // An actor with much mail must not starve its worker's others.
    set("scheduler.max-throughput", std::size_t{100});
  }

private:
  void load_network(const settings& given) {
    load<caf::io::middleman>();
    if (given.tls.is_on()) {
      load<caf::openssl::manager>();
      openssl_certificate = given.tls.cert;
      openssl_key = given.tls.key;
      openssl_cafile = given.tls.ca;
    }
    // A silent connection is cut no sooner than the lease of its node lapses:
    // the lease decides, this only clears up behind it. Beats must be as
    // frequent on all nodes, whatever their leases.
    constexpr auto beat_interval = std::chrono::milliseconds{500};
    set("middleman.heartbeat-interval", caf::timespan{beat_interval});
    set("middleman.connection-timeout",
        std::max<caf::timespan>(given.lease, 4 * beat_interval));
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

void warn_operator(const std::string& what) {
  spdlog::warn("{}", what);
}

sigset_t end_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

/// Waits for SIGTERM or SIGINT; false: `d` passed without one.
bool wait_for_end(std::chrono::milliseconds d) {
  auto set = end_signals();
  timespec limit{d.count() / 1000, d.count() % 1000 * 1'000'000};
  return ::sigtimedwait(&set, nullptr, &limit) > 0;
}

void wait_for_end() {
  auto set = end_signals();
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

/// What a node is, whatever its role.
struct self_description {
  node_id node;
  std::string host_label;
  std::vector<std::shared_ptr<sandbox::provider>> providers;
  environment env = system_environment();
  framing_limits limits{.lines_max = 1024};
};

result<self_description> describe(const settings& given,
                                  const storage::data_dir& dir) {
  self_description out;
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
  auto local = sandbox::local_provider::open({dir.path() + "/sandboxes", {}});
  if (!local)
    return local.error();
  out.providers.push_back(*std::move(local));
  out.limits.line_bytes_max = given.line_bytes_max;
  return out;
}

/// The longest honest frame carries an append of the HTTP API, or a page with
/// one whole line in it.
std::size_t frame_bytes_for(const settings& given) {
  constexpr std::size_t append_bytes_max = 16 << 20;
  return 2 * append_bytes_max + 2 * given.line_bytes_max;
}

/// The address for the ready line.
result<std::string> open_cluster_port(caf::actor_system& system,
                                      const settings& given, greeted answer) {
  if (!given.cluster)
    return std::string{"none"};
  auto port =
    cluster::open_door(system, {given.cluster->host, given.cluster->port},
                       given.tls.is_on(), frame_bytes_for(given),
                       std::move(answer));
  if (!port)
    return port.error();
  return to_text(address{given.cluster->host, *port});
}

/// A coordinator's node, with its cluster port when it has one.
struct coordinator_node {
  node::node_handles handles;
  std::string cluster_address = "none";
};

result<coordinator_node> start_coordinator(caf::actor_system& system,
                                           const settings& given,
                                           const storage::data_dir& dir,
                                           const self_description& self,
                                           const std::string& http) {
  auto cluster = coordinator_cluster(dir.path(), self.env);
  if (!cluster)
    return cluster.error();
  storage::rocksdb_options database;
  database.path = dir.store_path();
  auto store = storage::rocksdb_store::open(database);
  if (!store)
    return store.error();
  if (auto bad = keep_coordinator_cluster(dir.path(), *cluster); !bad.ok())
    return bad;
  node::node_options options;
  options.node = self.node;
  options.address = http;
  options.host_label = self.host_label;
  options.store = *std::move(store);
  options.providers = self.providers;
  options.env = self.env;
  options.rules.lease = given.lease;
  options.rules.grace = given.grace;
  options.rules.detached_ttl = given.detached_ttl;
  options.limits = self.limits;
  options.warn = warn_operator;
  auto started = node::spawn_node(system, std::move(options));
  if (!started)
    return started.error();
  coordinator_node out{*std::move(started)};
  greeted answer;
  answer.role = "coordinator";
  answer.node = self.node;
  answer.cluster = *cluster;
  answer.coordinator = out.handles.coordinator;
  auto door = open_cluster_port(system, given, std::move(answer));
  if (!door) {
    node::stop_node(out.handles);
    return door.error();
  }
  out.cluster_address = *std::move(door);
  return out;
}

node::node_handles
start_worker(caf::actor_system& system, const settings& given,
             const storage::data_dir& dir, const self_description& self,
             const std::string& http, std::shared_ptr<membership> joined) {
  cluster::dialer_options dial;
  for (const auto& x : given.join)
    dial.to.push_back({x.host, x.port});
  dial.tls = given.tls.is_on();
  dial.accept = [path = dir.path()](const greeted& x) {
    return join_cluster(path, x.cluster);
  };
  node::worker_options options;
  options.node = self.node;
  options.address = http;
  options.host_label = self.host_label;
  options.dialer = cluster::spawn_dialer(system, std::move(dial));
  options.on_change = [joined = std::move(joined)](const status& now) {
    if (now.ok())
      spdlog::info("joined the coordinator");
    else if (joined->get().message != now.message)
      spdlog::warn("no coordinator: {}", now.message);
    joined->set(now);
  };
  options.providers = self.providers;
  options.env = self.env;
  options.limits = self.limits;
  options.warn = warn_operator;
  return node::spawn_worker(system, std::move(options));
}

/// Its runs go to other nodes before it ends, if that can be had in time.
void hand_over(caf::actor_system& system, const node::node_handles& node) {
  caf::scoped_actor self{system};
  self
    ->request(node.session, caf::duration{hand_over_timeout},
              node::leave_atom::value)
    .receive([](const node_left&) { spdlog::info("handed the runs over"); },
             [&](const caf::error& why) {
               spdlog::warn("the runs are left to be taken: {}",
                            to_status(why).message);
             });
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
  if (auto bad = check_cluster_tls(given.tls); !bad.ok())
    return bad;
  // All that another process may hold comes before the first run is touched:
  // a node that took its runs over and then ended would have fenced whoever
  // drives them for nothing.
  auto gate = gateway::open(*std::move(http));
  if (!gate)
    return gate.error();
  auto here = http_text(given, (*gate)->port());
  auto self = describe(given, *dir);
  if (!self)
    return self.error();
  system_config config{given};
  caf::actor_system system{config};
  node::node_handles node;
  std::string cluster = "none";
  auto is_worker = given.role == node_role::worker;
  auto joined = std::make_shared<membership>();
  if (is_worker) {
    greeted answer;
    answer.role = "worker";
    answer.node = self->node;
    auto door = open_cluster_port(system, given, std::move(answer));
    if (!door)
      return door.error();
    cluster = *std::move(door);
    node = start_worker(system, given, *dir, *self, here, joined);
  } else {
    auto started = start_coordinator(system, given, *dir, *self, here);
    if (!started)
      return started.error();
    node = std::move(started->handles);
    cluster = started->cluster_address;
    joined->set({});
  }
  std::function<std::string()> metrics;
  if (node.counters)
    metrics = [board = node.counters] {
      return http::metrics_text(board->read());
    };
  (*gate)->serve(
    system, node.coordinator, node.reader, [joined] { return joined->get(); },
    std::move(metrics));
  auto ended = false;
  while (!ended && !joined->settled(given.lease + own_end_margin))
    ended = wait_for_end(join_poll_interval);
  auto refused = ended ? status{} : joined->get();
  if (!ended && refused.ok()) {
    std::printf("batond ready node=%s http=%s cluster=%s\n",
                self->node.str().c_str(), here.c_str(), cluster.c_str());
    std::fflush(stdout);
    spdlog::info("node '{}' serves {} from {}", self->node.str(), here,
                 dir->path());
    wait_for_end();
  }
  arm_watchdog();
  if (is_worker && joined->get().ok())
    hand_over(system, node);
  (*gate)->stop();
  gate->reset();
  node::stop_node(node);
  node = {};
  return refused;
}

} // namespace baton
