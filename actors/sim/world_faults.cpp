// SPDX-License-Identifier: MIT
// How each fault strikes, and how it is healed.
#include "actors/sim/world.hpp"

#include <caf/send.hpp>

#include <algorithm>

namespace baton::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// So short that no driver has all it may have under way when it is over: it
/// would not read on to the end.
constexpr world_time short_outage = milliseconds{100};
/// In which workers find the coordinator after such an outage.
constexpr std::uint64_t reconnecting_ms = 1'000;

/// Half as fast as the world's time.
constexpr std::int64_t slow_clock_ppm = -500'000;

} // namespace

std::size_t world::worker(std::size_t n) const {
  return cluster_.size() == 1 ? 0 : 1 + n % (cluster_.size() - 1);
}

const run_id& world::run_of(const planned_fault& x) const {
  return ids_[x.run % ids_.size()];
}

void world::begin(const planned_fault& x, std::size_t node) {
  judge_.tell(event_kind::fault,
              node == 0 ? lane_kind::coordinator : lane_kind::node,
              node == 0 ? "coordinator" : cluster_.name(node),
              std::string{to_string(x.kind)});
}

void world::end(const planned_fault& x, std::size_t node) {
  judge_.tell(event_kind::heal,
              node == 0 ? lane_kind::coordinator : lane_kind::node,
              node == 0 ? "coordinator" : cluster_.name(node),
              std::string{to_string(x.kind)});
}

void world::strike(const planned_fault& x) {
  switch (x.kind) {
  case fault_kind::kill_node:
  case fault_kind::pause_node:
  case fault_kind::late_launch:
  case fault_kind::clock_drift:
    return strike_node(x);
  case fault_kind::cut:
  case fault_kind::one_way_cut:
  case fault_kind::late_append:
    return strike_network(x);
  case fault_kind::kill_coordinator:
  case fault_kind::slow_disk:
    return strike_coordinator(x);
  case fault_kind::agent_kill:
  case fault_kind::shim_kill:
    return strike_agent(x);
  case fault_kind::viewer_storm:
  case fault_kind::cancel_storm:
  case fault_kind::steal_storm:
  case fault_kind::sweep_storm:
    return storm(x);
  }
}

bool world::has(fault_kind x) const {
  return std::ranges::find(shape_.kinds, x) != shape_.kinds.end();
}

void world::lose(std::size_t node) {
  lost_.insert(node);
  judge_.tell(event_kind::fault, lane_kind::node, cluster_.name(node),
              std::string{gone_for_good});
  for (std::size_t i = 0; i < drivers_.size(); ++i)
    if (drivers_[i].node == node) {
      // Never beside the coordinator, see plan(): there are workers left.
      drivers_[i].node = worker(node);
      start_driver(i);
    }
}

void world::restart_later(std::size_t node, world_time pause) {
  cluster_.agenda.in(pause, [this, node] {
    if (cluster_.is_up(node) || lost_.contains(node))
      return;
    cluster_.start(node);
    judge_.tell(
      event_kind::heal, node == 0 ? lane_kind::coordinator : lane_kind::node,
      node == 0 ? "coordinator" : cluster_.name(node), std::string{restarted});
  });
}

