// SPDX-License-Identifier: MIT
// Goal: a node that is stopped lets the actor system around it end.
// Method: a node with its real threads inside a system of its own.
#include "actors/node/node.hpp"
#include "messages/caf_types.hpp"
#include "storage/memory_store.hpp"

#include <boost/test/unit_test.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>

#include <future>

using namespace baton;

namespace {

template <class Answer, class Request>
Answer ask(caf::actor_system& system, const caf::actor& whom, Request x) {
  std::optional<Answer> out;
  caf::scoped_actor self{system};
  self->request(whom, std::chrono::seconds{10}, std::move(x))
      .receive([&](Answer& got) { out = std::move(got); },
               [&](caf::error& why) { BOOST_FAIL(to_status(why).message); });
  return *std::move(out);
}

void live_and_stop() {
  caf::actor_system_config config;
  register_messages(config);
  caf::actor_system system{config};
  node::node_options options;
  options.node = node_id{"n"};
  options.store = std::make_shared<storage::memory_store>();
  auto node = node::spawn_node(system, options).value();
  create_run x;
  x.spec.id = run_id{"r"};
  x.spec.external = true;
  ask<run_created>(system, node.coordinator, x);
  ask<channel_opened>(system, node.coordinator, watch_run{run_id{"r"}});
  node::stop_node(node);
}

} // namespace

BOOST_AUTO_TEST_SUITE(node_node_shutdown)

BOOST_AUTO_TEST_CASE(a_stopped_node_with_a_watched_run_lets_its_system_end) {
  auto over = std::async(std::launch::async, live_and_stop);

  auto state = over.wait_for(std::chrono::seconds{30});

  if (state != std::future_status::ready) {
    // The system's end hangs, and so would this process's.
    std::fputs("the actor system did not end within 30 s\n", stderr);
    std::_Exit(1);
  }
  BOOST_TEST((state == std::future_status::ready));
}

BOOST_AUTO_TEST_SUITE_END()
