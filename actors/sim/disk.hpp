// SPDX-License-Identifier: MIT
// The coordinator's disk: outlives every coordinator, is seen by one at a time,
// and tells of each commit that became durable.
// Guarantees: behind the end of a life nothing of that life arrives; what
// commit_all() did not return is there or not, as the world decides.
// Threads: one.
#pragma once

#include "storage/store.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace baton::sim {

class disk {
public:
  explicit disk(std::shared_ptr<storage::store> engine)
    : engine_(std::move(engine)) {}

  /// The store as the next life sees it.
  std::shared_ptr<storage::store> open();

  /// That life is over.
  void power_off();

  /// The next commit is that life's last: with `lands`, it is durable, and
  /// nobody is told.
  void fail_next(bool lands) { failing_ = lands; }

  /// What is durable.
  const storage::store& contents() const { return *engine_; }

  /// For engines that lose what was not synced, between two lives: the first
  /// is called while the old one is still open.
  std::function<void()> on_power_off;
  std::function<std::shared_ptr<storage::store>()> reopen;
  std::function<void(const storage::commit&, const storage::commit_outcome&)>
    on_commit;
  std::function<void(const run_id&)> on_remove;
  /// Before each write.
  std::function<void()> on_write;

private:
  class life;

  std::shared_ptr<storage::store> engine_;
  std::shared_ptr<life> now_;
  std::optional<bool> failing_;
};

} // namespace baton::sim
