// SPDX-License-Identifier: MIT
#include "actors/sim/agents.hpp"

#include "messages/exit_marker.hpp"

#include <algorithm>
#include <utility>

namespace baton::sim {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz ,:{}[]\"0189";
/// From SIGTERM to the end of the tree.
constexpr std::uint64_t dying_ms_max = 2'000;

std::string make_line(seeded& random, std::size_t n) {
  switch (random.below(8)) {
  case 0: // Nobody knows this nonce.
    return write_exit_marker({0, {}, position{random.below(100)}},
                             "0badc0de0badc0de");
  case 1:
    return "{\"baton_exit\":" + std::to_string(random.below(3)) + "}\n";
  case 2:
    return "\n";
  case 3:
    return std::string("\xff\x00\x80", 3) + "\n";
  case 4:
    return std::to_string(n) + " "
           + random.from(letters, random.between(60, 400)) + "\n";
  default:
    return "{\"n\":" + std::to_string(n) + ",\"t\":\""
           + random.from(letters.substr(0, 20), random.below(20)) + "\"}\n";
  }
}

} // namespace

agent_script make_script(seeded& random, world_time length) {
  agent_script out;
  auto lines = random.below(40);
  std::string all;
  for (std::uint64_t i = 0; i < lines; ++i)
    all += make_line(random, i);
  if (random.one_in(3) && !all.empty())
    all += "and no newline";
  auto pieces = all.empty() ? 0 : random.between(1, 25);
  auto pause = static_cast<std::uint64_t>(length.count()) / (pieces + 1);
  for (std::size_t at = 0; at < all.size();) {
    auto n = out.pieces.size() + 1 == pieces
               ? all.size() - at
               : std::min<std::size_t>(random.between(1, all.size() / 4 + 2),
                                       all.size() - at);
    // Bursts and silences: what takes long is the exception.
    auto wait = random.one_in(3) ? random.below(3 * pause + 1)
                                 : random.below(pause / 20 + 1);
    out.pieces.push_back(
      {world_time{static_cast<std::int64_t>(wait)}, all.substr(at, n)});
    at += n;
  }
  out.exit_code = random.one_in(4) ? static_cast<int>(random.below(126)) : 0;
  // The two ways to tell of an end back each other up.
  if (random.one_in(6))
    out.writes_marker = false;
  else if (random.one_in(6))
    out.leaves_report = false;
  out.hangs = random.one_in(12);
  return out;
}

// -- the agents ---------------------------------------------------------------

agent_world::agent_world(agenda& when, seeded random)
  : agenda_(when), random_(std::move(random)) {
  // nop
}

void agent_world::plan(const run_id& run, agent_script script) {
  plans_.insert_or_assign(run, std::move(script));
}

const agent* agent_world::of(const run_id& run) const {
  const agent* newest = nullptr;
  for (const auto& [id, x] : agents_)
    if (x.run == run && (newest == nullptr || newest->launched < x.launched))
      newest = &x;
  return newest;
}

bool agent_world::any_alive() const {
  return std::ranges::any_of(agents_, [](auto& x) { return x.second.alive; });
}

sandbox::launch_outcome
agent_world::launch(const sandbox::launch_order& order) {
  const auto& id = order.where.id;
  auto& x = at(id);
  if (std::exchange(x.guard_taken, true))
    return sandbox::launch_outcome::already;
  // The run is named in its command: see world.
  x.run = run_id{order.command.argv.back()};
  x.id = id;
  if (auto script = plans_.find(x.run); script != plans_.end())
    x.script = script->second;
  x.on_disk = true;
  x.alive = true;
  x.launched = ++last_launch_;
  x.nonce = order.nonce;
  if (watch != nullptr)
    watch->on_launch(x);
  turn_later(id);
  return sandbox::launch_outcome::launched;
}

void agent_world::turn_later(const std::string& id) {
  auto& x = at(id);
  world_time pause = milliseconds{random_.below(5)};
  if (x.next_piece < x.script.pieces.size())
    pause += x.script.pieces[x.next_piece].pause;
  else if (x.script.hangs)
    return;
  agenda_.in(pause, [this, id] {
    auto& y = at(id);
    if (!y.alive || y.told_to_die)
      return;
    turn(y);
    if (y.alive)
      turn_later(id);
  });
}

void agent_world::turn(agent& x) {
  if (x.next_piece < x.script.pieces.size())
    write(x, x.script.pieces[x.next_piece++].bytes);
  else
    end(x, x.script.exit_code, {});
}

void agent_world::write(agent& x, const std::string& bytes) {
  x.journal += bytes;
  x.written += bytes;
  if (watch != nullptr)
    watch->on_output(x, bytes);
  for (const auto& [id, changed] : x.watchers)
    changed();
}

void agent_world::end(agent& x, int code, std::optional<int> signal) {
  sandbox::exit_report report;
  report.code = code;
  report.signal = signal;
  report.journal_end = position{x.journal.size()};
  report.nonce = x.nonce;
  x.alive = false;
  if (!x.lost && x.script.writes_marker) {
    if (!x.journal.empty() && x.journal.back() != '\n')
      x.journal += '\n';
    x.journal += write_exit_marker({code, signal, report.journal_end}, x.nonce);
  }
  if (!x.lost && x.script.leaves_report)
    x.exit = report;
  if (watch != nullptr)
    watch->on_exit(x);
  for (const auto& [id, changed] : x.watchers)
    changed();
}

