// SPDX-License-Identifier: MIT
// A gateway before the real coordinator, reader and channels, over a store in
// memory; runs are external ones, which the test drives over HTTP.
#pragma once

#include "actors/gateway/gateway.hpp"
#include "tests/actors/gateway/http_client.hpp"

#include "storage/store.hpp"

#include <caf/actor.hpp>
#include <caf/fwd.hpp>

#include <memory>
#include <string>

namespace baton::http::test {

/// An actor system with our messages.
struct system_fixture {
  system_fixture();
  ~system_fixture();
  system_fixture(const system_fixture&) = delete;
  system_fixture& operator=(const system_fixture&) = delete;

  struct impl;
  std::unique_ptr<impl> parts;
  caf::actor_system& system();
};

class node_fixture {
public:
  explicit node_fixture(gateway_options options = {});
  ~node_fixture();
  node_fixture(const node_fixture&) = delete;
  node_fixture& operator=(const node_fixture&) = delete;

  std::uint16_t port() const { return gateway_->port(); }
  gateway& server() { return *gateway_; }
  caf::actor_system& system() { return actors_.system(); }
  storage::store& store() { return *store_; }
  void set_ready(status why) { ready_ = std::move(why); }

  /// One request on a connection of its own.
  reply ask(std::string_view method, std::string_view target,
            std::string_view body = {}, std::string_view headers = {});

  /// Creates an external run and claims it; its epoch is 1.
  void start_run(const std::string& id);
  /// Appends behind what is there.
  reply append(const std::string& id, std::string_view lines,
               std::uint64_t first_seq);
  reply finish(const std::string& id);

  /// The value of a metric; with its labels, if it has some.
  std::uint64_t metric(const std::string& name);

private:
  void end_actors();

  system_fixture actors_;
  std::shared_ptr<storage::store> store_;
  caf::actor coordinator_;
  caf::actor reader_;
  status ready_;
  std::unique_ptr<gateway> gateway_;
};

} // namespace baton::http::test
