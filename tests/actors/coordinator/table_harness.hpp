// SPDX-License-Identifier: MIT
// A claim table on a memory store, with commits that become durable when the
// test says so. Checks of every effect that what it tells is in the store.
// Threads: one.
#pragma once

#include "actors/coordinator/claim_table.hpp"
#include "storage/memory_store.hpp"

#include <boost/test/unit_test.hpp>

#include <map>
#include <memory>

namespace baton::test {

using namespace baton::coordinator;

inline line_batch lines_of(const std::vector<std::string>& lines) {
  line_batch out;
  for (const auto& x : lines)
    out.add(x, false);
  return out;
}

inline finish_run finish_of(const std::string& id, std::uint64_t at,
                            run_status s = run_status::completed) {
  finish_run x;
  x.run = run_id{id};
  x.epoch = epoch{at};
  x.outcome.status = s;
  return x;
}

/// Of most tests: a lease of 10 s, a detached run lives for 60 s.
inline constexpr policy rules{std::chrono::seconds{10},
                              std::chrono::seconds{60}};

/// A memory store whose logs can be made unreadable from some entry on.
class half_readable_store : public storage::memory_store {
public:
  result<std::vector<entry>> read(const run_record& run,
                                  const storage::read_query& q) const override {
    auto got = memory_store::read(run, q);
    if (got)
      std::erase_if(*got, [this](const entry& e) { return e.seq > readable; });
    return got;
  }

  seq readable{UINT64_MAX};
};

class table_harness {
public:
  explicit table_harness(policy which = {}) : rules_(which) { restart(); }

  // -- time and life ----------------------------------------------------------

  void advance(std::chrono::milliseconds d) {
    now.mono += d;
    now.wall += d;
    table->on_tick(now);
    collect();
  }

  /// The process dies with whatever is not durable, and starts again.
  void restart() {
    flight_.reset();
    written_ = false;
    orders.clear();
    growth.clear();
    table = std::make_unique<claim_table>(store, rules_);
    table->restore(store.live().value(), store.instances().value(),
                   store.uptime_ms().value(), now);
    collect();
  }

  // -- asking -----------------------------------------------------------------

  template <class Request>
  token ask(Request x) {
    auto to = ++last_token_;
    if constexpr (std::is_same_v<Request, node_hello>)
      ignore_result(table->on(to, x, now), "the answer tells it too");
    else
      table->on(to, std::move(x), now);
    collect();
    return to;
  }

  /// Asks, makes everything durable, and gives the answer.
  template <class Answer, class Request>
  Answer get(Request x) {
    auto to = ask(std::move(x));
    flush();
    BOOST_REQUIRE(answers.contains(to));
    if (auto* no = std::get_if<refusal>(&answers.at(to)))
      BOOST_FAIL("refused: " << no->why.message);
    BOOST_REQUIRE(std::holds_alternative<Answer>(answers.at(to)));
    return std::get<Answer>(answers.at(to));
  }

  template <class Request>
  status refused(Request x) {
    auto to = ask(std::move(x));
    flush();
    BOOST_REQUIRE(answers.contains(to));
    auto* no = std::get_if<refusal>(&answers.at(to));
    return no == nullptr ? status{} : no->why;
  }

  bool answered(token to) const { return answers.contains(to); }

  // -- durability -------------------------------------------------------------

  bool flying() const { return flight_.has_value(); }

  void take_off() {
    flight_ = table->take_batch();
    collect();
  }

  /// The batch reaches the disk; the table does not know yet.
  void write() {
    written_ = true;
    BOOST_REQUIRE(store.save_uptime_ms(table->uptime_ms(now.mono)).ok());
    outcomes_ = store.commit_all(flight_->commits).value();
    BOOST_REQUIRE(store.change_instances(flight_->instances).ok());
    for (const auto& x : flight_->removals)
      BOOST_REQUIRE(store.remove(x.run, x.version).ok());
  }

  void land() {
    if (!std::exchange(written_, false))
      write();
    written_ = false;
    auto batch = *std::exchange(flight_, std::nullopt);
    table->committed(std::move(batch), outcomes_, now);
    collect();
  }

  void flush() {
    while (flight_ || table->has_batch()) {
      if (!flight_)
        take_off();
      land();
    }
  }

  // -- short cuts -------------------------------------------------------------

  void hello(const std::string& node, std::uint64_t life = 1) {
    get<node_welcome>(hello_of(node, life));
  }

  static node_hello hello_of(const std::string& node, std::uint64_t life = 1) {
    node_hello x;
    x.node = node_id{node};
    x.incarnation = incarnation{life};
    x.host_label = "host";
    x.providers = {"local"};
    return x;
  }

  run_view create(const std::string& id, bool external = false) {
    return get<run_created>(create_of(id, external)).view;
  }

  static create_run create_of(const std::string& id, bool external = false) {
    create_run x;
    x.spec.id = run_id{id};
    x.spec.command = {true, {"agent"}};
    x.spec.external = external;
    return x;
  }

