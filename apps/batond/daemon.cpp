// SPDX-License-Identifier: MIT
#include "apps/batond/daemon.hpp"

#include "actors/gateway/gateway.hpp"
#include "actors/gateway/metrics_page.hpp"
#include "actors/gateway/node_metrics.hpp"
#include "actors/node/node_session.hpp"
#include "apps/batond/cluster_tls.hpp"
#include "apps/batond/descriptors.hpp"
#include "apps/batond/node_start.hpp"
#include "apps/batond/system_config.hpp"
#include "messages/caf_types.hpp"
#include "storage/data_dir.hpp"

#include <caf/actor_system.hpp>
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

/// Whatever hangs, the process ends in time, as it was to end.
void arm_watchdog(const status& how) {
  std::thread{[how] {
    ::sleep(static_cast<unsigned>(stop_deadline.count()));
    std::_Exit(how.ok() ? 0 : tell_refusal(how));
  }}.detach();
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

void serve_http(caf::actor_system& system, gateway& gate,
                const started_node& node, const std::string& here) {
  auto metrics = [board = node.handles.counters, lag = node.handles.lag,
                  self = http::node_metrics(node.id.str(), here)] {
    auto text = self + http::metrics_text(lag->read());
    if (board)
      text += http::metrics_text(board->read());
    return text;
  };
  gate.serve(
    system, node.handles.coordinator, node.handles.reader,
    [joined = node.joined] { return joined->get(); }, std::move(metrics));
}

/// ok: joined; else why the cluster will not have us. Absent: we were told to
/// end first, whatever the cluster says by now.
std::optional<status> wait_for_join(const settings& given,
                                    const membership& joined) {
  while (!joined.settled(given.lease + own_end_margin))
    if (wait_for_end(join_poll_interval))
      return std::nullopt;
  return joined.get();
}

} // namespace

int tell_refusal(const status& why) {
  constexpr auto exit_code_refused = 2;
  std::fprintf(stderr, "batond: %s\n", why.message.c_str());
  return exit_code_refused;
}

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
  system_config config{given};
  caf::actor_system system{config};
  auto node = start_node(system, given, *dir, here);
  if (!node)
    return node.error();
  serve_http(system, **gate, *node, here);
  auto joined = wait_for_join(given, *node->joined);
  if (joined && joined->ok()) {
    std::printf("batond ready node=%s http=%s cluster=%s\n",
                node->id.str().c_str(), here.c_str(),
                node->cluster_address.c_str());
    std::fflush(stdout);
    spdlog::info("node '{}' serves {} from {}", node->id.str(), here,
                 dir->path());
    wait_for_end();
  }
  auto how = joined.value_or(status{});
  arm_watchdog(how);
  if (given.role == node_role::worker && node->joined->get().ok())
    hand_over(system, node->handles);
  (*gate)->stop();
  gate->reset();
  stop_node(*node);
  return how;
}

} // namespace baton
