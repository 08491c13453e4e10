// SPDX-License-Identifier: MIT
// baton inside a CAF system of your own: starts a run, prints its entries as
// they become durable, and ends when the run has ended.
//
//   embed DATA_DIR SHIM COMMAND...
//
// Kill it in the middle and start it again: the agent has gone on, nothing is
// launched twice, and the whole log is printed from its first entry. Three
// libraries do the work: baton::actors, baton::sandbox and what they bring.
#include "actors/node/node.hpp"
#include "actors/sandbox/local_provider.hpp"
#include "messages/caf_types.hpp"
#include "storage/data_dir.hpp"
#include "storage/rocksdb_store.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>

#include <cstdlib>
#include <iostream>

namespace {

using namespace std::chrono_literals;

constexpr auto answer_time_max = 10s;

/// Errors of baton are values: a code for programs, a message for people.
[[noreturn]] void give_up(const baton::status& why) {
  std::cerr << "embed: " << why.message << '\n';
  std::exit(125);
}

/// What a node needs: a name, a store that nobody else writes to, and at least
/// one place where agents can live. The rest has defaults.
baton::node::node_options options_for(const baton::storage::data_dir& dir,
                                      const std::string& shim) {
  auto store = baton::storage::rocksdb_store::open({.path = dir.store_path()});
  if (!store)
    give_up(store.error());
  auto local = baton::sandbox::local_provider::open(
    {.root = dir.path() + "/sandboxes", .shim = shim});
  if (!local)
    give_up(local.error());
  baton::node::node_options options;
  options.node = baton::node_id{"embedded"};
  options.store = *std::move(store);
  options.providers.push_back(*std::move(local));
  return options;
}

void print_end(const baton::run_state& state) {
  std::cout << "ended: " << to_string(state.status) << ", "
            << state.last_seq.value << " entries\n";
}

/// A viewer is any actor that asks a run's channel for what follows the last
/// entry it has. It has one question open at a time, so a slow viewer holds
/// up nobody, and it ends when it has none.
void print_entries(caf::event_based_actor* self, const caf::actor& channel,
                   baton::seq seen) {
  self->request(channel, caf::infinite, baton::next_entries{seen})
    .then(
      [=](const baton::entry_page& page) {
        auto last = seen;
        for (const auto& entry : page.entries.items) {
          std::cout << entry->data;
          last = entry->seq;
        }
        std::cout.flush();
        if (page.ended)
          print_end(page.view.front().record.state);
        else
          print_entries(self, channel, last);
      },
      [](const caf::error& why) { give_up(baton::to_status(why)); });
}

/// Starts the run, or finds the one that an earlier life of this program has
/// started, and opens it for viewing.
caf::actor open_run(caf::scoped_actor& self, const caf::actor& coordinator,
                    const baton::run_spec& spec) {
  auto fail = [](const caf::error& why) { give_up(baton::to_status(why)); };
  self->request(coordinator, answer_time_max, baton::create_run{spec})
    .receive([](const baton::run_created&) {}, fail);
  caf::actor channel;
  self->request(coordinator, answer_time_max, baton::watch_run{spec.id})
    .receive([&](const baton::channel_opened& x) { channel = x.channel; },
             fail);
  return channel;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: embed DATA_DIR SHIM COMMAND...\n";
    return 2;
  }
  auto dir = baton::storage::data_dir::open(argv[1]);
  if (!dir)
    give_up(dir.error());

  // Your system, your configuration: baton only adds its message types.
  caf::actor_system_config config;
  baton::register_messages(config);
  caf::actor_system system{config};

  auto node = baton::node::spawn_node(system, options_for(*dir, argv[2]));
  if (!node)
    give_up(node.error());

  baton::run_spec spec;
  spec.id = baton::run_id{"embedded-run"};
  spec.command.argv.assign(argv + 3, argv + argc);

  caf::scoped_actor self{system};
  auto channel = open_run(self, node->coordinator, spec);
  self->wait_for(system.spawn(print_entries, channel, baton::seq{}));
  baton::node::stop_node(*node);
  return 0;
}
