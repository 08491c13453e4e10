// SPDX-License-Identifier: MIT
// Goal: a run reaches its end with every byte once, whatever dies on the way.
// Method: a whole node under CAF's test coordinator; it dies after every
// possible number of steps, and in random schedules with takeovers.
#include "tests/actors/node_world.hpp"

#include <caf/detail/test_actor_clock.hpp>

#include <boost/test/unit_test.hpp>

using namespace baton;
using namespace baton::test;

namespace {

const std::vector<std::string> plain_script{
  "{\"n\":1}\n", "second\nthi", "rd\n", std::string{"\0x\r\n", 4}, "last"};

std::string text_of(const std::vector<entry>& log) {
  std::string out;
  for (const auto& e : log)
    out += e.data;
  return out;
}

/// I2, I3, I5 and I7 from the store and the world alone.
void check_run(node_world& w, const std::string& run) {
  auto* agent = w.agent_of(run);
  BOOST_REQUIRE(agent != nullptr);
  BOOST_TEST(agent->launches == 1); // I7
  auto log = w.log(run);
  BOOST_TEST(text_of(log) == agent->written);
  std::uint64_t n = 0, end = 0, at_epoch = 0;
  for (const auto& e : log) {
    BOOST_TEST(e.seq.value == ++n);
    BOOST_TEST(e.begin.value == end);
    end = e.end.value;
    BOOST_TEST(e.epoch.value >= at_epoch);
    at_epoch = e.epoch.value;
  }
}

void check_viewing(const viewing& seen, const fake_agent& agent) {
  BOOST_TEST(seen.ended);
  for (std::size_t i = 0; i < seen.seqs.size(); ++i)
    BOOST_TEST(seen.seqs[i] == i + 1); // I8
  BOOST_TEST(seen.bytes == agent.written);
}

/// Creates the run, unless it is there; true once it was told.
bool create_within(node_world& w, std::size_t steps) {
  auto told = std::make_shared<bool>(false);
  create_run x;
  x.spec.id = run_id{"r"};
  x.spec.command = {true, {"agent"}};
  auto coordinator = w.handles.coordinator;
  w.sim->own(w.sim->system.spawn([=](caf::event_based_actor* self) {
    self->request(coordinator, std::chrono::seconds{60}, x)
      .then([=](run_created&) { *told = true; }, [=](const caf::error&) {});
  }));
  for (std::size_t i = 0; i < steps && w.sim->step(); ++i)
    if (w.ended("r"))
      break;
  return *told;
}

} // namespace

BOOST_AUTO_TEST_SUITE(node_node)

BOOST_AUTO_TEST_CASE(a_run_goes_from_create_to_its_last_byte) {
  node_world w{1};
  w.agents->script = plain_script;
  auto made = w.create("r");
  BOOST_REQUIRE(made.ok());
  BOOST_TEST(!made->existed);
  auto seen = std::make_shared<viewing>();
  w.watch("r", seen);

  BOOST_TEST(w.sim->run_until([&] { return w.ended("r") && seen->ended; }));

  check_run(w, "r");
  check_viewing(*seen, *w.agent_of("r"));
  auto state = w.disk->load(run_id{"r"})->state;
  BOOST_TEST((state.status == run_status::completed));
  BOOST_TEST(*state.exit_code == 0);
  BOOST_TEST(state.end.value == w.agent_of("r")->written.size());
}

