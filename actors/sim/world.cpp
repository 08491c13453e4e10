// SPDX-License-Identifier: MIT
#include "actors/sim/world.hpp"

#include "actors/sim/driver_watch.hpp"
#include "actors/sim/history/linearizability.hpp"
#include "actors/sim/rude_driver.hpp"
#include "storage/memory_store.hpp"

#include <caf/send.hpp>

#include <algorithm>

namespace baton::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// After healing: the longest that anything may still take. Leases, a
/// follower's pauses of up to 30 s, a viewer's timeout.
constexpr auto healing_time = seconds{120};
/// After healing: until all have seen that what they had lost is lost.
constexpr auto aftermath = seconds{20};
/// A question without an answer is asked again.
constexpr auto question_timeout = seconds{8};
/// Between two questions who is in the cluster.
constexpr auto roll_interval = milliseconds{500};
constexpr auto agent_length = seconds{40};
/// Configurations that a history's check may look at.
constexpr std::size_t history_effort = 20'000;

coordinator::policy rules_of(const shape& x) {
  coordinator::policy out;
  out.lease = x.lease;
  out.sweep_interval = x.sweep_interval;
  out.detached_ttl = x.detached_ttl;
  return out;
}

/// Nothing parts nodes after that.
world_time nodes_stay_from(const shape& x) {
  auto parted = std::ranges::any_of(
    x.plan, [](const planned_fault& f) { return parts_nodes(f.kind); });
  return parted ? x.horizon + aftermath : world_time{};
}

bool owes_sandboxes(const storage::store& contents) {
  auto listed = contents.instances();
  return listed && std::ranges::any_of(*listed, [](const auto& x) {
           return x.state == instance_state::must_destroy;
         });
}

} // namespace

std::shared_ptr<storage::store> world::make_engine() {
  if (shape_.store == engine::memory)
    return std::make_shared<storage::memory_store>();
  rocksdb_ = std::make_unique<rocksdb_engine>();
  return rocksdb_->open();
}

world::world(shape what, additions more)
  : shape_(std::move(what)),
    more_(std::move(more)),
    cluster_({shape_.seed, shape_.nodes, shape_.delays, rules_of(shape_),
              make_engine()}),
    judge_(trace_, *cluster_.agents, [this] { return cluster_.agenda.now(); }),
    random_(cluster_.random.fork()) {
  trace_.lane_of(lane_kind::coordinator, "coordinator");
  for (std::size_t i = 0; i < cluster_.size(); ++i) {
    trace_.lane_of(lane_kind::node, cluster_.name(i));
    judge_.nodes.insert(cluster_.name(i));
  }
  judge_.also = more_.check;
  judge_.detached_ttl = shape_.detached_ttl;
  // Actors that are held up can miss their leases.
  if (shape_.sluggish == 0)
    judge_.nodes_stay_from = nodes_stay_from(shape_);
  cluster_.agents->watch = &judge_;
  cluster_.agents->one_fails_in = shape_.provider_fails_in;
  cluster_.make_sluggish(shape_.sluggish);
  listen();
  for (std::size_t i = 0; i < cluster_.size(); ++i)
    cluster_.start(i);
  plan();
}

world::~world() {
  // Those who would still be told of it go first.
  cluster_.on_step = {};
  cluster_.on_killed = {};
  cluster_.on_started = {};
  cluster_.on_fatal = {};
  cluster_.disk.on_power_off = {};
  cluster_.disk.on_commit = {};
  cluster_.disk.on_remove = {};
  cluster_.network.on_sent = {};
  cluster_.network.on_lost = {};
  for (auto& x : viewers_)
    if (x.who)
      unseat(x);
}

