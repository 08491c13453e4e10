// SPDX-License-Identifier: MIT
#include "actors/coordinator/committer.hpp"

#include "messages/crash_point.hpp"

#include <caf/behavior.hpp>
#include <caf/sec.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace baton::coordinator {
namespace {

constexpr int exit_code_storage_failed = 74; // EX_IOERR of sysexits.h

struct contents {
  bool claims = false;
  bool entries = false;
  bool ends = false;
};

contents look_at(const write_batch& batch) {
  contents out;
  for (const auto& c : batch.commits) {
    out.claims |= c.claim.has_value();
    out.entries |= !c.entries.empty();
    out.ends |= is_terminal(c.record.state.status);
  }
  return out;
}

void pass_before(const contents& what) {
  if (what.claims)
    pass(crash_point::before_claim_commit);
  if (what.entries)
    pass(crash_point::before_append_commit);
  if (what.ends)
    pass(crash_point::before_final_commit);
}

void pass_after(const contents& what) {
  if (what.claims)
    pass(crash_point::after_claim_commit);
  if (what.entries)
    pass(crash_point::after_append_commit);
  if (what.ends)
    pass(crash_point::after_final_commit);
}

status write(storage::store& store, const write_order& order,
             std::vector<storage::commit_outcome>& outcomes) {
  auto what = look_at(*order.batch);
  pass_before(what);
  if (auto bad = store.save_uptime_ms(order.uptime_ms); !bad.ok())
    return bad;
  if (!order.batch->commits.empty()) {
    auto got = store.commit_all(order.batch->commits);
    if (!got)
      return got.error();
    outcomes = *std::move(got);
  }
  pass_after(what);
  if (!order.batch->instances.empty())
    if (auto bad = store.change_instances(order.batch->instances); !bad.ok())
      return bad;
  for (const auto& x : order.batch->removals) {
    auto done = store.remove(x.run, x.version);
    // Damage in a run that is on its way out hurts nobody.
    if (!done.ok() && done.code != errc::corrupt)
      return done;
  }
  return {};
}

} // namespace

fatal_handler end_process() {
  return [](const status& why) {
    std::fprintf(stderr,
                 "batond: storage failed: %s (fix the cause and start again; "
                 "what was acknowledged is safe)\n",
                 why.message.c_str());
    std::fflush(stderr);
    std::_Exit(exit_code_storage_failed);
  };
}

caf::behavior committer(caf::event_based_actor* self,
                        std::shared_ptr<storage::store> store,
                        fatal_handler on_fatal) {
  return {[=](const write_order& order) -> caf::result<batch_written> {
    auto outcomes = std::make_shared<std::vector<storage::commit_outcome>>();
    if (auto bad = write(*store, order, *outcomes); !bad.ok()) {
      on_fatal(bad);
      self->quit(caf::sec::runtime_error);
      return caf::sec::runtime_error;
    }
    return batch_written{order.batch, std::move(outcomes)};
  }};
}

} // namespace baton::coordinator
