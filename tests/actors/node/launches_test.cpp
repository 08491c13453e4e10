// SPDX-License-Identifier: MIT
// Goal: a launch that hangs keeps no other waiting. Method: a sandbox host with
// its threads, and a provider whose launches wait to be let go.
#include "actors/sandbox/sandbox_host.hpp"
#include "messages/caf_types.hpp"
#include "messages/exit_marker.hpp"
#include "tests/actors/fake_provider.hpp"

#include <boost/test/unit_test.hpp>

#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>

#include <future>

using namespace baton;
using namespace std::chrono_literals;

namespace {

class slow_provider : public test::fake_provider {
public:
  slow_provider() : fake_provider(std::make_shared<test::fake_world>()) {}

  result<sandbox::launch_outcome>
  launch(const sandbox::launch_order& order) override {
    if (order.where.id == "breaks")
      throw std::runtime_error("no more");
    if (order.where.id == "slow")
      gate.get_future().wait();
    return sandbox::launch_outcome::launched;
  }

  status remove(const sandbox_binding& where) override {
    if (where.id == "slow")
      gate.get_future().wait();
    return {};
  }

  std::promise<void> gate;
};

struct known_messages : caf::actor_system_config {
  known_messages() { register_messages(*this); }
};

/// A host with its threads.
struct running_host {
  ~running_host() { self->send_exit(host, caf::exit_reason::user_shutdown); }

  known_messages config;
  caf::actor_system system{config};
  std::shared_ptr<slow_provider> provider = std::make_shared<slow_provider>();
  caf::scoped_actor self{system};
  caf::actor host = self->spawn<caf::detached>(sandbox::sandbox_host, true);
};

} // namespace

BOOST_AUTO_TEST_SUITE(node_launches)

BOOST_FIXTURE_TEST_CASE(one_that_hangs_or_breaks_keeps_no_other_waiting,
                        running_host) {
  auto asker = std::make_shared<int>();
  auto launch = [&](const std::string& id) {
    auto order = std::make_shared<sandbox::launch_order>();
    order->where.id = id;
    self->send(host, sandbox::launch_request{provider, order, asker});
  };
  auto outcome = [&] {
    std::optional<result<sandbox::launch_outcome>> out;
    self->receive([&](sandbox::agent_launched& x) { out = *x.outcome; },
                  caf::after(10s) >> [] {});
    return out;
  };

  launch("slow");
  launch("breaks");
  auto broken = outcome();
  BOOST_REQUIRE(broken.has_value());
  BOOST_TEST((broken->error().code == errc::outcome_unknown));
  for (std::size_t i = 0; i < 3 * sandbox::launches_max; ++i) {
    launch("fast");
    auto got = outcome();
    BOOST_REQUIRE(got.has_value());
    BOOST_TEST(got->ok());
  }
  provider->gate.set_value();

  BOOST_TEST(outcome().has_value());
}

BOOST_FIXTURE_TEST_CASE(one_whose_driver_is_gone_is_not_made, running_host) {
  auto there = std::make_shared<int>();
  auto gone = std::make_shared<int>();
  auto order = std::make_shared<sandbox::launch_order>();
  self->send(host, sandbox::launch_request{provider, order,
                                           std::exchange(gone, nullptr)});
  self->send(host, sandbox::launch_request{provider, order, there});
  std::size_t answers = 0;
  self->receive([&](sandbox::agent_launched&) { ++answers; },
                caf::after(10s) >> [] {});
  self->receive([&](sandbox::agent_launched&) { ++answers; },
                caf::after(100ms) >> [] {});

  BOOST_TEST(answers == 1u);
}

BOOST_FIXTURE_TEST_CASE(a_destruction_that_takes_long_keeps_nobody_waiting,
                        running_host) {
  auto destroy = [&](const std::string& id) {
    sandbox::destroy_request x{provider, {}};
    x.what.id = id;
    x.what.run = run_id{id};
    self->send(host, std::move(x));
  };
  auto gone = [&](std::chrono::milliseconds patience) {
    std::string out;
    self->receive([&](sandbox_destroyed& x) { out = x.id; },
                  caf::after(patience) >> [] {});
    return out;
  };

  // Ordered again while it is under way: answered once.
  destroy("slow");
  destroy("slow");
  destroy("fast");
  BOOST_TEST(gone(10s) == "fast");
  auto order = std::make_shared<sandbox::launch_order>();
  auto asker = std::make_shared<int>();
  self->send(host, sandbox::launch_request{provider, order, asker});
  bool launched = false;
  self->receive([&](sandbox::agent_launched&) { launched = true; },
                caf::after(10s) >> [] {});
  BOOST_TEST(launched);
  provider->gate.set_value();

  BOOST_TEST(gone(10s) == "slow");
  BOOST_TEST(gone(100ms).empty());
}

namespace {

/// Tells of each sandbox what its id says.
class telling_provider : public test::fake_provider {
public:
  telling_provider() : fake_provider(std::make_shared<test::fake_world>()) {}

  result<sandbox::probe_report> probe(const sandbox_binding& where) override {
    using enum sandbox::agent_state;
    if (where.id == "breaks")
      throw std::runtime_error("no more");
    if (where.id == "fails")
      return {errc::io_failed, "no"};
    if (where.id == "not launched")
      return sandbox::probe_report{not_launched, {}};
    if (where.id == "alive")
      return sandbox::probe_report{alive, {}};
    if (where.id == "lost")
      return sandbox::probe_report{lost, {}};
    sandbox::exit_report exit;
    exit.nonce = where.id == "exited" ? "mine" : "forged";
    return sandbox::probe_report{exited, exit};
  }
};

} // namespace

// D4.
BOOST_AUTO_TEST_CASE(a_probe_says_finished_only_of_an_end_that_is_proved) {
  caf::actor_system_config config;
  register_messages(config);
  caf::actor_system system{config};
  auto provider = std::make_shared<telling_provider>();
  caf::scoped_actor self{system};
  auto host = self->spawn<caf::detached>(sandbox::sandbox_host, true);
  auto verdict_of = [&](const std::string& id) {
    run_spec spec;
    spec.id = run_id{"r"};
    run_record run;
    run.spec = std::make_shared<const run_spec>(spec);
    run.state.sandbox.id = id;
    run.state.nonce_hashes = {hash_of_nonce("mine")};
    self->send(host, sandbox::probe_request{provider, run});
    auto out = probe_verdict::finished;
    self->receive([&](const sandbox_probed& x) { out = x.verdict; },
                  caf::after(10s) >> [] { BOOST_FAIL("no answer"); });
    return out;
  };
  BOOST_TEST((verdict_of("exited") == probe_verdict::finished));
  BOOST_TEST((verdict_of("alive") == probe_verdict::producing));
  for (auto* id : {"forged", "lost", "not launched", "fails", "breaks"})
    BOOST_TEST((verdict_of(id) == probe_verdict::unknown), id);
  self->send_exit(host, caf::exit_reason::user_shutdown);
}

BOOST_AUTO_TEST_SUITE_END()
