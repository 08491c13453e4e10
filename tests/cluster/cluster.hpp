// SPDX-License-Identifier: MIT
// A coordinator, `n0`, and workers, `n1`, `n2`, ..., as real processes that
// reach each other's sandboxes; and agents that count, and tell outside of
// their sandbox that they were launched.
// Failure: what cannot be set up is thrown, which fails a test.
#pragma once

#include "tests/support/agents.hpp"
#include "tests/support/daemon.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace baton::test {

/// A row of a run's claim history.
struct claim {
  std::int64_t epoch = 0;
  std::string holder;
  std::string cause;
  std::int64_t first_seq = 0;
};

class cluster {
public:
  struct options {
    int workers = 2;
    /// Given to every node.
    std::string lease = "10s";
    std::vector<std::string> more = {};
  };

  explicit cluster(const options& how);

  /// 0 is the coordinator.
  daemon& node(std::size_t i) { return *nodes_.at(i); }
  daemon& named(std::string_view name);
  daemon& coordinator() { return *nodes_.front(); }
  std::size_t size() const { return nodes_.size(); }

  /// One that does not run yet; start it with worker_args().
  daemon& add_node();
  std::vector<std::string> worker_args(std::size_t i) const;

  /// A file of the test's own.
  std::string file(const std::string& name) const { return dir_ / name; }

  // -- agents -----------------------------------------------------------------

  /// A run that prints counted(0), counted(1), ... one each `pause_ms`, until
  /// `count` are out or end_of() exists. Through node `through`, wanted on node
  /// `on`.
  std::string count(std::size_t through, std::size_t on, int count,
                    int pause_ms);
  /// The same under an id of ours, as a request that may be repeated.
  json::object counter_request(const std::string& run, int count,
                               int pause_ms) const;
  void end(const std::string& run) const { write_file(end_of(run), ""); }
  /// How often the run's command was executed.
  std::size_t launches(const std::string& run) const;

private:
  std::string end_of(const std::string& run) const {
    return file(run + ".end");
  }
  std::string pids_of(const std::string& run) const {
    return file(run + ".pids");
  }
  std::vector<std::string> common_args(std::size_t i) const;

  test::temp_dir dir_;
  options how_;
  std::vector<std::unique_ptr<daemon>> nodes_;
  int runs_ = 0;
};

// -- looking ------------------------------------------------------------------

/// Absent while that node cannot tell.
std::optional<json::object> try_record(const daemon& d, std::string_view run);
std::int64_t epoch_of(const daemon& d, std::string_view run);
std::string holder_of(const daemon& d, std::string_view run);
std::vector<claim> claims_of(const daemon& d, std::string_view run);
/// The state that the coordinator knows of a node; empty: none of that name.
std::string state_of(const daemon& d, std::string_view node);
/// Waits until `wanted` is told of the run.
bool wait_for_record(const daemon& d, std::string_view run,
                     const std::function<bool(const json::object&)>& wanted,
                     millis patience = 30s);
bool wait_for_epoch(const daemon& d, std::string_view run, std::int64_t above,
                    millis patience = 30s);
/// Entries that the node tells of, or -1.
std::int64_t entries_at(const daemon& d, std::string_view run);

} // namespace baton::test
