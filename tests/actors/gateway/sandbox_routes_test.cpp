// SPDX-License-Identifier: MIT
// What the routes about sandboxes and sweeps ask of the coordinator, and what
// they make of its answers; the coordinator is played.
#include "tests/actors/gateway/node_fixture.hpp"

#include "messages/caf_types.hpp"

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <boost/test/unit_test.hpp>

#include <mutex>

using namespace baton;
using namespace baton::http::test;

namespace {

instance_record box(const std::string& key, instance_state state) {
  instance_record x;
  x.key = instance_key{key};
  x.provider = "local";
  x.id = "box-" + key;
  x.state = state;
  return x;
}

/// What was asked, for a test on another thread.
struct asked {
  std::mutex lock;
  std::string last;

  void is(std::string what) {
    std::scoped_lock guard{lock};
    last = std::move(what);
  }
  std::string take() {
    std::scoped_lock guard{lock};
    return std::exchange(last, {});
  }
};

caf::behavior played(caf::event_based_actor*, std::shared_ptr<asked> log) {
  return {
    [=](list_sandboxes) {
      log->is("list");
      return sandbox_list{{box("a", instance_state::ready)}};
    },
    [=](const remove_sandbox& x) -> caf::result<sandbox_list> {
      log->is("remove " + x.key.str());
      if (x.key.str() == "none")
        return to_caf_error(make_status(errc::unknown_sandbox, "no such"));
      if (x.key.str() == "used")
        return to_caf_error(make_status(errc::not_terminal, "in use"));
      sandbox_list out;
      if (x.key.str() != "quick")
        out.sandboxes.push_back(box(x.key.str(), instance_state::must_destroy));
      return out;
    },
    [=](const collect_garbage& x) {
      log->is(x.remove ? "gc" : "gc dry");
      garbage_report out;
      out.silent.push_back(node_id{"m"});
      return out;
    },
    [=](const trim_run& x) -> caf::result<run_view> {
      log->is("trim " + x.run.str() + " " + std::to_string(x.before.value));
      return to_caf_error(make_status(errc::malformed, "beyond the end"));
    },
  };
}

struct routes_fixture : system_fixture {
  routes_fixture() {
    coordinator = system().spawn(played, log);
    auto started = gateway::start(system(), {}, coordinator, coordinator,
                                  [] { return status{}; });
    if (!started)
      throw std::runtime_error{started.error().message};
    server = *std::move(started);
  }
  ~routes_fixture() {
    server->stop();
    caf::anon_send_exit(coordinator, caf::exit_reason::user_shutdown);
  }

  reply ask(std::string_view method, std::string_view target,
            std::string_view body = {}) {
    client c{server->port()};
    c.send(request(method, target, body));
    return c.read();
  }

  std::shared_ptr<asked> log = std::make_shared<asked>();
  caf::actor coordinator;
  std::unique_ptr<gateway> server;
};

bool has(const reply& r, std::string_view text) {
  return r.body.find(text) != std::string::npos;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(gateway_sandbox_routes, routes_fixture)

BOOST_AUTO_TEST_CASE(sandboxes_are_listed) {
  auto r = ask("GET", "/v1/sandboxes");
  BOOST_TEST(r.status == 200);
  BOOST_TEST(has(r, R"({"sandboxes":[{"key":"a","provider":"local")"));
  BOOST_TEST(log->take() == "list");
}

BOOST_AUTO_TEST_CASE(a_removal_is_accepted_and_shows_what_is_owed) {
  auto r = ask("DELETE", "/v1/sandboxes/a%2Fb");
  BOOST_TEST(r.status == 202);
  BOOST_TEST(has(r, R"("key":"a/b")"));
  BOOST_TEST(has(r, R"("state":"must_destroy")"));
  BOOST_TEST(log->take() == "remove a/b");
  auto quick = ask("DELETE", "/v1/sandboxes/quick");
  BOOST_TEST(quick.status == 202);
  BOOST_TEST(quick.body == "{\"key\":\"quick\",\"state\":\"gone\"}\n");
  auto unknown = ask("DELETE", "/v1/sandboxes/none");
  BOOST_TEST(unknown.status == 404);
  BOOST_TEST(has(unknown, "unknown_sandbox"));
  auto used = ask("DELETE", "/v1/sandboxes/used");
  BOOST_TEST(used.status == 409);
  BOOST_TEST(has(used, "not_terminal"));
}

BOOST_AUTO_TEST_CASE(a_sweep_tells_which_nodes_were_silent) {
  auto r = ask("POST", "/v1/gc");
  BOOST_TEST(r.status == 200);
  BOOST_TEST(r.body == "{\"found\":[],\"silent_nodes\":[\"m\"]}\n");
  BOOST_TEST(log->take() == "gc dry");
  BOOST_TEST(ask("POST", "/v1/gc", R"({"remove":true})").status == 200);
  BOOST_TEST(log->take() == "gc");
  BOOST_TEST(ask("POST", "/v1/gc", R"({"dry_run":true})").status == 400);
  BOOST_TEST(log->take().empty());
}

BOOST_AUTO_TEST_CASE(a_trim_reaches_the_coordinator) {
  BOOST_TEST(ask("POST", "/v1/runs/r/trim", R"({"before":4})").status == 400);
  BOOST_TEST(log->take() == "trim r 4");
  BOOST_TEST(ask("POST", "/v1/runs/r/trim").status == 400);
  BOOST_TEST(log->take().empty());
}

BOOST_AUTO_TEST_SUITE_END()
