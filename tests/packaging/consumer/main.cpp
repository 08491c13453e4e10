// SPDX-License-Identifier: MIT
// A user of the installed libraries: an error of ours there and back through
// CAF's own error type, in a foreign actor system.
#include <messages/caf_types.hpp>

#include <caf/actor_system.hpp>

#include <iostream>

int main() {
  caf::actor_system_config config;
  baton::register_messages(config);
  caf::actor_system system{config};

  auto sent = baton::make_status(baton::errc::fenced, "epoch 4, not 6");
  auto received = baton::to_status(baton::to_caf_error(sent));

  std::cout << baton::to_string(received.code) << ": " << received.message
            << '\n';
  return received == sent ? 0 : 1;
}
