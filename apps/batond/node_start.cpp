// SPDX-License-Identifier: MIT
#include "apps/batond/node_start.hpp"

#include "actors/cluster/dialer.hpp"
#include "actors/sandbox/local_provider.hpp"
#include "apps/batond/cluster_identity.hpp"
#include "apps/batond/node_identity.hpp"
#include "storage/rocksdb_store.hpp"

#include <caf/actor_system.hpp>
#include <caf/send.hpp>

#include <spdlog/spdlog.h>

#include <optional>

namespace baton {
namespace {

void warn_operator(const std::string& what) {
  spdlog::warn("{}", what);
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

/// Absent: no cluster port was asked for.
result<std::optional<cluster::door>>
open_door(caf::actor_system& system, const settings& given, greeted answer) {
  if (!given.cluster)
    return std::optional<cluster::door>{};
  auto got = cluster::open_door(
    system, {given.cluster->host, given.cluster->port}, given.tls.is_on(),
    frame_bytes_for(given), std::move(answer));
  if (!got)
    return got.error();
  return std::optional{*std::move(got)};
}

std::string address_of(const settings& given,
                       const std::optional<cluster::door>& x) {
  return x ? to_text(address{given.cluster->host, x->port}) : "none";
}

result<std::shared_ptr<storage::store>>
open_store(const storage::data_dir& dir) {
  storage::rocksdb_options database;
  database.path = dir.store_path();
  auto store = storage::rocksdb_store::open(database);
  if (!store)
    return store.error();
  return std::shared_ptr<storage::store>{*std::move(store)};
}

status start_coordinator(caf::actor_system& system, const settings& given,
                         const storage::data_dir& dir,
                         const self_description& self, const std::string& http,
                         started_node& out) {
  auto cluster = coordinator_cluster(dir.path(), self.env);
  if (!cluster)
    return cluster.error();
  auto store = open_store(dir);
  if (!store)
    return store.error();
  if (auto bad = keep_coordinator_cluster(dir.path(), *cluster); !bad.ok())
    return bad;
  greeted answer;
  answer.role = to_string(node_role::coordinator);
  answer.node = self.node;
  answer.cluster = *cluster;
  auto door = open_door(system, given, answer);
  if (!door)
    return door.error();
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
  options.rules.sweep_interval = given.sweep_interval;
  options.rules.retain = given.retain;
  options.limits = self.limits;
  options.warn = warn_operator;
  auto started = node::spawn_node(system, std::move(options));
  if (!started)
    return started.error();
  out.handles = *std::move(started);
  out.cluster_address = address_of(given, *door);
  answer.coordinator = out.handles.coordinator;
  if (*door) {
    out.door_keeper = (*door)->keeper;
    caf::anon_send(out.door_keeper, std::move(answer));
  }
  out.joined->set({});
  return {};
}

/// Keeps `joined`, and tells the operator what changed. A refusal of the first
/// join ends the process, which tells it itself.
std::function<void(const status&)>
reporter(std::shared_ptr<membership> joined) {
  auto was_in = std::make_shared<bool>(false);
  return [joined = std::move(joined), was_in](const status& now) {
    auto before = joined->get();
    if (now.ok())
      spdlog::info("joined the coordinator");
    else if (before.ok())
      spdlog::warn("lost the coordinator; agents go on, and their output waits "
                   "in their journals");
    else if (before.message != now.message
             && (*was_in || now.code == errc::unavailable))
      spdlog::warn("no coordinator: {}", now.message);
    *was_in |= now.ok();
    joined->set(now);
  };
}

status start_worker(caf::actor_system& system, const settings& given,
                    const storage::data_dir& dir, const self_description& self,
                    const std::string& http, started_node& out) {
  if (auto bad = check_worker_dir(dir.path()); !bad.ok())
    return bad;
  greeted answer;
  answer.role = to_string(node_role::worker);
  answer.node = self.node;
  auto door = open_door(system, given, std::move(answer));
  if (!door)
    return door.error();
  out.cluster_address = address_of(given, *door);
  if (*door)
    out.door_keeper = (*door)->keeper;
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
  options.on_change = reporter(out.joined);
  options.providers = self.providers;
  options.env = self.env;
  options.limits = self.limits;
  options.warn = warn_operator;
  out.handles = node::spawn_worker(system, std::move(options));
  return {};
}

} // namespace

void stop_node(started_node& node) {
  if (node.door_keeper)
    caf::anon_send_exit(node.door_keeper, caf::exit_reason::user_shutdown);
  node.door_keeper = nullptr;
  node::stop_node(node.handles);
  node.handles = {};
}

result<started_node> start_node(caf::actor_system& system,
                                const settings& given,
                                const storage::data_dir& dir,
                                const std::string& http) {
  auto self = describe(given, dir);
  if (!self)
    return self.error();
  started_node out;
  out.id = self->node;
  auto done = given.role == node_role::worker
                ? start_worker(system, given, dir, *self, http, out)
                : start_coordinator(system, given, dir, *self, http, out);
  if (!done.ok())
    return done;
  return out;
}

} // namespace baton