void world::listen() {
  auto& net = cluster_.network;
  net.on_sent = [this](network::route way, const caf::message& x) {
    if (way.first == 0)
      judge_.on_told(x, cluster_.name(way.second));
    else if (way.second == 0)
      judge_.on_asked(x, cluster_.name(way.first));
  };
  net.on_lost = [this](network::route way, const caf::message& x) {
    judge_.on_lost(x, cluster_.name(way.first));
  };
  cluster_.disk.on_commit = [this](const storage::commit& c,
                                   const storage::commit_outcome& got) {
    judge_.on_commit(c, got);
  };
  if (rocksdb_) {
    cluster_.disk.on_power_off = [this] { rocksdb_->lose_power(); };
    cluster_.disk.reopen = [this] { return rocksdb_->open(); };
  }
  cluster_.disk.on_remove = [this](const run_id& x) { judge_.on_remove(x); };
  cluster_.on_step = [this](std::size_t where, caf::actor_id who) {
    trace_.mix(where << 48 ^ who);
  };
  cluster_.on_started = [this](std::size_t i) { on_started(i); };
  cluster_.on_killed = [this](std::size_t i) { on_killed(i); };
  cluster_.on_fatal = [this] {
    cluster_.agenda.in({}, [this] {
      if (cluster_.is_up(0))
        judge_.show_death();
      cluster_.kill(0);
      restart_later(0, milliseconds{random_.below(3'000)});
    });
  };
}

void world::regret(const planned_run& x, seeded& random) {
  auto script = make_script(random, agent_length);
  script.hangs = true;
  // No acknowledgement will carry the cancel, either.
  if (random.one_in(2))
    script.pieces.clear();
  cluster_.agents->plan(x.id, std::move(script));
  // About while the launch is under way.
  auto slow = has(fault_kind::late_launch);
  auto until = slow ? world_time{seconds{2}} : 8 * shape_.delays.max;
  regretted_.emplace(x.id, world_time{static_cast<std::int64_t>(random.below(
                             static_cast<std::uint64_t>(until.count()) + 1))});
  if (slow)
    cluster_.agenda.at(x.created, 0, [this] {
      for (std::size_t i = 0; i < cluster_.size(); ++i)
        strike({fault_kind::late_launch, {}, seconds{3}, i, 0, 2'000});
    });
}

void world::plan() {
  auto& when = cluster_.agenda;
  // Not from `random_`: what others draw does not depend on it.
  seeded regrets{shape_.seed};
  for (const auto& x : shape_.runs) {
    ids_.push_back(x.id);
    if (!x.external)
      cluster_.agents->plan(x.id, make_script(random_, agent_length));
    if (!x.external && has(fault_kind::cancel_storm) && regrets.one_in(3))
      regret(x, regrets);
    for (std::size_t i = 0; x.external && i < x.drivers; ++i)
      drivers_.push_back({x.id,
                          x.id.str() + "/d" + std::to_string(i + 1),
                          random_.below(cluster_.size()),
                          x.entries,
                          nullptr,
                          {}});
    if (x.external && random_.one_in(2))
      drivers_.push_back({x.id,
                          x.id.str() + "/rude",
                          random_.below(cluster_.size()),
                          0,
                          nullptr,
                          {},
                          true});
    when.at(x.created, 0,
            [this, id = x.id, external = x.external] { create(id, external); });
    if (!x.external && random_.one_in(3))
      when.at(milliseconds{random_.between(20'000, 55'000)}, 0,
              [this, id = x.id] { replace(id); });
  }
  // Not beside the coordinator: nothing would come between the two.
  std::size_t seats = 0;
  for (const auto& x : more_.runs) {
    ids_.push_back(x.id);
    judge_.expect(x.id, x.source);
    for (const auto& d : more_.drivers)
      drivers_.push_back({x.id, d.name, worker(seats++), 0, &d, x.source});
    auto what = std::make_shared<viewing>();
    what->name = "viewer of " + x.id.str();
    what->run = x.id;
    viewers_.push_back({std::move(what), 0, nullptr, nullptr});
    when.at(milliseconds{random_.below(1'000)}, 0,
            [this, id = x.id, i = viewers_.size() - 1] {
              create(id, true);
              reseat_later(i);
            });
  }
  for (std::size_t i = 0; i < shape_.viewers.size(); ++i) {
    const auto& x = shape_.viewers[i];
    auto what = std::make_shared<viewing>();
    what->name = "v" + std::to_string(i + 1);
    what->run = shape_.runs[x.run].id;
    what->page = static_cast<std::uint32_t>(random_.between(1, 4));
    viewers_.push_back({std::move(what), x.node, nullptr, nullptr});
    when.at(x.comes, 0,
            [this, k = viewers_.size() - 1] { seat(k, viewers_[k].node); });
  }
  for (const auto& x : shape_.plan)
    when.at(x.at, 0, [this, x] { strike(x); });
  when.at(shape_.horizon, 0, [this] { heal(); });
}

// -- those who use it ---------------------------------------------------------

std::size_t world::some_node() {
  auto first = random_.below(cluster_.size());
  for (std::size_t i = 0; i < cluster_.size(); ++i)
    if (auto at = (first + i) % cluster_.size(); cluster_.is_up(at))
      return at;
  return cluster_.size();
}

template <class Answer, class Request>
void world::insist(Request x, std::function<void(const result<Answer>&)> told) {
  auto again = [this, x, told] {
    cluster_.agenda.in(milliseconds{random_.between(100, 1'000)},
                       [this, x, told] { insist<Answer>(x, told); });
  };
  auto at = some_node();
  if (at == cluster_.size())
    return again();
  auto answered = std::make_shared<bool>(false);
  ++open_questions_;
  cluster_.agenda.in(question_timeout, [this, answered, again] {
    if (std::exchange(*answered, true))
      return;
    --open_questions_;
    again();
  });
  ask_at<Answer>(cluster_.box(at).system(), cluster_.at(at), cluster_.alive(at),
                 x, [this, answered, again, told](result<Answer> got) {
                   if (std::exchange(*answered, true))
                     return;
                   --open_questions_;
                   if (!got) {
                     auto what = got.error().code;
                     // Not there yet; to a removal it is the answer.
                     auto too_early = what == errc::unknown_run
                                      && !std::is_same_v<Request, remove_run>;
                     if (what == errc::unavailable || what == errc::timed_out
                         || what == errc::outcome_unknown || too_early)
                       return again();
                   }
                   told(got);
                 });
}

void world::create(const run_id& id, bool external) {
  create_run x;
  x.spec.id = id;
  x.spec.command = {true, {id.str()}};
  x.spec.external = external;
  insist<run_created>(x, [this, id](const result<run_created>& got) {
    if (!got)
      return judge_.accuse(
        "I4", id.str(), "a run could not be created: " + got.error().message);
    judge_.on_created(id);
    on_created(id);
  });
}

void world::on_created(const run_id& id) {
  created_.insert(id);
  if (auto soon = regretted_.extract(id)) {
    // The cancel meets a driver that knows nothing of another's late launch.
    if (has(fault_kind::late_launch))
      cluster_.agenda.in(soon.mapped() / 2, [this, id] { take_over(id); });
    cluster_.agenda.in(soon.mapped(), [this, id] { cancel(id); });
  }
  for (std::size_t i = 0; i < drivers_.size(); ++i)
    if (drivers_[i].run == id)
      start_driver(i);
}

/// The same id again, for another agent: nothing of the first may reach it.
void world::replace(const run_id& id) {
  auto run = judge_.runs().find(id);
  auto watched = std::ranges::any_of(
    viewers_, [&](auto& x) { return x.what->run == id && !x.what->ended; });
  if (run == judge_.runs().end() || !is_terminal(run->second.status) || watched)
    return;
  created_.erase(id);
  insist<run_removed>(remove_run{id}, [this, id](const result<run_removed>& x) {
    // Removed, and then asked again, because the answer was lost.
    if (!x && x.error().code != errc::unknown_run)
      return judge_.accuse("I4", id.str(),
                           "an ended run could not be removed: "
                             + x.error().message);
    cluster_.agents->plan(id, make_script(random_, agent_length / 4));
    create(id, false);
  });
}

void world::cancel(const run_id& id) {
  judge_.tell(event_kind::request, lane_kind::coordinator, "coordinator",
              "cancel", id.str());
  judge_.on_cancel_asked(id);
  insist<run_view>(cancel_run{id}, [this, id, life = judge_.life_of(id)](
                                     const result<run_view>& got) {
    if (got)
      judge_.on_cancel_acknowledged(id, life);
  });
}

void world::collect_garbage() {
  insist<garbage_report>(baton::collect_garbage{true},
                         [](const result<garbage_report>&) {});
}

void world::take_over(const run_id& id) {
  auto at = some_node();
  if (at == cluster_.size())
    return;
  judge_.tell(event_kind::request, lane_kind::node, cluster_.name(at),
              "takeover", id.str());
  takeover_run x{id, {}};
  if (random_.one_in(2))
    x.node = node_id{cluster_.name(random_.below(cluster_.size()))};
  ask_at<run_moved>(cluster_.box(at).system(), cluster_.at(at),
                    cluster_.alive(at), x, [](const result<run_moved>&) {});
}

void world::seat(std::size_t i, std::size_t node) {
  auto& x = viewers_[i];
  if (x.what->ended || x.who)
    return;
  if (!cluster_.is_up(node) || !created_.contains(x.what->run))
    return reseat_later(i);
  x.node = node;
  trace_.lane_of(lane_kind::viewer, x.what->name);
  x.here = std::make_shared<bool>(true);
  auto& box = cluster_.box(node);
  x.who = box.own(box.system().spawn(
    viewer, viewer_site{cluster_.at(node), x.here, &judge_}, x.what));
}

void world::unseat(seated_viewer& x) {
  *x.here = false;
  x.who = nullptr;
}

void world::reseat_later(std::size_t i) {
  cluster_.agenda.in(milliseconds{random_.between(50, 1'500)},
                     [this, i] { seat(i, random_.below(cluster_.size())); });
}

void world::start_driver(std::size_t i) {
  auto& x = drivers_[i];
  if (!cluster_.is_up(x.node) || !created_.contains(x.run))
    return;
  driver_site site{cluster_.at(x.node), x.run, x.name, cluster_.env(x.node),
                   x.source};
  auto& box = cluster_.box(x.node);
  trace_.place(trace_.lane_of(lane_kind::driver, x.name),
               trace_.lane_of(lane_kind::node, cluster_.name(x.node)));
  if (x.custom != nullptr) {
    site.coordinator =
      watched_handle(box.system(), site.coordinator,
                     {x.name, x.run, cluster_.alive(x.node), &judge_});
    box.own(box.system().spawn(x.custom->make, site));
    return;
  }
  driver_options options;
  options.site = std::move(site);
  options.alive = cluster_.alive(x.node);
  options.judge = &judge_;
  auto& heard = histories_[x.run];
  if (!heard)
    heard = std::make_shared<run_history>();
  options.heard = heard;
  options.random = random_.fork();
  options.client = ++clients_;
  options.entries = x.entries;
  options.greedy = greedy_;
  box.own(box.system().spawn(x.rude ? rude_driver : driver, options));
}

void world::on_killed(std::size_t node) {
  for (std::size_t i = 0; i < viewers_.size(); ++i)
    if (viewers_[i].who && viewers_[i].node == node) {
      unseat(viewers_[i]);
      reseat_later(i);
    }
}

void world::on_started(std::size_t node) {
  if (node == 0)
    judge_.on_recovered(cluster_.disk.contents());
  for (std::size_t i = 0; i < drivers_.size(); ++i)
    if (drivers_[i].node == node)
      start_driver(i);
}

// -- to the end ---------------------------------------------------------------

void world::call_the_roll() {
  insist<node_list>(list_nodes{}, [this](const result<node_list>& got) {
    missing_.clear();
    for (std::size_t i = 0; i < cluster_.size(); ++i)
      if (!lost_.contains(i)
          && (!got || std::ranges::none_of(got->nodes, [&](const node_view& x) {
               return x.node.str() == cluster_.name(i) && x.state == "live";
             })))
        missing_ = cluster_.name(i);
    roll_is_full_ = missing_.empty();
    if (!roll_is_full_)
      cluster_.agenda.in(roll_interval, [this] { call_the_roll(); });
  });
}

bool world::is_settled() const {
  if (created_.size() != ids_.size() || open_questions_ != 0 || !roll_is_full_
      || cluster_.agents->any_alive())
    return false;
  return std::ranges::all_of(
           judge_.runs(), [](auto& x) { return is_terminal(x.second.status); })
         && std::ranges::all_of(viewers_, [](auto& x) { return x.what->ended; })
         && !owes_sandboxes(cluster_.disk.contents());
}

void world::run(std::size_t steps_max, bool judge_all) {
  auto until = shape_.horizon + healing_time;
  for (; steps_ < steps_max && !judge_.broken(); ++steps_) {
    // Cheap enough only now and then.
    if (healed_ && steps_ % 64 == 0 && (is_settled() || now() > until))
      break;
    if (!cluster_.step())
      break;
  }
  if (!judge_.broken() && (steps_ < steps_max || judge_all))
    finish();
}

void world::finish() {
  judge_.on_settled(cluster_.disk.contents());
  for (const auto& x : viewers_)
    if (!x.what->ended)
      judge_.accuse("I9", x.what->run.str(),
                    x.what->name + " still waits for the end, behind entry "
                      + std::to_string(x.what->cursor.value));
  if (created_.size() != ids_.size())
    judge_.accuse("I9", "", "a run could not be created");
  if (!roll_is_full_)
    judge_.accuse("I9", "",
                  missing_.empty() ? "nobody can tell who is in the cluster"
                                   : "node '" + missing_
                                       + "' lives and is within reach, and is "
                                         "not in the cluster");
  if (cluster_.network.unreadable != 0)
    judge_.accuse("I9", "", "a message could not be read by its receiver");
  for (const auto& [id, heard] : histories_) {
    auto run = judge_.runs().find(id);
    if (run == judge_.runs().end() || run->second.cancelled)
      continue;
    auto found =
      history::check(heard->all, history_effort, run->second.first_epoch);
    if (found.what == history::verdict::impossible)
      judge_.accuse("I1", id.str(),
                    "what the drivers were told: " + found.text);
  }
}

} // namespace baton::sim