  append_done append(const std::string& id, std::uint64_t at,
                     std::uint64_t first, std::vector<std::string> lines) {
    return get<append_done>(append_of(id, at, first, std::move(lines)));
  }

  static append_lines append_of(const std::string& id, std::uint64_t at,
                                std::uint64_t first,
                                std::vector<std::string> lines) {
    append_lines x;
    x.run = run_id{id};
    x.epoch = epoch{at};
    x.first_seq = seq{first};
    x.lines = lines_of(lines);
    return x;
  }

  run_state stored(const std::string& id) const {
    auto got = store.load(run_id{id});
    BOOST_REQUIRE(got.ok());
    return got->state;
  }

  std::vector<entry> log(const std::string& id) const {
    return store.read(store.load(run_id{id}).value(), {{}, SIZE_MAX, SIZE_MAX})
      .value();
  }

  std::vector<claim_note> claims(const std::string& id) const {
    return store.claims(store.load(run_id{id}).value()).value();
  }

  /// The orders of that type since the last call.
  template <class Order>
  std::vector<std::pair<std::string, Order>> take_orders() {
    std::vector<std::pair<std::string, Order>> out;
    std::erase_if(orders, [&](node_order& x) {
      auto* what = std::get_if<Order>(&x.what);
      if (what != nullptr)
        out.emplace_back(x.node.str(), std::move(*what));
      return what != nullptr;
    });
    return out;
  }

  half_readable_store store;
  std::unique_ptr<claim_table> table;
  instant now{mono_time{std::chrono::hours{1}},
              wall_time{std::chrono::hours{1}}};
  std::map<token, answer> answers;
  std::vector<node_order> orders;
  std::vector<log_growth> growth;
  std::vector<record_change> changes;
  std::vector<std::string> notices;
  /// Called with each answer as it is told.
  std::function<void(token, const answer&)> on_answer;

private:
  // -- I4: nothing is told before it is durable -------------------------------

  void expect_durable(const run_record& told) {
    auto got = store.load(told.id());
    BOOST_REQUIRE(got.ok());
    BOOST_TEST(got->state.version >= told.state.version);
    BOOST_TEST((got->state.no == told.state.no));
    BOOST_TEST((got->state.epoch >= told.state.epoch));
  }

  void expect_log(const run_id& run, seq last) {
    auto got = store.load(run);
    BOOST_REQUIRE(got.ok());
    BOOST_TEST((got->state.last_seq >= last));
  }

  void check(const refusal&) {}
  void check(const run_created& x) { expect_durable(x.view.record); }
  void check(const run_view& x) { expect_durable(x.record); }
  void check(const claim_granted& x) { BOOST_TEST(x.epoch.value > 0); }
  void check(const claim_released&) {}
  void check(const run_moved&) {}
  void check(const append_done& x) { expect_log(x.run, x.last_seq); }
  void check(const launch_recorded& x) { expect_durable(x.record); }
  void check(const run_finished& x) {
    expect_durable(x.view.record);
    BOOST_TEST(is_terminal(x.view.record.state.status));
  }
  void check(const run_removed& x) { BOOST_TEST(!store.load(x.run).ok()); }
  void check(const node_welcome&) {}
  void check(const node_left&) {}
  void check(const sandbox_list&) {}

  void collect(reply& x) {
    BOOST_TEST(!answers.contains(x.to));
    std::visit([this](auto& what) { check(what); }, x.what);
    if (on_answer)
      on_answer(x.to, x.what);
    answers.emplace(x.to, std::move(x.what));
  }

  void collect(node_order& x) {
    if (auto* drive = std::get_if<drive_run>(&x.what)) {
      expect_durable(drive->record);
      BOOST_TEST(drive->record.state.holder == x.node.str());
    } else if (auto* destroy = std::get_if<destroy_sandbox>(&x.what)) {
      // I10: what is to go stands on the durable list.
      auto listed = store.instances().value();
      BOOST_TEST(std::ranges::any_of(listed, [&](const instance_record& y) {
        return y.key == destroy->what.key
               && y.state == instance_state::must_destroy;
      }));
    } else if (auto* cancel = std::get_if<cancel_drive>(&x.what)) {
      BOOST_TEST(stored(cancel->run.str()).cancel_requested_at.has_value());
    }
    orders.push_back(std::move(x));
  }

  void collect(log_growth& x) {
    expect_log(x.run, x.entries.items.back()->seq);
    growth.push_back(std::move(x));
  }

  void collect(record_change& x) {
    expect_durable(x.view.record);
    changes.push_back(std::move(x));
  }

  void collect(notice& x) { notices.push_back(std::move(x.text)); }
  void collect(const node_lost&) {}

  void collect() {
    for (auto& x : table->take_effects())
      std::visit([this](auto& what) { collect(what); }, x);
  }

  policy rules_;
  token last_token_ = 0;
  std::optional<write_batch> flight_;
  bool written_ = false;
  std::vector<storage::commit_outcome> outcomes_;
};

} // namespace baton::test
