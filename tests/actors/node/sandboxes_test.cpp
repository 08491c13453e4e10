// SPDX-License-Identifier: MIT
// Goal: whatever dies between create, launch, cancel and destroy, no sandbox is
// forgotten and none is destroyed under a run (I10, I11, BR-039).
// Method: a whole node under CAF's test coordinator; it dies after every
// possible number of steps.
#include "tests/actors/node_world.hpp"

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::test;

namespace {

struct scenario {
  std::string name;
  bool cancel = false;
  bool reuse = false;
  int remove_failures = 0;
};

const scenario scenarios[] = {{"plain", false, false, 0},
                              {"cancelled", true, false, 0},
                              {"shared", false, true, 0},
                              {"cancelled, shared", true, true, 0},
                              {"removal fails", false, false, 3}};

create_run request_of(const scenario& s) {
  create_run x;
  x.spec.id = run_id{"r"};
  x.spec.command = {true, {"agent"}};
  x.spec.sandbox.reuse = s.reuse;
  x.spec.sandbox.destroy_on_complete = s.reuse;
  return x;
}

/// Nothing is on the list, and nothing lies there.
bool is_clean(const node_world& w) {
  if (!w.disk->instances()->empty() || !w.agents->shared.empty())
    return false;
  return std::ranges::none_of(w.agents->agents, [](const auto& x) {
    return x.second.on_disk || x.second.alive;
  });
}

/// What lies there stands on the list, at any time (I10).
void check_listed(const node_world& w) {
  auto listed = w.disk->instances().value();
  for (const auto& [id, x] : w.agents->agents)
    if (x.on_disk)
      BOOST_TEST(std::ranges::count(listed, id, &instance_record::id) == 1, id);
  for (const auto& id : w.agents->shared)
    BOOST_TEST(std::ranges::count(listed, id, &instance_record::id) == 1, id);
}

/// Sends without waiting, as people do who do not hear the answer.
void ask_for_it(node_world& w, const scenario& s) {
  caf::anon_send(w.handles.coordinator, request_of(s));
  if (s.cancel)
    caf::anon_send(w.handles.coordinator, cancel_run{run_id{"r"}});
}

} // namespace

BOOST_AUTO_TEST_SUITE(node_sandboxes)

BOOST_AUTO_TEST_CASE(a_death_after_any_number_of_steps_forgets_no_sandbox) {
  for (const auto& s : scenarios) {
    auto clean_first = false;
    std::size_t steps = 0;
    for (; !clean_first && steps < 3'000; steps += 1 + steps / 40)
      BOOST_TEST_CONTEXT(s.name << ", death after step " << steps) {
        node_world w{steps + 11};
        w.agents->script.assign(s.cancel ? 1'000 : 3, "line\n");
        w.agents->remove_failures = s.remove_failures;
        ask_for_it(w, s);
        for (std::size_t i = 0; i < steps && !clean_first; ++i) {
          w.sim->step();
          check_listed(w);
          clean_first = w.ended("r") && is_clean(w);
        }
        check_listed(w);

        w.restart();

        ask_for_it(w, s);
        BOOST_TEST(w.sim->run_until([&] { return w.ended("r"); }));
        BOOST_TEST(w.sim->run_until([&] { return is_clean(w); }));
        if (auto* agent = w.agent_of("r"))
          BOOST_TEST(agent->launches <= 1U);
        auto state = w.disk->load(run_id{"r"})->state;
        BOOST_TEST(
          (state.status
           == (s.cancel ? run_status::aborted : run_status::completed)));
      }
    BOOST_TEST(clean_first, s.name);
  }
}

BOOST_AUTO_TEST_CASE(a_cancel_is_delivered_and_its_sandbox_gone) {
  node_world w{5};
  w.agents->script.assign(10'000, "line\n");
  BOOST_REQUIRE(w.create("r").ok());
  BOOST_REQUIRE(w.sim->run_until([&] { return w.agents->any_alive(); }));
  BOOST_REQUIRE(
    w.sim->ask<run_view>(w.handles.coordinator, cancel_run{run_id{"r"}}).ok());
  BOOST_TEST(w.sim->run_until([&] { return w.ended("r"); }));
  auto state = w.disk->load(run_id{"r"})->state;
  BOOST_TEST(state.cancel_delivered_at.has_value());
  BOOST_TEST(w.sim->run_until([&] { return is_clean(w); }));
  auto view = w.sim->ask<run_view>(w.handles.coordinator, get_run{run_id{"r"}});
  BOOST_REQUIRE(view.ok());
  BOOST_TEST((view->sandbox == sandbox_stage::gone));
}

BOOST_AUTO_TEST_CASE(a_driver_that_dies_after_the_cancel_has_a_successor) {
  for (std::uint64_t steps = 0; steps < 60; ++steps)
    BOOST_TEST_CONTEXT("death " << steps << " steps behind the cancel") {
      node_world w{steps};
      w.agents->script.assign(10'000, "line\n");
      BOOST_REQUIRE(w.create("r").ok());
      BOOST_REQUIRE(w.sim->run_until([&] { return w.agents->any_alive(); }));
      caf::anon_send(w.handles.coordinator, cancel_run{run_id{"r"}});
      BOOST_REQUIRE(w.sim->run_until([&] {
        return w.disk->load(run_id{"r"})->state.cancel_requested_at.has_value();
      }));
      for (std::uint64_t i = 0; i < steps; ++i)
        w.sim->step();

      w.restart();

      BOOST_TEST(w.sim->run_until([&] { return w.ended("r") && is_clean(w); }));
      BOOST_TEST(
        (w.disk->load(run_id{"r"})->state.status == run_status::aborted));
    }
}

BOOST_AUTO_TEST_CASE(garbage_is_shown_then_removed_and_the_young_is_left) {
  node_world w{9};
  BOOST_REQUIRE(w.create("r").ok());
  BOOST_REQUIRE(w.sim->run_until([&] { return w.ended("r") && is_clean(w); }));
  auto* agent = w.agent_of("r");
  agent->on_disk = true; // As if the list had never known it.
  auto id = w.disk->load(run_id{"r"})->state.sandbox.id;
  w.agents->agents["other-77"].on_disk = true;

  auto look = [&](bool remove) {
    std::map<std::string, std::string> out;
    auto got = w.sim->ask<garbage_report>(w.handles.coordinator,
                                          collect_garbage{remove});
    BOOST_REQUIRE(got.ok());
    BOOST_TEST(got->silent.empty());
    for (const auto& x : got->found)
      out[x.id] = x.fate;
    return out;
  };

  auto shown = look(false);
  BOOST_TEST(shown[id] == "removable");
  BOOST_TEST(shown["other-77"] == "kept");
  BOOST_TEST(agent->on_disk);
  auto removed = look(true);
  BOOST_TEST(removed[id] == "removed");
  BOOST_TEST(removed["other-77"] == "kept");
  BOOST_TEST(!agent->on_disk);
  BOOST_TEST(w.agents->agents["other-77"].on_disk);
}

BOOST_AUTO_TEST_SUITE_END()
