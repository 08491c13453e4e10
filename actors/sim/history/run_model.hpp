// SPDX-License-Identifier: MIT
// A run that external drivers write to, one operation at a time: the contract
// of claims, appends and ends, written down a second time.
//
// Guarantees: shares nothing with the program under test. States are compared
// exactly and cheaply: logs are nodes of a tree in which equal logs are one.
// Each grant raises the epoch by one, so that an epoch tells how many grants
// there were.
// Threads: not thread-safe.
#pragma once

#include "actors/sim/history/operation.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace baton::history {

/// All logs that a search meets, as paths from the root.
class log_tree {
public:
  using id = std::uint32_t;
  static constexpr id root = 0;

  id add(id parent, std::uint64_t epoch, const std::string& line);
  std::uint64_t size_of(id log) const { return nodes_[log].size; }
  /// Bytes, newlines included.
  std::uint64_t end_of(id log) const { return nodes_[log].end; }
  /// The log's first `size` entries.
  id prefix(id log, std::uint64_t size) const;
  const std::string& last_line(id log) const;

private:
  struct node {
    id parent = root;
    std::uint32_t line = 0;
    std::uint64_t size = 0;
    std::uint64_t end = 0;
  };

  std::vector<node> nodes_{1};
  std::vector<std::string> lines_{1};
  std::map<std::string, std::uint32_t> line_ids_;
  std::map<std::tuple<id, std::uint64_t, std::uint32_t>, id> children_;
};

struct run_state {
  std::uint64_t epoch = 0;
  /// Neither unclaimed nor given back.
  bool held = false;
  bool ended = false;
  /// Number of the status's name.
  std::uint32_t status = 0;
  log_tree::id log = log_tree::root;
  bool operator==(const run_state&) const = default;
  auto operator<=>(const run_state&) const = default;
};

class run_model {
public:
  explicit run_model(std::span<const operation> all);

  /// The state behind operation `i`; nothing when its answer is not the one
  /// that the contract demands in `s`. Any answer is right for one whose
  /// outcome is unknown.
  std::optional<run_state> apply(const run_state& s, std::size_t i);

  std::string describe(const run_state& s) const;

private:
  struct step {
    answer told;
    run_state next;
  };

  step claim(const run_state& s, const operation& x);
  step append(const run_state& s, const operation& x);
  step release(const run_state& s, const operation& x);
  step finish(const run_state& s, const operation& x);
  step record_of(const run_state& s) const;
  step fenced(const run_state& s) const;
  std::uint32_t number_of(const std::string& status);

  std::span<const operation> all_;
  log_tree logs_;
  /// What the reads saw.
  std::vector<std::optional<log_tree::id>> seen_;
  std::vector<std::string> statuses_{"running"};
};

} // namespace baton::history
