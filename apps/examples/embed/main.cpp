// SPDX-License-Identifier: MIT
// baton inside a CAF system of your own: starts a run, receives its entries as
// CAF messages, and ends when the run has ended.
//   embed DATA_DIR SHIM COMMAND...
#include "actors/node/node.hpp"
#include "actors/sandbox/local_provider.hpp"
#include "messages/caf_types.hpp"
#include "storage/data_dir.hpp"
#include "storage/rocksdb_store.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>

#include <cstdio>
#include <cstdlib>

namespace {

using namespace std::chrono_literals;

[[noreturn]] void give_up(const baton::status& why) {
  std::fprintf(stderr, "embed: %s\n", why.message.c_str());
  std::exit(125);
}

/// An actor of the foreign system: one open request at a time, each naming
/// the last entry it has.
caf::behavior printer(caf::event_based_actor* self, caf::actor channel,
                      baton::seq seen) {
  self->request(channel, caf::infinite, baton::next_entries{seen})
    .then(
      [=](const baton::entry_page& page) {
        auto last = seen;
        for (const auto& entry : page.entries.items) {
          std::fwrite(entry->data.data(), 1, entry->data.size(), stdout);
          last = entry->seq;
        }
        if (page.ended) {
          const auto& state = page.view.front().record.state;
          std::printf("ended: %s, %llu entries\n",
                      std::string{to_string(state.status)}.c_str(),
                      static_cast<unsigned long long>(state.last_seq.value));
          return self->quit();
        }
        self->become(printer(self, channel, last));
      },
      [=](const caf::error& why) { give_up(baton::to_status(why)); });
  return {[](caf::unit_t) {}};
}

baton::node::node_options options_for(const std::string& data_dir,
                                      const std::string& shim) {
  baton::node::node_options out;
  out.node = baton::node_id{"embedded"};
  auto store =
    baton::storage::rocksdb_store::open({.path = data_dir + "/store"});
  if (!store)
    give_up(store.error());
  out.store = *std::move(store);
  auto local =
    baton::sandbox::local_provider::open({data_dir + "/sandboxes", shim});
  if (!local)
    give_up(local.error());
  out.providers.push_back(*std::move(local));
  return out;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: embed DATA_DIR SHIM COMMAND...\n", stderr);
    return 2;
  }
  auto dir = baton::storage::data_dir::open(argv[1]);
  if (!dir)
    give_up(dir.error());
  caf::actor_system_config config;
  baton::register_messages(config);
  caf::actor_system system{config};
  auto node =
    baton::node::spawn_node(system, options_for(dir->path(), argv[2]));
  if (!node)
    give_up(node.error());

  baton::run_spec spec;
  spec.id = baton::run_id{"embedded-run"};
  spec.command.argv.assign(argv + 3, argv + argc);
  auto fail = [](const caf::error& why) { give_up(baton::to_status(why)); };
  caf::scoped_actor self{system};
  self->request(node->coordinator, 10s, baton::create_run{spec})
    .receive([](const baton::run_created&) {}, fail);
  self->request(node->coordinator, 10s, baton::watch_run{spec.id})
    .receive(
      [&](baton::channel_opened& x) {
        self->wait_for(system.spawn(printer, x.channel, baton::seq{}));
      },
      fail);
  baton::node::stop_node(*node);
  *node = {};
  return 0;
}