void world::strike_node(const planned_fault& x) {
  auto at =
    x.kind == fault_kind::kill_node ? worker(x.node) : x.node % cluster_.size();
  if (!cluster_.is_up(at))
    return;
  begin(x, at);
  auto length = x.length;
  switch (x.kind) {
  case fault_kind::kill_node:
    if (x.detail % 8 == 0 && cluster_.size() > 2 && lost_.empty()) {
      // Whoever would notice goes, too, as with a rack that loses power.
      if (has(fault_kind::kill_coordinator) && x.detail / 8 % 2 == 0
          && cluster_.is_up(0)) {
        begin({fault_kind::kill_coordinator}, 0);
        cluster_.kill(0);
        restart_later(0, x.length);
      }
      cluster_.kill(at);
      lose(at);
      return;
    }
    cluster_.kill(at);
    return restart_later(at, x.length);
  case fault_kind::pause_node:
    cluster_.pause(at);
    break;
  case fault_kind::late_launch:
    cluster_.delay_launches(at, world_time{milliseconds{1 + x.detail % 3'000}});
    length = std::min(length, late_launch_max);
    break;
  default: // From half as fast to twice as fast; up to a year off.
    cluster_.drift(
      at, static_cast<std::int64_t>(x.detail * 37 % 1'500'000) - 500'000,
      milliseconds{static_cast<std::int64_t>(x.detail)
                   * (x.detail % 2 == 0 ? 30'000 : -30'000)});
  }
  cluster_.agenda.in(length, [this, x, at] {
    switch (x.kind) {
    case fault_kind::pause_node:
      cluster_.resume(at);
      break;
    case fault_kind::late_launch:
      cluster_.delay_launches(at, {});
      break;
    default:
      cluster_.drift(at, 0, {});
    }
    end(x, at);
  });
}

void world::strike_network(const planned_fault& x) {
  auto at = worker(x.node);
  if (at == 0)
    return;
  auto& net = cluster_.network;
  begin(x, at);
  auto length = x.length;
  if (x.kind == fault_kind::late_append)
    length += 2 * world_time{shape_.lease};
  if (x.kind == fault_kind::cut || x.kind == fault_kind::late_append
      || x.detail % 2 == 0)
    net.cut(at, 0);
  if (x.kind == fault_kind::cut
      || (x.kind == fault_kind::one_way_cut && x.detail % 2 == 1))
    net.cut(0, at);
  // The coordinator counts the lease to its end, and the worker does not: it
  // comes back as if it had never been away.
  auto unaware = has(fault_kind::clock_drift) && length > shape_.lease
                 && length < 3 * world_time{shape_.lease} / 2;
  if (unaware)
    cluster_.drift(at, slow_clock_ppm, {});
  cluster_.agenda.in(length, [this, x, at, unaware] {
    if (unaware)
      cluster_.drift(at, 0, {});
    // What waited arrives late, unless the connection was given up.
    else if (x.kind != fault_kind::late_append && x.detail / 2 % 2 == 0)
      cluster_.network.disconnect(at, 0);
    cluster_.network.heal(at, 0);
    end(x, at);
  });
}

void world::end_amid_reconnect() {
  cluster_.delay_ends(true);
  cluster_.agenda.in(milliseconds{reconnecting_ms},
                     [this] { cluster_.delay_ends(false); });
  for (const auto& [id, run] : judge_.runs())
    if (!run.external && !is_terminal(run.status))
      cluster_.agenda.in(
        milliseconds{random_.below(reconnecting_ms / 3)}, [this, id = id] {
          if (!healed_)
            kill_agent(id, fault_kind::agent_kill, "last words\n");
        });
}

void world::strike_coordinator(const planned_fault& x) {
  if (!cluster_.is_up(0))
    return;
  if (strikes_in_commit(x))
    judge_.tell_armed(std::string{to_string(x.kind)}, "in its next commit");
  else
    begin(x, 0);
  if (x.kind == fault_kind::slow_disk) {
    cluster_.slow_down_disk(milliseconds{1 + x.detail % 1'500});
    cluster_.agenda.in(x.length, [this, x] {
      cluster_.slow_down_disk({});
      end(x, 0);
    });
    return;
  }
  // In the middle of its next commit, landed or not, nobody hears of it.
  if (strikes_in_commit(x))
    return cluster_.disk.fail_next(x.detail % 3 == 1);
  cluster_.kill(0);
  // Long outages with agents that go on matter, too.
  if (x.detail / 4 % 2 == 0 && has(fault_kind::agent_kill)
      && some_driving_worker()) {
    restart_later(0, std::min(x.length, short_outage));
    end_amid_reconnect();
  } else {
    restart_later(0, x.length);
  }
}

void world::strike_agent(const planned_fault& x) {
  if (!ids_.empty())
    kill_agent(run_of(x), x.kind);
}

void world::kill_agent(const run_id& id, fault_kind how,
                       const std::string& last_words) {
  if (cluster_.agents->strike(id, how == fault_kind::shim_kill, last_words))
    judge_.tell(event_kind::fault, lane_kind::agent, id.str(),
                std::string{to_string(how)}, id.str());
}

void world::storm(const planned_fault& x) {
  if (ids_.empty())
    return;
  begin(x, 0);
  auto last = cluster_.agenda.now() + x.length;
  switch (x.kind) {
  case fault_kind::viewer_storm:
    viewer_gust(last);
    break;
  case fault_kind::cancel_storm: {
    if (auto at = worker_to_mislead(x)) {
      mislead(*at, [this](const run_id& id) { cancel_here(id); });
      break;
    }
    // Some runs, several times each.
    auto asked = 1 + x.detail % ids_.size();
    for (std::size_t i = 0; i < asked; ++i)
      for (std::size_t k = 0; k < 1 + x.detail % 3; ++k)
        if (const auto& id = ids_[(x.run + i) % ids_.size()];
            created_.contains(id))
          cancel(id);
    break;
  }
  case fault_kind::sweep_storm:
    for (std::size_t i = 0; i < 1 + x.detail % 5; ++i)
      cluster_.agenda.at(cluster_.agenda.now()
                           + world_time{static_cast<std::int64_t>(random_.below(
                             static_cast<std::uint64_t>(x.length.count())))},
                         0, [this] { collect_garbage(); });
    break;
  default:
    if (auto at = worker_to_mislead(x)) {
      // Nothing besides, or the runs would go elsewhere meanwhile.
      mislead(*at, [this, to = node_id{cluster_.name(*at)}](const run_id& id) {
        ask_at<run_moved>(cluster_.box(0).system(), cluster_.at(0),
                          cluster_.alive(0), takeover_run{id, to},
                          [](const result<run_moved>&) {});
      });
      break;
    }
    *greedy_ = true;
    for (std::size_t i = 0; i < ids_.size() + x.detail % 4; ++i)
      cluster_.agenda.in(
        milliseconds{random_.below(x.detail % 2 == 0 ? 5 : 1'500)},
        [this, id = ids_[(x.run + i) % ids_.size()]] {
          if (std::ranges::find(more_.runs, id, &custom_run::id)
              == more_.runs.end())
            take_over(id);
          else
            rob(id);
        });
  }
  cluster_.agenda.in(x.length, [this, x] {
    if (x.kind == fault_kind::steal_storm)
      *greedy_ = false;
    end(x, 0);
  });
}

void world::rob(const run_id& id) {
  auto at = some_node();
  if (at == cluster_.size() || !created_.contains(id))
    return;
  claim_run x;
  x.run = id;
  x.holder = "thief";
  x.ttl_ms = random_.between(1'000, 3'000);
  x.steal = true;
  ask_at<claim_granted>(
    cluster_.box(at).system(), cluster_.at(at), cluster_.alive(at), x,
    [this, id, at](const result<claim_granted>& got) {
      if (!got || random_.one_in(2))
        return; // It lapses.
      cluster_.agenda.in(milliseconds{random_.below(1'000)},
                         [this, at, what = release_claim{id, got->epoch}] {
                           if (cluster_.is_up(at))
                             ask_at<claim_released>(
                               cluster_.box(at).system(), cluster_.at(at),
                               cluster_.alive(at), what,
                               [](const result<claim_released>&) {});
                         });
    });
}

std::optional<std::size_t> world::some_driving_worker() const {
  for (std::size_t i = 1; i < cluster_.size(); ++i)
    for (const auto& [id, run] : judge_.runs())
      if (!run.external && !is_terminal(run.status) && cluster_.is_up(i)
          && run.holder == cluster_.name(i))
        return i;
  return std::nullopt;
}

std::optional<std::size_t>
world::worker_to_mislead(const planned_fault& x) const {
  if (!cluster_.is_up(0) || x.detail % 2 != 0
      || !has(fault_kind::kill_coordinator))
    return std::nullopt;
  return some_driving_worker();
}

void world::cancel_here(const run_id& id) {
  judge_.on_cancel_asked(id);
  ask_at<run_view>(
    cluster_.box(0).system(), cluster_.at(0), cluster_.alive(0), cancel_run{id},
    [this, id, life = judge_.life_of(id)](const result<run_view>& got) {
      if (got)
        judge_.on_cancel_acknowledged(id, life);
    });
}

void world::mislead(std::size_t at,
                    const std::function<void(const run_id&)>& order) {
  cluster_.network.cut(0, at);
  for (const auto& [id, run] : judge_.runs())
    if (run.holder == cluster_.name(at) && !run.external
        && !is_terminal(run.status))
      order(id);
  cluster_.agenda.in(milliseconds{random_.between(1, 200)}, [this, at] {
    if (!cluster_.is_up(0))
      return;
    judge_.tell(event_kind::fault, lane_kind::coordinator, "coordinator",
                "dies before its orders get through");
    // The connection first: what waits in it is lost.
    cluster_.network.disconnect(at, 0);
    cluster_.network.heal(at, 0);
    cluster_.kill(0);
    restart_later(0, milliseconds{random_.between(1, 500)});
  });
}

void world::viewer_gust(world_time until) {
  if (viewers_.empty() || cluster_.agenda.now() > until)
    return;
  auto& x = viewers_[random_.below(viewers_.size())];
  if (x.who && !x.what->ended) {
    caf::anon_send_exit(x.who, caf::exit_reason::user_shutdown);
    unseat(x);
    reseat_later(static_cast<std::size_t>(&x - viewers_.data()));
  }
  cluster_.agenda.in(milliseconds{random_.between(5, 300)},
                     [this, until] { viewer_gust(until); });
}

void world::heal() {
  healed_ = true;
  cluster_.agents->one_fails_in = 0;
  cluster_.make_sluggish(0);
  cluster_.delay_ends(false);
  cluster_.slow_down_disk({});
  *greedy_ = false;
  for (std::size_t i = 0; i < cluster_.size(); ++i) {
    if (i != 0) {
      if (cluster_.network.is_cut(i, 0))
        cluster_.network.disconnect(i, 0);
      cluster_.network.heal(i, 0);
    }
    cluster_.resume(i);
    cluster_.drift(i, 0, {});
    cluster_.delay_launches(i, {});
    if (!cluster_.is_up(i) && !lost_.contains(i))
      cluster_.start(i);
  }
  judge_.tell(event_kind::heal, lane_kind::coordinator, "coordinator",
              std::string{all_whole});
  end_hanging();
  call_the_roll();
}

void world::end_hanging() {
  std::vector<run_id> hanging;
  for (const auto& [id, x] : cluster_.agents->all())
    if (x.alive && x.script.hangs && !judge_.was_cancelled(x.run))
      hanging.push_back(x.run);
  for (const auto& id : hanging)
    cancel(id);
  // One that is launched only now will hang, too.
  cluster_.agenda.in(seconds{2}, [this] { end_hanging(); });
}

} // namespace baton::sim
