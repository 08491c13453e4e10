// SPDX-License-Identifier: MIT
#include "actors/sim/cluster.hpp"

#include "actors/cluster/dial.hpp"
#include "actors/journal/journal_follower.hpp"
#include "messages/caf_types.hpp"
#include "messages/check.hpp"

#include <caf/event_based_actor.hpp>

#include <utility>

namespace baton::sim {
namespace {

/// Where every calendar of a world begins.
constexpr wall_time calendar_begin{std::chrono::hours{24 * 20'000}};
constexpr std::uint64_t held_ms_max = 400;

} // namespace

cluster::cluster(cluster_options options)
  : random(options.seed),
    disk(options.store),
    network(agenda, options.delays, random.fork()),
    agents(std::make_shared<agent_world>(agenda, random.fork())),
    options_(std::move(options)),
    nodes_(options_.nodes) {
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    nodes_[i].name = "n" + std::to_string(i + 1);
  disk.on_write = [this] {
    if (disk_pause_ != world_time{})
      hold(0, box(0).running(), disk_pause_);
  };
}

cluster::~cluster() {
  agents->watch = nullptr;
  on_killed = {};
  for (std::size_t i = nodes_.size(); i-- > 0;)
    kill(i);
  agenda.clear();
}

// -- life ---------------------------------------------------------------------

void cluster::start(std::size_t i) {
  auto& x = nodes_[i];
  BATON_CHECK(!x.box, "a node lives once at a time");
  x.box = std::make_unique<machine>(++lives_, agenda.now());
  x.box->at(agenda.now());
  x.alive = std::make_shared<bool>(true);
  x.paused = false;
  x.jump = {};
  x.random = std::make_shared<seeded>(random.fork());
  x.provider = std::make_shared<agent_provider>(agents);
  network.attach(i, *x.box);
  if (i == 0)
    start_coordinator(x);
  else
    start_worker(i, x);
  x.box->own(x.handles.session);
  x.box->own(x.handles.coordinator);
  if (on_started)
    on_started(i);
}

void cluster::start_coordinator(member& x) {
  baton::node::node_options options;
  options.node = node_id{x.name};
  options.host_label = "host";
  options.store = disk.open();
  options.providers = {x.provider};
  options.env = env(0);
  options.rules = options_.rules;
  options.on_fatal = [this, alive = x.alive](const status&) {
    if (*alive && on_fatal)
      on_fatal();
  };
  options.detach = false;
  auto started = baton::node::spawn_node(x.box->system(), std::move(options));
  BATON_CHECK(started.ok(), "a coordinator starts on a sound store");
  x.handles = *std::move(started);
  x.box->own(x.handles.reader);
}

void cluster::start_worker(std::size_t i, member& x) {
  baton::node::worker_options options;
  options.node = node_id{x.name};
  options.host_label = "host";
  options.dialer = x.box->own(x.box->system().spawn(dialer, this, i));
  options.providers = {x.provider};
  options.env = env(i);
  options.detach = false;
  x.handles = baton::node::spawn_worker(x.box->system(), std::move(options));
}

caf::behavior cluster::dialer(caf::event_based_actor*, cluster* all,
                              std::size_t i) {
  return {[all, i, alive = all->alive(i)](dial) -> caf::result<greeted> {
    if (!*alive || !all->is_up(0) || all->network.is_cut(0, i))
      return to_caf_error(make_status(errc::unavailable, "no way there"));
    greeted out;
    out.role = "coordinator";
    out.coordinator = all->network.handle(i, 0, all->at(0));
    return out;
  }};
}

void cluster::kill(std::size_t i) {
  auto& x = nodes_[i];
  if (!x.box)
    return;
  *x.alive = false;
  x.provider->cut_off();
  if (i == 0)
    disk.power_off();
  if (on_killed)
    on_killed(i);
  network.detach(i);
  x.handles = {};
  x.provider = nullptr;
  x.box.reset();
}

environment cluster::env(std::size_t i) {
  environment out;
  out.now_wall = [this, i] {
    auto& x = nodes_[i];
    if (!x.box)
      return calendar_begin;
    return std::chrono::floor<std::chrono::milliseconds>(
      calendar_begin + x.jump
      + std::chrono::duration_cast<std::chrono::milliseconds>(
        x.box->clock().time_since_epoch()));
  };
  out.random_bytes = [from = nodes_[i].random](std::size_t n) {
    return from->bytes(n);
  };
  return out;
}

void cluster::drift(std::size_t i, std::int64_t ppm,
                    std::chrono::milliseconds jump) {
  if (!is_up(i))
    return;
  nodes_[i].box->drift(agenda.now(), ppm);
  nodes_[i].jump = jump;
}

void cluster::delay_launches(std::size_t i, world_time by) {
  if (is_up(i))
    nodes_[i].provider->delay_launches(by);
}

// -- time ---------------------------------------------------------------------

bool cluster::step() {
  return run_somebody() || pass_time();
}

bool cluster::run_somebody() {
  std::size_t all = 0;
  for (auto& x : nodes_)
    if (x.box && !x.paused)
      all += x.box->ready();
  if (all == 0)
    return false;
  auto which = random.below(all);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    auto& x = nodes_[i];
    if (!x.box || x.paused)
      continue;
    if (which >= x.box->ready()) {
      which -= x.box->ready();
      continue;
    }
    auto who = x.box->who(which);
    if (on_step)
      on_step(i, who);
    if (sluggish_ != 0 && random.below(1'000) < sluggish_)
      hold(i, who, std::chrono::milliseconds{random.below(held_ms_max)});
    if (late_ends_ && hears_of_end(*x.box, which))
      hold(i, who, std::chrono::milliseconds{1 + random.below(held_ms_max)});
    x.box->at(agenda.now());
    x.box->run(which);
    return true;
  }
  return false;
}

bool cluster::hears_of_end(const machine& where, std::size_t which) {
  auto* mail = where.next_mail(which);
  return mail != nullptr
         && mail->content().match_elements<journal::journal_over>();
}

bool cluster::pass_time() {
  auto next = agenda.next();
  machine* fires = nullptr;
  for (auto& x : nodes_)
    if (x.box && !x.paused)
      if (auto timer = x.box->next_timer();
          timer && (!next || *timer < *next)) {
        next = timer;
        fires = x.box.get();
      }
  if (!next)
    return false;
  agenda.pass_to(*next);
  if (fires == nullptr) {
    agenda.run_next();
  } else {
    fires->at(agenda.now());
    fires->fire_timer();
  }
  return true;
}

void cluster::hold(std::size_t i, caf::actor_id who, world_time how_long) {
  if (who == 0)
    return;
  auto* where = nodes_[i].box.get();
  where->hold(who);
  agenda.at(agenda.now() + how_long, where->life(),
            [where, who] { where->release(who); });
}

} // namespace baton::sim
