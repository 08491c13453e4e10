// SPDX-License-Identifier: MIT
// A store in which the n-th call fails, so that every error path above it can
// be walked: once with the call undone, once with it done but its answer lost.
// Threads: as the store it wraps.
#pragma once

#include "storage/store.hpp"

#include <atomic>

namespace baton::storage {

enum class fault_moment : std::uint8_t {
  /// The call never reached the engine.
  before_effect,
  /// The engine did it; the caller is told that it failed.
  after_effect,
};

class faulty_store : public store {
public:
  /// `inner` is not owned and outlives this.
  explicit faulty_store(store& inner) : inner_(inner) {}

  /// The n-th call from now on, counted from 1, and every later one answers
  /// errc::storage_failed: an engine that failed once is inoperable.
  void fail_from(std::uint64_t n, fault_moment moment);

  /// Calls so far.
  std::uint64_t calls() const noexcept { return calls_; }

  result<std::vector<commit_outcome>>
  commit_all(std::span<const commit> batch) override;
  status remove(const run_id& id, std::uint64_t expected_version) override;
  result<run_record> load(const run_id& id) const override;
  result<std::vector<run_record>> list(const list_query& query) const override;
  result<std::vector<run_record>> live() const override;
  result<std::vector<run_id>> corrupt() const override;
  status quarantine(const run_id& id, const std::string& why,
                    wall_time now) override;
  result<std::vector<entry>> read(const run_record& run,
                                  const read_query& query) const override;
  result<std::vector<claim_note>> claims(const run_record& run) const override;
  status change_instances(std::span<const instance_change> changes) override;
  result<std::vector<instance_record>> instances() const override;
  result<std::vector<instance_key>> corrupt_instances() const override;
  result<epoch> epoch_floor() const override;
  result<std::uint64_t> uptime_ms() const override;
  status save_uptime_ms(std::uint64_t ms) override;

private:
  /// Counts the call, lets it through or not, and spoils its answer.
  template <class Call>
  auto pass(Call call) const -> decltype(call());

  store& inner_;
  mutable std::atomic<std::uint64_t> calls_{0};
  std::atomic<std::uint64_t> fail_from_{UINT64_MAX};
  std::atomic<fault_moment> moment_{fault_moment::before_effect};
};

} // namespace baton::storage
