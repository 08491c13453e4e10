// SPDX-License-Identifier: MIT
// Ids for translated entries: the same for every replay, for they come from a
// counter, not from a clock or chance (C6).
#pragma once

#include "messages/ids.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace baton {

class run_scoped_ids {
public:
  explicit run_scoped_ids(run_id run) : run_(std::move(run)) {}

  /// `<run_id>-1`, `<run_id>-2`, ...
  std::string next() { return run_.str() + "-" + std::to_string(++last_); }

private:
  run_id run_;
  std::uint64_t last_ = 0;
};

} // namespace baton
