// SPDX-License-Identifier: MIT
#include "tests/actors/gateway/node_fixture.hpp"

#include "actors/coordinator/claim_coordinator.hpp"
#include "actors/gateway/metrics_page.hpp"
#include "messages/caf_types.hpp"
#include "storage/memory_store.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <stdexcept>

namespace baton::http::test {

struct system_fixture::impl {
  impl() : system{config} {}

  struct our_config : caf::actor_system_config {
    our_config() {
      register_messages(*this);
      set("scheduler.policy", caf::atom("sharing"));
      set("scheduler.max-threads", std::size_t{2});
    }
  };

  our_config config;
  caf::actor_system system;
};

system_fixture::system_fixture() : parts(std::make_unique<impl>()) {}

system_fixture::~system_fixture() = default;

caf::actor_system& system_fixture::system() {
  return parts->system;
}

node_fixture::node_fixture(gateway_options options) {
  coordinator::coordinator_options rules;
  store_ = std::make_shared<storage::memory_store>();
  rules.store = store_;
  rules.env = system_environment();
  auto handles = coordinator::spawn_coordinator(system(), std::move(rules));
  if (!handles)
    throw std::runtime_error{handles.error().message};
  coordinator_ = handles->coordinator;
  reader_ = handles->reader;
  options.more_metrics = [board = handles->counters] {
    return metrics_text(board->read());
  };
  auto started = gateway::start(system(), std::move(options), coordinator_,
                                reader_, [this] { return ready_; });
  if (!started) {
    end_actors();
    throw std::runtime_error{started.error().message};
  }
  gateway_ = *std::move(started);
}

node_fixture::~node_fixture() {
  gateway_->stop();
  end_actors();
}

void node_fixture::end_actors() {
  caf::anon_send_exit(coordinator_, caf::exit_reason::user_shutdown);
  caf::anon_send_exit(reader_, caf::exit_reason::user_shutdown);
}

reply node_fixture::ask(std::string_view method, std::string_view target,
                        std::string_view body, std::string_view headers) {
  client c{port()};
  c.send(request(method, target, body, headers));
  return c.read(nullptr, method == "HEAD");
}

void node_fixture::start_run(const std::string& id) {
  auto made =
    ask("POST", "/v1/runs", R"({"external":true,"run_id":")" + id + "\"}");
  auto claimed =
    ask("POST", "/v1/runs/" + id + "/claim", R"({"holder":"test"})");
  if (made.status != 201 || claimed.status != 200)
    throw std::runtime_error{made.body + claimed.body};
}

reply node_fixture::append(const std::string& id, std::string_view lines,
                           std::uint64_t first_seq) {
  return ask("POST", "/v1/runs/" + id + "/entries", lines,
             "Baton-Epoch: 1\r\nBaton-Seq: " + std::to_string(first_seq)
               + "\r\n");
}

reply node_fixture::finish(const std::string& id) {
  return ask("POST", "/v1/runs/" + id + "/finish",
             R"({"status":"completed","exit_code":0})", "Baton-Epoch: 1\r\n");
}

std::uint64_t node_fixture::metric(const std::string& name) {
  auto page = "\n" + ask("GET", "/metrics").body;
  auto at = page.find("\n" + name + " ");
  if (at == page.npos)
    throw std::runtime_error{"no metric " + name};
  return std::stoull(page.substr(at + name.size() + 2));
}

} // namespace baton::http::test