BOOST_AUTO_TEST_CASE(an_agent_launched_late_is_killed_behind_the_end) {
  node_world w{3};
  auto made = w.create("r");
  BOOST_REQUIRE(made.ok());
  BOOST_REQUIRE(w.sim->run_until([&] { return w.ended("r"); }));
  auto* agent = w.agent_of("r");
  BOOST_REQUIRE(w.sim->run_until([&] { return !agent->on_disk; }));
  agent->on_disk = true;
  agent->alive = true;
  agent->script.assign(10'000, "late\n");

  w.restart();

  BOOST_TEST(w.sim->run_until([&] { return !agent->on_disk; }));
  BOOST_TEST(agent->told_to_die);
}

BOOST_AUTO_TEST_CASE(
  a_crash_after_any_number_of_steps_loses_and_doubles_nothing) {
  std::size_t steps = 0;
  auto finished_first = false;
  for (; !finished_first && steps < 2'000; ++steps)
    BOOST_TEST_CONTEXT("crash after step " << steps) {
      node_world w{7};
      w.agents->script = plain_script;
      auto seen = std::make_shared<viewing>();
      w.watch("r", seen);
      auto told = create_within(w, steps);
      finished_first = w.ended("r");

      w.restart();

      // I4: a run that was told is there; else the caller asks again.
      if (told)
        BOOST_TEST(w.disk->load(run_id{"r"}).ok());
      auto made = w.create("r");
      BOOST_REQUIRE(made.ok());
      if (!seen->ended)
        w.watch("r", seen);
      BOOST_TEST(w.sim->run_until([&] { return w.ended("r") && seen->ended; }));
      check_run(w, "r");
      check_viewing(*seen, *w.agent_of("r"));
      BOOST_TEST(w.sim->run_until([&] { return !w.agent_of("r")->on_disk; }));
      BOOST_TEST(
        (w.disk->load(run_id{"r"})->state.status == run_status::completed));
    }
  BOOST_TEST(finished_first);
  BOOST_TEST(steps > 30);
}

BOOST_AUTO_TEST_CASE(random_schedules_crashes_and_takeovers_keep_the_log) {
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    BOOST_TEST_CONTEXT("seed " << seed) {
      node_world w{seed};
      seeded random{seed};
      w.agents->script.clear();
      for (auto n = random.below(12); n > 0; --n)
        w.agents->script.push_back(random.from("ab\n", 1 + random.below(12)));
      auto seen = std::make_shared<viewing>();
      auto other = std::make_shared<viewing>();
      for (auto crashes = random.below(4); crashes > 0; --crashes) {
        if (random.below(2) == 0)
          w.add_node("n2");
        create_within(w, random.below(60));
        w.watch("r", seen);
        w.watch("r", other);
        if (random.below(2) == 0)
          caf::anon_send(w.handles.coordinator, takeover_run{run_id{"r"}, {}});
        for (auto i = random.below(120); i > 0; --i)
          w.sim->step();
        w.restart();
      }
      w.add_node("n2");
      BOOST_REQUIRE(w.create("r").ok());
      for (const auto& x : {seen, other})
        if (!x->ended)
          w.watch("r", x);
      caf::anon_send(w.handles.coordinator, takeover_run{run_id{"r"}, {}});
      BOOST_TEST(w.sim->run_until(
        [&] { return w.ended("r") && seen->ended && other->ended; }));
      check_run(w, "r");
      check_viewing(*seen, *w.agent_of("r"));
      check_viewing(*other, *w.agent_of("r"));
    }
}

BOOST_AUTO_TEST_CASE(a_cancel_in_any_step_ends_the_run_aborted_and_the_agent) {
  for (std::uint64_t steps = 0; steps < 120; ++steps)
    BOOST_TEST_CONTEXT("cancel after step " << steps) {
      node_world w{steps};
      w.agents->script.assign(40, "line\n");
      BOOST_REQUIRE(w.create("r").ok());
      for (std::uint64_t i = 0; i < steps; ++i)
        w.sim->step();
      auto view =
        w.sim->ask<run_view>(w.handles.coordinator, cancel_run{run_id{"r"}});
      if (!view) {
        BOOST_TEST((view.error().code == errc::terminal));
        continue;
      }
      BOOST_TEST(w.sim->run_until([&] { return w.ended("r"); }));
      BOOST_TEST(!w.agents->any_alive());
      BOOST_TEST(
        (w.disk->load(run_id{"r"})->state.status == run_status::aborted));
      if (auto* agent = w.agent_of("r"))
        BOOST_TEST(text_of(w.log("r")) == agent->written);
    }
}

BOOST_AUTO_TEST_CASE(marker_or_report_tell_the_end_and_neither_is_a_loss) {
  for (bool marker : {true, false})
    for (bool report : {true, false})
      BOOST_TEST_CONTEXT("marker " << marker << ", report " << report) {
        node_world w{5};
        w.agents->script = {"a\n", "b"};
        w.agents->exit_code = 3;
        w.agents->writes_marker = marker;
        w.agents->leaves_report = report;
        BOOST_REQUIRE(w.create("r").ok());
        BOOST_TEST(w.sim->run_until([&] {
          auto* agent = w.agent_of("r");
          return agent != nullptr && agent->launches == 1 && !agent->alive;
        }));
        auto died = w.sim->now();
        BOOST_TEST(w.sim->run_until([&] { return w.ended("r"); }));

        auto state = w.disk->load(run_id{"r"})->state;
        auto told = marker || report;
        BOOST_TEST((w.sim->now() - died <= std::chrono::seconds{5}));
        BOOST_TEST((state.status == run_status::failed));
        BOOST_TEST(text_of(w.log("r")) == "a\nb");
        BOOST_TEST(state.exit_code.has_value() == told);
        BOOST_TEST((state.error->code
                    == (told ? errc::exit_nonzero : errc::agent_lost)));
      }
}

BOOST_AUTO_TEST_CASE(a_journal_that_cannot_be_read_for_a_while_ends_no_run) {
  node_world w{12};
  w.agents->script = plain_script;
  w.agents->open_failures = 4;
  BOOST_REQUIRE(w.create("r").ok());
  BOOST_REQUIRE(w.sim->run_until([&] {
    auto* agent = w.agent_of("r");
    return agent != nullptr && agent->launches == 1;
  }));
  w.agent_of("r")->read_failures = 9;

  BOOST_TEST(w.sim->run_until([&] { return w.ended("r"); }));

  BOOST_TEST(w.agents->open_failures == 0);
  check_run(w, "r");
  auto state = w.disk->load(run_id{"r"})->state;
  BOOST_TEST((state.status == run_status::completed));
}

BOOST_AUTO_TEST_CASE(a_driver_that_breaks_is_replaced_under_a_new_claim) {
  node_world w{11};
  w.agents->script = plain_script;
  BOOST_REQUIRE(w.create("r").ok());
  w.agents->throws = 3;

  BOOST_TEST(w.sim->run_until([&] { return w.ended("r"); }));

  BOOST_TEST(w.agents->throws == 0);
  check_run(w, "r");
  auto state = w.disk->load(run_id{"r"})->state;
  BOOST_TEST((state.status == run_status::completed));
  BOOST_TEST(state.epoch.value == 4U);
}

BOOST_AUTO_TEST_CASE(a_viewer_waiting_on_a_coordinator_that_stops_is_told) {
  node_world w{3};
  w.sim->outside = [] { return false; }; // The agent says nothing.
  BOOST_REQUIRE(w.create("r").ok());
  auto opened =
    w.sim->ask<channel_opened>(w.handles.coordinator, watch_run{run_id{"r"}});
  BOOST_REQUIRE(opened.ok());
  auto answer = std::make_shared<std::optional<status>>();
  w.sim->own(w.sim->system.spawn(
    [answer, channel = opened->channel](caf::event_based_actor* self) {
      self->request(channel, std::chrono::seconds{3'600}, next_entries{})
        .then([=](entry_page&) { answer->emplace(); },
              [=](const caf::error& e) { answer->emplace(to_status(e)); });
    }));
  for (int i = 0; i < 200; ++i)
    w.sim->step();
  BOOST_TEST(!answer->has_value());

  node::stop_node(w.handles);

  BOOST_TEST(w.sim->run_until([&] { return answer->has_value(); }, 2'000));
  BOOST_TEST(((*answer)->code == errc::unavailable));
}

BOOST_AUTO_TEST_CASE(timers_do_not_pile_up_behind_leases) {
  node_world w{4};
  create_run x;
  x.spec.id = run_id{"e"};
  x.spec.external = true;
  BOOST_REQUIRE(w.sim->ask<run_created>(w.handles.coordinator, x).ok());
  for (int i = 0; i < 50; ++i) {
    claim_run claim{run_id{"e"}, "d", 100, true};
    BOOST_REQUIRE(w.sim->ask<claim_granted>(w.handles.coordinator, claim).ok());
    auto until = w.sim->now() + std::chrono::milliseconds{150};
    w.sim->run_until([&] { return w.sim->now() >= until; });
  }

  auto& clock =
    dynamic_cast<caf::detail::test_actor_clock&>(w.sim->system.clock());

  BOOST_TEST(clock.schedule().size() < 10);
}

BOOST_AUTO_TEST_SUITE_END()