void agent_world::kill(const std::string& id) {
  auto& x = at(id);
  x.guard_taken = true;
  if (!x.alive || std::exchange(x.told_to_die, true))
    return;
  agenda_.in(milliseconds{random_.below(dying_ms_max)}, [this, id] {
    auto& y = at(id);
    if (!y.alive)
      return;
    // What its children still had to say.
    if (random_.one_in(3))
      write(y, "last words" + std::string(random_.one_in(2) ? "\n" : ""));
    y.killed = true;
    end(y, 143, 15);
  });
}

bool agent_world::strike(const run_id& run, bool shim,
                         const std::string& last_words) {
  for (auto& [id, x] : agents_)
    if (x.run == run && x.alive) {
      if (!last_words.empty())
        write(x, last_words);
      x.killed = true;
      x.lost = shim;
      end(x, 137, 9);
      return true;
    }
  return false;
}

// -- a journal ----------------------------------------------------------------

class agent_journal : public sandbox::journal_source {
public:
  agent_journal(std::shared_ptr<agent_world> world, std::string id,
                std::function<void()> on_change)
    : world_(std::move(world)),
      id_(std::move(id)),
      number_(++world_->last_watcher_) {
    world_->at(id_).watchers.emplace(number_, std::move(on_change));
  }

  ~agent_journal() override { world_->at(id_).watchers.erase(number_); }

  result<std::size_t> read(position from, std::span<char> out) override {
    if (world_->fails())
      return {errc::io_failed, "a disk that comes back"};
    const auto& journal = world_->at(id_).journal;
    if (from.value >= journal.size())
      return std::size_t{0};
    return journal.copy(out.data(), out.size(), from.value);
  }

  result<position> size() override {
    return position{world_->at(id_).journal.size()};
  }

private:
  std::shared_ptr<agent_world> world_;
  std::string id_;
  std::uint64_t number_;
};

// -- the provider -------------------------------------------------------------

status agent_provider::gone() {
  return make_status(errc::io_failed, "this node is dead");
}

sandbox::capabilities agent_provider::can() const noexcept {
  sandbox::capabilities out;
  out.host_visible_journal = true;
  out.killable_processes = true;
  return out;
}

std::string agent_provider::make_id(const run_id& run, run_no no) const {
  return run.str() + "-" + std::to_string(no.value);
}

result<sandbox::launch_outcome>
agent_provider::launch(const sandbox::launch_order& order) {
  if (dead_)
    return gone();
  if (late_ == world_time{} || world_->at(order.where.id).guard_taken)
    return world_->launch(order);
  world_->agenda_.in(late_, [world = world_, order] { world->launch(order); });
  return {errc::outcome_unknown, "the launch takes long"};
}

result<sandbox::probe_report>
agent_provider::probe(const sandbox_binding& where) {
  if (dead_)
    return gone();
  if (world_->fails()) {
    if (world_->random_.one_in(2))
      return {errc::io_failed, "a disk that comes back"};
    return {errc::unavailable, "too many open files"};
  }
  auto& x = world_->at(where.id);
  using enum sandbox::agent_state;
  return sandbox::probe_report{!x.guard_taken ? not_launched
                               : x.alive      ? alive
                               : x.exit       ? exited
                                              : lost,
                               x.exit};
}

result<std::unique_ptr<sandbox::journal_source>>
agent_provider::open_journal(const sandbox_binding& where,
                             std::function<void()> on_change) {
  if (dead_)
    return gone();
  if (world_->fails())
    return {errc::unavailable, "too many open files"};
  return std::unique_ptr<sandbox::journal_source>{
    std::make_unique<agent_journal>(world_, where.id, std::move(on_change))};
}

status agent_provider::kill(const sandbox_binding& where) {
  if (dead_)
    return gone();
  world_->kill(where.id);
  return {};
}

result<std::string> agent_provider::stderr_tail(const sandbox_binding&,
                                                std::size_t) {
  return std::string{};
}

status agent_provider::remove(const sandbox_binding& where) {
  if (dead_)
    return gone();
  auto& x = world_->at(where.id);
  if (x.alive)
    return make_status(errc::in_use, "the agent lives");
  if (world_->fails())
    return make_status(errc::io_failed, "a disk that comes back");
  // The guard stays, and is taken when it was not: a late launch is nothing.
  x.guard_taken = true;
  x.journal.clear();
  x.exit.reset();
  if (std::exchange(x.on_disk, false) && world_->watch != nullptr)
    world_->watch->on_destroy(x);
  return {};
}

result<std::vector<sandbox::found_sandbox>> agent_provider::list() {
  if (dead_)
    return gone();
  std::vector<sandbox::found_sandbox> out;
  for (const auto& [id, x] : world_->agents_) {
    if (!x.on_disk)
      continue;
    sandbox::found_sandbox found;
    found.where.id = id;
    found.run = run_no{std::stoul(id.substr(id.rfind('-') + 1))};
    out.push_back(std::move(found));
  }
  return out;
}

} // namespace baton::sim
